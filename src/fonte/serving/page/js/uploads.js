// Files on their way into the corpus: sent, read, indexed, or refused with a reason.

import { announce } from "./announce.js";
import { fetchJson } from "./api.js";
import { make } from "./dom.js";
import { bytes } from "./text.js";

const PAUSE = 700;
const WORDS = { sending: "sending", waiting: "waits to be read", reading: "being read", no_text: "has no text" };
const UNDER_WAY = ["sending", "waiting", "reading"];

export class Uploads {
  /** `settled()` is called when a file has reached its last state. */
  constructor(settled) {
    this.settled = settled;
    this.element = make("ul", { class: "uploads", "aria-label": "Uploads" });
  }

  /** Shows what is on its way already. */
  async resume() {
    const { data } = await fetchJson("/v1/uploads");
    const shown = data.filter((each) => UNDER_WAY.includes(each.state) || each.state === "failed");
    for (const upload of shown.slice(0, 20)) this.follow(upload, this.line(upload)).catch(() => {});
  }

  /** Sends a file: a new one, or in place of document `replaced`. Resolves when the server has it; reading it is followed. */
  async send(file, replaced = null) {
    const line = this.line({ name: file.name, bytes: file.size, state: "sending", reason: "" });
    const form = new FormData();
    form.append("file", file);
    const path = replaced ? `/v1/documents/${encodeURIComponent(replaced)}` : "/v1/documents";
    try {
      const taken = await fetchJson(path, { method: replaced ? "PUT" : "POST", body: form });
      this.follow(taken, line).catch((error) => this.tell(line, { ...taken, state: "failed", reason: error.message }));
    } catch (error) {
      this.tell(line, { name: file.name, bytes: file.size, state: "failed", reason: error.message });
    }
  }

  async follow(upload, line) {
    let told = upload;
    while (UNDER_WAY.includes(told.state)) {
      this.tell(line, told);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      told = await fetchJson(`/v1/uploads/${upload.id}`);
    }
    this.tell(line, told);
    announce(`${told.name}: ${WORDS[told.state] ?? told.state}. ${told.reason}`);
    this.settled();
  }

  line(upload) {
    const line = make("li", {});
    this.element.prepend(line);
    this.tell(line, upload);
    return line;
  }

  tell(line, { name, bytes: size, state, reason }) {
    line.dataset.state = state;
    line.replaceChildren(make("span", { class: "name" }, name), make("span", { class: "hint" }, bytes(size)),
      make("span", { class: `badge ${state}` }, WORDS[state] ?? state), reason ? make("span", { class: "reason" }, reason) : "");
    if (UNDER_WAY.includes(state)) line.append(make("progress", { "aria-label": `${name}: ${WORDS[state]}` }));
  }
}
