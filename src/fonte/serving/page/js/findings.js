// What a measurement found, and what the numbers mean, in sentences.

import { make } from "./dom.js";
import { UNCITED } from "./facts.js";
import { count, decimal } from "./text.js";
import { KNEW, KNOWN_SHARE } from "./words.js";

/** Returns what was found as paragraphs, the most important first. `units` are those of `unitsOf`. */
export function findings(found, units) {
  const share = found.memory_share;
  const moved = found.effects.some((each) => each.status === "measured" || each.status === "interchangeable");
  const uncited = units.flat().filter((facts) => facts.flag === UNCITED).map((facts) => facts.number);
  return [
    share !== null && share > KNOWN_SHARE ? make("p", { class: "finding" }, `${KNEW[0].toUpperCase()}${KNEW.slice(1)}.`) : null,
    moved ? null : make("p", { class: "finding" }, "No passage has a measurable effect on this answer."),
    share === null ? null : make("p", {}, `Without any passage the model still has ${percent(share)} of the answer's probability per token.`),
    uncited.length ? make("p", {}, `${UNCITED}: ${count(uncited.length, "passage")} (${uncited.join(", ")}).`) : null,
    make("p", { class: "hint" }, `${count(found.ablations, "ablation")} in ${decimal(found.seconds)} s, leave-one-out. Whiskers are 95 % intervals.`),
  ];
}

/** Returns what keeps the three numbers apart. */
export function meanings() {
  return make("details", { class: "meanings" }, make("summary", {}, "Three numbers, three meanings"),
    make("dl", {},
      make("dt", {}, "Retrieved"),
      make("dd", {}, "How well the passage fits the question. Says nothing about the answer; compare within this question only."),
      make("dt", {}, "Supported"),
      make("dd", {}, "Whether the passage says what the answer says, judged by the scorer that is named. Above 0.5 counts as supported."),
      make("dt", {}, "Effect"),
      make("dd", {}, "How much less likely the answer becomes when the passage is taken away, in nats, with a 95 % interval. ",
        "The only one of the three that says what the answer depends on.")));
}

function percent(share) {
  return share < 0.01 ? "less than 1 %" : `${Math.round(100 * share)} %`;
}
