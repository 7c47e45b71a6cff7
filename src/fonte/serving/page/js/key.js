// The API key: asked for when the server wants one, kept until this tab is closed, sent nowhere else.

import { button, make } from "./dom.js";

const PLACE = "fonte-key";
let waiting = null;

/** Returns the key, "" where there is none. */
export function key() {
  return sessionStorage.getItem(PLACE) ?? "";
}

/** Asks for a key once, however many requests need it. Resolves to whether one was given. */
export function askForKey(reason) {
  waiting ??= entered(reason).finally(() => { waiting = null; });
  return waiting;
}

/** Shows the button for the key once the server has wanted one. */
export function offerKey(changed) {
  const opener = document.getElementById("key-button");
  opener.hidden = false;
  opener.onclick = async () => { if (await askForKey("Another key, or none:")) changed(); };
}

function entered(reason) {
  return new Promise((resolve) => {
    const field = make("input", { type: "password", id: "key-field", autocomplete: "off", spellcheck: "false", value: key() });
    const keep = (event) => {
      event.preventDefault();
      if (field.value.trim()) sessionStorage.setItem(PLACE, field.value.trim());
      else sessionStorage.removeItem(PLACE);
      close(true);
    };
    const form = make("form", { on: { submit: keep } },
      make("h2", { id: "key-title" }, "API key"),
      make("p", {}, reason),
      make("label", { for: "key-field" }, "Key"),
      field,
      make("p", { class: "hint" }, "Kept in this tab only, and forgotten when it is closed."),
      make("p", { class: "row" }, make("button", { type: "submit", class: "main" }, "Use this key"), button("Cancel", () => close(false), { class: "quiet" })));
    const dialog = make("dialog", { "aria-labelledby": "key-title", on: { cancel: () => close(false) } }, form);
    const close = (given) => { dialog.close(); dialog.remove(); resolve(given); };
    document.body.append(dialog);
    dialog.showModal();
  });
}
