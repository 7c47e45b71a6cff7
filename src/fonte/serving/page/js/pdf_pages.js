// Pages of a PDF as pictures, with the quote highlighted in its boxes.

import { announce } from "./announce.js";
import { fetchJson, send } from "./api.js";
import { button, make, reveal } from "./dom.js";
import { TextView } from "./text_view.js";

const WIDEST = 2000;

export class PdfPages {
  /** Returns the view of a place in a PDF. Fails where the file is not what it was, so that the text is shown instead. */
  static async of(place, document) {
    const { pages } = await fetchJson(`/v1/documents/${document.document_id}/pages`);
    const hasSpan = place.end > place.start;
    const known = place.boxes?.length || !hasSpan ? place : await fetchJson(`/v1/documents/${document.document_id}/place?start=${place.start}&end=${place.end}`);
    return new PdfPages(place, document, pages, known.boxes ?? []);
  }

  constructor(place, document, pages, boxes) {
    Object.assign(this, { place, document, pages, boxes, number: boxes[0]?.page ?? place.page ?? 1 });
    this.picture = make("img", { alt: "" });
    this.frame = make("div", { class: "page" }, this.picture);
    this.label = make("span", { class: "page-label", "aria-live": "polite" });
    this.back = button("‹", () => this.turn(-1), { class: "quiet", "aria-label": "Previous page" });
    this.on = button("›", () => this.turn(1), { class: "quiet", "aria-label": "Next page" });
    this.swap = button("Show the text", () => this.showText(), { class: "quiet small" });
    this.element = make("div", {}, make("div", { class: "page-bar" }, this.back, this.label, this.on, this.swap), this.frame);
  }

  /** Draws the page once the view stands in the document, when its width is known. */
  async ready() {
    await this.draw();
    reveal(this.frame.querySelector(".highlight"));
  }

  async draw() {
    const { number, pages, document } = this;
    this.label.textContent = `Page ${number} of ${pages.length}`;
    this.back.disabled = number <= 1;
    this.on.disabled = number >= pages.length;
    const size = pages[number - 1];
    this.frame.style.aspectRatio = `${size.width} / ${size.height}`;
    const width = Math.min(WIDEST, Math.max(50, Math.round(this.frame.clientWidth * devicePixelRatio)));
    const response = await send(`/v1/documents/${document.document_id}/pages/${number}.png?width=${width}`);
    const address = URL.createObjectURL(await response.blob());
    this.picture.src = address;
    this.picture.alt = `Page ${number} of ${document.document}`;
    await this.picture.decode().finally(() => URL.revokeObjectURL(address));
    this.highlight(size);
  }

  highlight(size) {
    for (const old of this.frame.querySelectorAll(".highlight")) old.remove();
    for (const box of this.boxes.filter((each) => each.page === this.number)) {
      const mark = make("span", { class: "highlight", "aria-hidden": "true" });
      mark.style.left = `${100 * box.left / size.width}%`;
      mark.style.top = `${100 * box.top / size.height}%`;
      mark.style.width = `${100 * (box.right - box.left) / size.width}%`;
      mark.style.height = `${100 * (box.bottom - box.top) / size.height}%`;
      this.frame.append(mark);
    }
  }

  async turn(step) {
    this.number += step;
    await this.draw();
    announce(this.label.textContent);
  }

  async showText() {
    const view = await TextView.of(this.place, this.document);
    this.element.replaceWith(view.element);
    view.ready();
  }
}
