// The live experiment: the same question once more without one passage, laid beside the first answer.

import { announce } from "./announce.js";
import { AnswerText } from "./answer.js";
import { without } from "./chat.js";
import { button, freshId, make } from "./dom.js";
import { Reply } from "./reply.js";
import { nameOf } from "./words.js";

/** Returns `{ element, run }`; `run` asks. `numbers` are those of the first answer, so that chips mean the same on both sides. */
export function experiment(answer, passage, numbers, source) {
  const id = freshId("experiment");
  const number = numbers.get(passage.passage_id);
  const open = (citation, chip) => source.showCitation(citation, chip);
  const before = new AnswerText(open, numbers);
  before.finish(answer);
  const after = new Reply(open, numbers);
  const verdict = make("p", { class: "verdict" });
  const gone = new AbortController();
  const close = button("Close", () => { gone.abort(); element.remove(); }, { class: "quiet small", "aria-label": `Close the experiment without passage ${number}` });
  const element = make("section", { class: "experiment", "aria-labelledby": id },
    make("div", { class: "experiment-head" }, make("h4", { id, tabindex: "-1" }, `Asked again without ${number}, `, make("cite", {}, nameOf(passage))), close),
    make("div", { class: "pair" }, side("With it", before.element), side("Without it", after.element)),
    verdict);
  const run = async () => {
    document.getElementById(id).focus();
    const again = await after.run(without(answer.record, [passage.passage_id]), gone.signal);
    if (!again) return;
    verdict.textContent = judged(answer, again);
    announce(verdict.textContent);
  };
  return { element, run };
}

/** Returns a titled half of a comparison. */
export function side(title, ...content) {
  return make("div", { class: "side" }, make("h5", {}, title), ...content);
}

/** Returns in words whether two answers say the same. */
export function judged(one, other) {
  if (plain(one) === plain(other)) return one.answer ? "The answer is the same, word for word." : "Neither is an answer.";
  if (!other.answer) return "The second has no answer: the remaining sources do not give one.";
  return one.answer ? "The answers differ." : "Only the second is an answer.";
}

function plain(answer) {
  const letters = Array.from(answer.answer);
  for (const { marker_start: start, marker_end: end } of answer.citations) letters.fill("", start, end);
  return letters.join("").replace(/\s+/g, " ").trim();
}
