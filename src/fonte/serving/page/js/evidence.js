// What an answer rests on: its passages, what was measured of each, and the question asked again without one.

import { announce, showTrouble } from "./announce.js";
import { fetchJson } from "./api.js";
import { button, make, refill } from "./dom.js";
import { experiment } from "./experiment.js";
import { unitsOf } from "./facts.js";
import { findings, meanings } from "./findings.js";
import { measure } from "./measure.js";
import { numbering } from "./numbering.js";
import { effect as effectRow, passageCard } from "./passage_card.js";
import { count } from "./text.js";

const FIRST = 3;

export class Evidence {
  /** `source` is the panel that shows originals; `changed(answer)` hears of citations that a measurement placed. */
  constructor(answer, source, changed) {
    Object.assign(this, { answer, source, changed, numbers: numbering(answer), support: new Map(), found: null });
    this.summary = make("div", { class: "summary" });
    this.list = make("div", {});
    this.experiments = make("div", { class: "experiments" });
    this.element = make("section", { class: "evidence", "aria-label": answer.answer ? "Sources of this answer" : "Passages that were found" },
      make("div", { class: "evidence-head" }, make("h3", {}, answer.answer ? "What the answer rests on" : "What was found"), answer.answer && meanings()),
      this.summary, this.list, this.experiments);
    this.fill();
    if (!answer.answer) return;
    this.offer();
    this.judge();
    if (answer.measured?.includes("leave_one_out/passage")) this.measure(); // known already, so nothing is computed
  }

  offer() {
    refill(this.summary, make("p", { class: "row" },
      button("Measure what moved this answer", () => this.measure(), { class: "main" }),
      make("span", { class: "hint" }, "Takes each passage away in turn, and measures how much less likely the answer becomes.")));
  }

  async judge() {
    try {
      const told = await fetchJson(`/v1/answers/${this.answer.record}/support`);
      this.support = new Map(told.passages.map((each) => [each.passage_id, each]));
      this.fill();
    } catch (error) {
      this.list.after(make("p", { class: "hint" }, `Support could not be judged: ${error.message}`));
    }
  }

  async measure() {
    const bar = make("progress", { "aria-label": "Measuring" });
    const words = make("span", { class: "hint" }, "Waits for its turn …");
    refill(this.summary, make("p", { class: "row" }, bar, words));
    announce("Measuring what moved the answer.");
    try {
      const { explanation, answer } = await measure(this.answer.record, ({ state, done, total, message }) => {
        if (total) Object.assign(bar, { max: total, value: done });
        if (state === "running") words.textContent = message;
      });
      Object.assign(this, { found: explanation, answer });
      this.changed(answer);
      this.fill();
      refill(this.summary, findings(explanation, this.units()));
      announce(`Measured. ${this.summary.textContent}`);
    } catch (error) {
      showTrouble(this.summary, error, () => this.measure());
    }
  }

  without(passage) {
    const shown = experiment(this.answer, passage, this.numbers, this.source);
    this.experiments.append(shown.element);
    shown.run();
  }

  units() {
    return unitsOf(this.answer, this.support, this.found, this.numbers);
  }

  /** Lists what is cited or mattered; before a measurement also what was retrieved first. The rest can be unfolded. */
  fill() {
    const acts = { open: (passage, opener) => this.source.showPassage(passage, opener), without: (passage) => this.without(passage) };
    const units = this.units();
    const shown = units.filter((unit, index) => (index < FIRST && !this.found) || unit.some((facts) => facts.citation || facts.uncited));
    const rest = units.filter((unit) => !shown.includes(unit));
    refill(this.list, listed(shown, acts), rest.length ? folded(`${count(rest.flat().length, "more passage")} that nothing cites`, listed(rest, acts)) : null);
  }
}

function listed(units, acts) {
  return make("ul", { class: "passages" }, units.map((unit) => (unit[0].grouped ? group(unit, acts) : passageCard(unit[0], acts))));
}

/** Returns passages that carry one effect together: the cited ones, or the first, and the others to unfold. */
function group(unit, acts) {
  const cited = unit.filter((facts) => facts.citation);
  const shown = cited.length ? cited : unit.slice(0, 1);
  const others = unit.filter((facts) => !shown.includes(facts));
  const cards = (some) => make("ul", { class: "passages" }, some.map((facts) => passageCard(facts, acts)));
  return make("li", { class: "group" },
    make("p", { class: "flag" }, `Interchangeable: these ${unit.length} passages carry one effect together`),
    make("dl", { class: "numbers" }, effectRow(unit[0])),
    cards(shown),
    others.length ? folded(`The ${others.length === 1 ? "other" : `other ${others.length}`}: ${others.map((facts) => facts.number).join(", ")}`, cards(others)) : null);
}

function folded(words, content) {
  return make("details", { class: "rest" }, make("summary", {}, words), content);
}
