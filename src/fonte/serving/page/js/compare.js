// One question under two settings, side by side.

import { announce } from "./announce.js";
import { question } from "./chat.js";
import { Composer } from "./composer.js";
import { button, make, refill } from "./dom.js";
import { judged, side } from "./experiment.js";
import { numbering } from "./numbering.js";
import { Options } from "./options.js";
import { Reply } from "./reply.js";
import { short } from "./text.js";
import { nameOf, placeWords } from "./words.js";

const NAMES = ["First settings", "Second settings"];

export class Compare {
  constructor(section, source) {
    this.source = source;
    this.options = [new Options({ mode: "quote" }), new Options({ mode: "write" })];
    const chosen = this.options.map((options, index) => make("fieldset", { class: "side" }, make("legend", {}, NAMES[index]), options.element));
    this.composer = new Composer((text, signal) => this.ask(text, signal), { label: "A question for both", action: "Compare", keeps: true });
    this.results = make("div", { class: "results" });
    section.append(make("h1", {}, "Compare two settings"), make("p", {}, "The same question, answered twice: see what the settings change."),
      make("div", { class: "pair" }, chosen), this.composer.element, this.results);
  }

  async ask(text, signal) {
    const open = (citation, chip) => this.source.showCitation(citation, chip);
    const replies = NAMES.map(() => new Reply(open));
    const sides = NAMES.map((name, index) => side(name, replies[index].element));
    const verdict = make("p", { class: "verdict" });
    const title = make("h2", {}, text);
    refill(this.results, title, make("div", { class: "pair" }, sides), verdict);
    title.scrollIntoView({ block: "start" });
    const answers = await Promise.all(replies.map((reply, index) => reply.run(question(text, [], this.options[index].wishes()), signal)));
    answers.forEach((answer, index) => { if (answer) sides[index].append(this.found(answer, answers[1 - index])); });
    if (answers.every(Boolean)) verdict.textContent = judged(...answers);
    announce(verdict.textContent);
  }

  /** Returns the list of passages of an answer; those that the other answer did not have say so. */
  found(answer, other) {
    const numbers = numbering(answer);
    const theirs = new Set(other?.passages.map((each) => each.passage_id));
    const cited = new Set(answer.citations.map((each) => each.passage_id));
    const line = (passage) => {
      const opener = button(nameOf(passage), () => this.source.showPassage(passage, opener), { class: "title" });
      return make("li", {}, make("span", { class: cited.has(passage.passage_id) ? "chip" : "chip hollow" }, numbers.get(passage.passage_id)), opener,
        make("span", { class: "hint" }, [placeWords(passage), short(passage.retrieval_score)].filter(Boolean).join(" · ")),
        other && !theirs.has(passage.passage_id) ? make("span", { class: "only" }, "only here") : null);
    };
    return make("details", { class: "found", open: true }, make("summary", {}, "Passages, as retrieved"), make("ul", {}, answer.passages.map(line)));
  }
}
