// What numbers and states mean, in words that claim no more than was measured.

import { decimal } from "./text.js";

/** From this share of probability per token on, the sources added next to nothing. */
export const KNOWN_SHARE = 0.9;
export const KNEW = "the model knew this without sources";

export const ORIGINS = {
  model: "cited by the model itself",
  quote: "the sentence is the source's own",
  choice: "chosen by the model, and a quote supports it",
  effect: "measured: without it the sentence becomes less likely",
};

export const STATUSES = { verbatim: "verbatim quote", paraphrase: "paraphrase", no_quote: "no quote found" };

export const MODES = { quote: "in the sources' own words", write: "written by the model", auto: "" };

/** Returns an effect in words. Where nothing was found, no number is given that could look like something. */
export function effectWords(effect) {
  if (!effect || effect.status === "not_measured") return "not measured";
  if (effect.status === "no_measurable_effect") return "no measurable effect";
  return `${decimal(effect.value)} ${effect.unit} (${decimal(effect.low)} to ${decimal(effect.high)})`;
}

/** Returns what an effect in nats means for the answer. */
export function factorWords(effect) {
  if (!effect || effect.value === null || effect.unit !== "nats" || effect.status === "no_measurable_effect") return "";
  const factor = Math.exp(Math.abs(effect.value));
  const times = factor > 1000 ? "over 1,000" : factor < 10 ? factor.toFixed(1) : Math.round(factor).toString();
  return `${times} times ${effect.value < 0 ? "more" : "less"} likely without ${effect.group ? "them" : "it"}`;
}

/** Returns where a passage or citation stands, in one line. */
export function placeWords(place) {
  const heading = (place.heading ?? []).filter((part) => part !== place.title);
  return [place.page ? `page ${place.page}` : "", heading.join(" › ")].filter(Boolean).join(" · ");
}

/** Returns the name by which people know a source. */
export function nameOf(place) {
  return place.title || place.document;
}
