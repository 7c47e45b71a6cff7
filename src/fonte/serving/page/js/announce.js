// What happens, for people who do not see it; and what went wrong, for everybody.

import { button, make, refill } from "./dom.js";

/** Says `words` through the screen reader, when it is done with what it says now. */
export function announce(words) {
  document.getElementById("status").textContent = words;
}

/** Shows what went wrong inside `container`, with a way to try again where there is one. */
export function showTrouble(container, error, again = null) {
  const note = make("div", { class: "trouble" }, make("p", {}, error.message));
  if (again) note.append(button("Try again", () => { container.replaceChildren(); again(); }, { class: "quiet" }));
  refill(container, note);
}
