// The text of a document around a place, with the span marked.

import { fetchJson } from "./api.js";
import { button, make, refill, reveal } from "./dom.js";
import { slice } from "./text.js";

const AROUND = 6000;

export class TextView {
  /** Returns the view of a document's text around a place. */
  static async of(place, document) {
    const view = new TextView(place, document);
    await view.load(Math.max(0, place.start - AROUND), place.end + AROUND);
    return view;
  }

  constructor(place, document) {
    Object.assign(this, { place, document, first: 0, last: 0 });
    this.element = make("div", { class: "document-text", tabindex: "0", role: "region", "aria-label": "Text of the document" });
  }

  /** Shows the place. */
  ready() {
    reveal(this.element.querySelector("mark"));
  }

  async load(first, last) {
    const told = await fetchJson(`/v1/documents/${this.document.document_id}/text?start=${first}&length=${Math.max(1, last - first)}`);
    const { start, end, characters, text } = told;
    const wider = (from, to) => () => this.load(Math.max(0, from), to);
    refill(this.element,
      start > 0 ? button("Show what comes before", wider(start - 4 * AROUND, end), { class: "quiet small" }) : null,
      make("p", { class: "words" }, ...marked(text, start, this.place)),
      end < characters ? button("Show what comes after", wider(start, end + 4 * AROUND), { class: "quiet small" }) : null);
  }
}

/** Returns the text of a passage with the quote marked, for a document that is not what it was. */
export function passageText(place, note) {
  const { text, start } = place.passage;
  return make("div", { class: "document-text" }, make("p", { class: "hint" }, note), make("p", { class: "words" }, ...marked(text, start, place)));
}

function marked(text, offset, { start, end }) {
  if (end <= start) return [text];
  const from = Math.max(0, start - offset);
  const to = Math.max(from, end - offset);
  return [slice(text, 0, from), make("mark", {}, slice(text, from, to)), slice(text, to)];
}
