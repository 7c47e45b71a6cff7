// The settings of one question: how it is answered, how passages are found, and where.

import { freshId, make } from "./dom.js";

const MODES = [["", "As set"], ["quote", "Sources' own words"], ["write", "Written by the model"]];
const INDICES = [["", "As set"], ["hybrid", "Meaning and words"], ["dense", "Meaning"], ["lexical", "Words"]];

export class Options {
  /** `start` holds values to begin with. */
  constructor(start = {}) {
    this.mode = choice(MODES, start.mode);
    this.index = choice(INDICES, start.index);
    this.passages = make("input", { type: "number", min: 1, max: 200, step: 1, inputmode: "numeric", placeholder: "as set", value: start.passages });
    this.where = make("input", { type: "text", placeholder: "year >= 2020", spellcheck: "false", autocomplete: "off" });
    this.element = make("div", { class: "options" },
      labelled("Answer", this.mode), labelled("Find by", this.index), labelled("Passages", this.passages), labelled("Only documents where", this.where));
  }

  /** Returns what was chosen, without what is left as it is. */
  wishes() {
    const chosen = { mode: this.mode.value, index: this.index.value, where: this.where.value.trim(), passages: Number(this.passages.value) };
    return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value));
  }
}

function choice(pairs, chosen = "") {
  return make("select", {}, pairs.map(([value, words]) => make("option", { value, selected: value === chosen }, words)));
}

function labelled(words, field) {
  field.id = freshId("option");
  return make("div", { class: "field" }, make("label", { for: field.id }, words), field);
}
