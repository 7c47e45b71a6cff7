// A passage of an answer with its three numbers: retrieved, supported, effect.

import { cells, dot, whiskered } from "./bars.js";
import { button, make } from "./dom.js";
import { short, slice } from "./text.js";
import { effectWords, factorWords, nameOf, placeWords } from "./words.js";

const BEFORE = 40;

/**
 * Returns the card of a passage. `facts`: `passage`, `number`, `rank`, `total`, `best` (the highest retrieval score), `citation`
 * (the first of it), `support`, `effect` (each may be missing), `reach`, `flag` (what must not be overlooked, ""), `grouped`,
 * `answered` (whether there is an answer that anything could be measured of).
 * `acts`: `open(passage, opener)` and `without(passage)`.
 */
export function passageCard(facts, acts) {
  const { passage, number, citation, flag } = facts;
  const title = button(nameOf(passage), () => acts.open(passage, title), { class: "title", "data-key": `open-${passage.passage_id}` });
  const badge = make("span", { class: citation ? "chip" : "chip hollow" }, number, make("span", { class: "unseen" }, citation ? ", cited" : ", not cited"));
  return make("li", { class: "passage", "data-passage": passage.passage_id },
    make("div", { class: "head" }, badge, make("h4", {}, title), make("span", { class: "place" }, placeWords({ ...passage, page: citation?.page }))),
    flag ? make("p", { class: "flag" }, flag) : null,
    make("p", { class: "excerpt" }, ...excerpt(passage, citation)),
    make("dl", { class: "numbers" }, retrieved(facts), supported(facts), facts.grouped || !facts.answered ? null : effect(facts)),
    facts.answered && button("Ask again without it", () => acts.without(passage), {
      class: "quiet small without", "data-key": `without-${passage.passage_id}`, "aria-label": `Ask again without passage ${number}`,
    }));
}

/** Returns the row of an effect, for a passage or for a group that carries it together. */
export function effect({ effect: found, reach }) {
  const drawn = found && found.value !== null && found.status !== "no_measurable_effect";
  const words = [make("span", { class: "value" }, effectWords(found))];
  if (drawn) words.push(make("span", { class: "hint" }, factorWords(found)));
  return row("Effect", "on the answer", drawn ? whiskered(found, reach) : make("span", { class: "track none", "aria-hidden": "true" }), words, "effect-row");
}

function retrieved({ passage, rank, total, best }) {
  const reranked = passage.rerank_score === null ? "" : `, re-ranked ${short(passage.rerank_score)}`;
  const score = `score ${short(passage.retrieval_score)}${reranked}`;
  const words = [make("span", { class: "value" }, `${rank} of ${total}`), make("span", { class: "hint" }, score)];
  return row("Retrieved", "fits the question", dot(best > 0 ? passage.retrieval_score / best : 0), words, "retrieved-row");
}

function supported({ support }) {
  if (!support) return null;
  const scored = support.status === "scored";
  const words = [
    make("span", { class: "value" }, scored ? `${support.value > 0.5 ? "yes" : "no"}, ${short(support.value)}` : support.status.replaceAll("_", " ")),
    make("span", { class: "hint" }, `by ${support.scorer}`),
  ];
  return row("Supported", "says the same", scored ? cells(support.value) : make("span", { class: "track none" }), words, "supported-row");
}

function row(name, meaning, track, words, kind) {
  return make("div", { class: kind }, make("dt", {}, name, make("span", { class: "meaning" }, meaning)), make("dd", {}, track, make("span", { class: "words" }, words)));
}

/** Returns the beginning of a passage, or the words that are cited with a little of what stands before them. */
function excerpt({ text, start }, citation) {
  const quoted = citation && citation.source_end > citation.source_start;
  const [from, to] = quoted ? [citation.source_start - start, citation.source_end - start] : [0, 0];
  const line = (first, last) => slice(text, Math.max(0, first), last).replace(/\s+/g, " ");
  if (!quoted) return [line(0, 500)];
  const before = line(from - BEFORE, from);
  return [from > BEFORE ? before.replace(/^\S*/, "…") : before, make("mark", {}, line(from, to)), line(to, to + 300)];
}
