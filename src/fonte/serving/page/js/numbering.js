// One number for each passage of an answer, the same in its text, its list of sources and its experiments.

import { numberOf } from "./chip.js";

/** Returns a map from passage id to number: that of its marker where it is cited, else the next free one. */
export function numbering(answer) {
  const numbers = new Map();
  for (const citation of answer.citations) {
    if (!numbers.has(citation.passage_id)) numbers.set(citation.passage_id, numberOf(citation.marker));
  }
  const taken = new Set(numbers.values());
  let next = 1;
  for (const { passage_id: id } of answer.passages) {
    if (numbers.has(id)) continue;
    while (taken.has(String(next))) next += 1;
    numbers.set(id, String(next));
    taken.add(String(next));
  }
  return numbers;
}
