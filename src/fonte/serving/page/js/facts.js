// What is known of each passage of an answer, and which passages belong together.

import { reachOf } from "./bars.js";
import { numbering } from "./numbering.js";

export const UNCITED = "Not cited, yet it mattered";

/**
 * Returns the passages of `answer` in units, those that moved it most first: each a list of facts as `passageCard` takes
 * them, one for a single passage, several for passages that carry one effect together. `support` maps passage ids to
 * judgments; `found` is the explanation, null where nothing was measured.
 */
export function unitsOf(answer, support, found, numbers = numbering(answer)) {
  const effects = new Map((found?.effects ?? []).map((each) => [each.passage_id, each]));
  const shared = {
    answered: answer.answer !== "",
    reach: reachOf([...effects.values()]),
    best: Math.max(0, ...answer.passages.map((each) => each.retrieval_score)),
    total: answer.passages.length,
  };
  const citations = new Map([...answer.citations].reverse().map((each) => [each.passage_id, each]));
  const units = new Map();
  answer.passages.forEach((passage, index) => {
    const id = passage.passage_id;
    const effect = effects.get(id);
    const grouped = effect?.status === "interchangeable";
    const facts = { ...shared, passage, effect, grouped, number: numbers.get(id), rank: index + 1, citation: citations.get(id) };
    Object.assign(facts, { support: support.get(id), uncited: found?.uncited?.includes(id) ?? false });
    const name = grouped ? `group ${effect.group}` : id;
    units.set(name, [...(units.get(name) ?? []), facts]);
  });
  const listed = [...units.values()];
  for (const unit of listed) for (const facts of unit) facts.flag = flagOf(facts, unit);
  return listed.sort((one, other) => weight(other) - weight(one));
}

function flagOf(facts, unit) {
  if (!facts.uncited) return "";
  const cited = unit.find((each) => each.citation);
  return cited ? `Not cited, interchangeable with ${cited.number}` : UNCITED;
}

/** The effect, where there is one; without, a cited passage goes before the others, and else retrieval's order stays. */
function weight(unit) {
  const { effect } = unit[0];
  if (effect && effect.status !== "no_measurable_effect" && effect.value !== null) return effect.value;
  return unit.some((facts) => facts.citation) ? 1e-9 : 0;
}
