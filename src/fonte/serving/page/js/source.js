// The panel beside the answer: the original, opened at the place.

import { announce, showTrouble } from "./announce.js";
import { fetchJson } from "./api.js";
import { button, make, refill } from "./dom.js";
import { PdfPages } from "./pdf_pages.js";
import { passageText, TextView } from "./text_view.js";
import { effectWords, nameOf, ORIGINS, placeWords, STATUSES } from "./words.js";

const NARROW = matchMedia("(max-width: 60rem)");

export class Source {
  /** `beside` are the elements that the panel covers on a narrow screen. */
  constructor(panel, beside) {
    this.panel = panel;
    this.beside = beside;
    this.opener = null;
    this.asked = 0;
    panel.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
    NARROW.addEventListener("change", () => this.shade());
  }

  /** Shows the quote of a citation; `passage` is the passage it is from, where that is known. */
  showCitation(citation, opener, passage = null) {
    const facts = [ORIGINS[citation.origin], STATUSES[citation.status], citation.effect ? `effect: ${effectWords(citation.effect)}` : ""];
    return this.show({ ...citation, heading: passage?.heading, start: citation.source_start, end: citation.source_end, passage, facts }, opener);
  }

  /** Shows a whole passage. */
  showPassage(passage, opener) {
    return this.show({ ...passage, passage, facts: ["a whole passage"] }, opener);
  }

  /** Shows a document by id, at a span where one is given. */
  async showDocument(id, opener, start = 0, end = 0) {
    try {
      return await this.show({ ...await fetchJson(`/v1/documents/${id}`), start, end, facts: [] }, opener);
    } catch (error) {
      return this.fail(error, opener);
    }
  }

  /** Hides the panel; the focus goes back to what opened it. */
  close() {
    this.asked += 1;
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.shade();
    document.body.classList.remove("with-source");
    if (this.opener?.isConnected) this.opener.focus();
  }

  async show(place, opener) {
    const turn = this.begin(place, opener);
    const body = make("div", { class: "source-body", "aria-busy": "true" });
    this.panel.append(body);
    try {
      const view = await this.view(place);
      if (turn !== this.asked) return;
      refill(body, view.element);
      await view.ready?.();
    } catch (error) {
      if (turn === this.asked) showTrouble(body, error, () => this.show(place, opener));
    }
    body.setAttribute("aria-busy", "false");
  }

  begin(place, opener) {
    this.opener = opener ?? this.opener;
    const title = make("h2", { tabindex: "-1" }, nameOf(place));
    const facts = [placeWords(place), ...place.facts].filter(Boolean);
    refill(this.panel, make("header", {}, make("div", {}, title, make("p", { class: "hint" }, place.document)),
      button("Close", () => this.close(), { class: "quiet", "aria-label": "Close the source" })),
      facts.length ? make("p", { class: "facts" }, facts.map((fact) => make("span", {}, fact))) : null);
    this.panel.hidden = false;
    document.body.classList.add("with-source");
    this.shade();
    title.focus();
    announce(`Source opened: ${nameOf(place)}`);
    this.asked += 1;
    return this.asked;
  }

  /** Chooses between the pages of a PDF, the text of the document, and the passage where the document has changed since. */
  async view(place) {
    const document = await fetchJson(`/v1/documents/${place.document_id}`).catch((error) => ({ error }));
    if (document.error || document.document_version !== place.document_version) {
      if (!place.passage) throw document.error;
      const why = document.error ? "The document is not there any more." : "The document was replaced since.";
      return { element: passageText(place, `${why} This is the passage as it was.`) };
    }
    if (document.pictures) {
      const pages = await PdfPages.of(place, document).catch(() => null);
      if (pages) return pages;
    }
    return TextView.of(place, document);
  }

  fail(error, opener) {
    this.begin({ title: "Source", document: "", facts: [] }, opener);
    const body = make("div", { class: "source-body" });
    this.panel.append(body);
    showTrouble(body, error);
  }

  /** On a narrow screen the panel covers the page, which then cannot be reached by keyboard or reader. */
  shade() {
    for (const covered of this.beside) covered.inert = NARROW.matches && !this.panel.hidden;
  }
}
