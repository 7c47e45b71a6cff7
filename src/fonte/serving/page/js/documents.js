// The documents of the corpus: what is in it, what each chunk is known by, and changes to it.

import { showTrouble } from "./announce.js";
import { fetchJson } from "./api.js";
import { documentEntry } from "./document_entry.js";
import { button, freshId, make, refill } from "./dom.js";
import { count } from "./text.js";
import { Uploads } from "./uploads.js";

export class Documents {
  /** `counted(total)` hears how many documents there are. */
  constructor(section, source, counted) {
    Object.assign(this, { source, counted });
    this.uploads = new Uploads(() => this.load());
    this.total = make("p", { class: "hint" });
    this.filter = make("input", { type: "search", id: freshId("filter"), placeholder: "year >= 2020", spellcheck: "false", autocomplete: "off" });
    this.trouble = make("div", { role: "alert" });
    this.list = make("ul", { class: "documents" });
    this.more = make("div", {});
    section.append(make("h1", {}, "Documents"), this.drop(), this.uploads.element,
      make("form", { class: "filter", role: "search", on: { submit: (event) => { event.preventDefault(); this.load(); } } },
        make("label", { for: this.filter.id }, "Only documents where"), this.filter, make("button", { type: "submit", class: "quiet" }, "Show")),
      this.trouble, this.total, this.list, this.more);
  }

  /** Loads the list anew, or goes on with it after document `after`. */
  async load(after = null) {
    const query = new URLSearchParams({ limit: "100" });
    if (after) query.set("after", after);
    const where = this.filter.value.trim();
    if (where) query.set("where", where);
    try {
      const told = await fetchJson(`/v1/documents?${query}`);
      this.show(told, after !== null);
      if (!where) this.counted(told.total);
    } catch (error) {
      showTrouble(this.trouble, error, () => this.load(after));
    }
  }

  show({ data, total, next }, goesOn) {
    this.trouble.replaceChildren();
    this.total.textContent = total ? count(total, "document") : "No documents.";
    const entries = data.map((document) => documentEntry(document, { source: this.source, uploads: this.uploads, changed: () => this.load() }));
    if (goesOn) this.list.append(...entries);
    else refill(this.list, ...entries);
    refill(this.more, next ? button("Show more", () => this.load(next), { class: "quiet" }) : null);
  }

  drop() {
    const change = () => { this.take([...files.files]); files.value = ""; };
    const files = make("input", { type: "file", multiple: true, id: freshId("files"), class: "unseen", on: { change } });
    const over = (on) => (event) => { event.preventDefault(); zone.classList.toggle("over", on); };
    const drop = (event) => { over(false)(event); this.take([...event.dataTransfer.files]); };
    const zone = make("div", { class: "drop", on: { dragover: over(true), dragleave: over(false), drop } },
      files, make("label", { class: "button main", for: files.id }, "Add files"),
      make("span", { class: "hint" }, "or drop them here: PDF, Word, PowerPoint, Excel, HTML, Markdown, text, CSV, JSONL"));
    return zone;
  }

  async take(files) {
    for (const file of files) await this.uploads.send(file);
  }
}
