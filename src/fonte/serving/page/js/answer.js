// The text of an answer: piece by piece while it comes, then whole, with each citation tied to its sentence.

import { chip, numberOf, waitingChip } from "./chip.js";
import { make, refill } from "./dom.js";

export class AnswerText {
  /** `open(citation, chip)` shows a source; `numbers` maps passage ids to numbers that go before those of markers. */
  constructor(open, numbers = null) {
    this.open = open;
    this.numbers = numbers;
    this.element = make("div", { class: "answer", "aria-busy": "true" });
    this.waiting = [];
  }

  /** Adds words. */
  text(words) {
    this.element.append(words);
  }

  /** Adds a marker; its citation comes next, or never. */
  marker(marker) {
    const number = this.numbers?.get(marker.passage_id) ?? String(marker.number);
    const place = waitingChip(number);
    this.waiting.push({ place, number, start: marker.start });
    this.element.append(place);
  }

  /** Makes the chips of the markers that a citation belongs to into buttons. */
  citation(citation) {
    const found = this.waiting.find(({ start }) => start === citation.marker_start);
    if (found) found.place.replaceWith(chip(citation, found.number, this.open));
  }

  /** Shows words that are no part of an answer: that there is none, and why. */
  notice(words) {
    this.element.append(make("p", { class: "notice" }, words));
  }

  /** Ends with the whole answer, which says where each sentence and marker stands. */
  finish(answer) {
    this.element.setAttribute("aria-busy", "false");
    if (answer?.answer) refill(this.element, pieces(answer, this.open, this.numbers));
  }
}

/** Returns the answer's text as nodes: chips for its markers, the rest in stretches that know their citations. */
function pieces(answer, open, numbers) {
  const letters = Array.from(answer.answer);
  const cuts = new Set([0, letters.length]);
  for (const each of answer.citations) [each.answer_start, each.answer_end, each.marker_start, each.marker_end].forEach((cut) => cuts.add(cut));
  const edges = [...cuts].sort((one, other) => one - other);
  const stretches = [];
  const nodes = edges.slice(0, -1).map((start, index) => {
    const end = edges[index + 1];
    const marked = answer.citations.find((each) => each.marker_start <= start && end <= each.marker_end && each.marker_start < each.marker_end);
    if (marked) {
      const number = numbers?.get(marked.passage_id) ?? numberOf(marked.marker);
      return start === marked.marker_start ? tied(chip(marked, number, open), marked, stretches) : null;
    }
    const node = make("span", {}, letters.slice(start, end).join(""));
    stretches.push({ node, of: answer.citations.filter((each) => each.answer_start <= start && end <= each.answer_end) });
    return node;
  });
  return nodes;
}

/** Lights up the sentence of a citation while its chip is pointed at or has the focus. */
function tied(self, citation, stretches) {
  const light = (on) => () => {
    for (const { node, of } of stretches) if (of.includes(citation)) node.classList.toggle("lit", on);
  };
  for (const event of ["pointerenter", "focus"]) self.addEventListener(event, light(true));
  for (const event of ["pointerleave", "blur"]) self.addEventListener(event, light(false));
  self.dataset.key = `chip-${citation.marker_start}`;
  return self;
}
