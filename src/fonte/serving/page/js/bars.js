// Three kinds of numbers, drawn so differently that nobody takes one for another. The words stand beside them.

import { make } from "./dom.js";

/** Retrieved: a dot on a thin line. `share` is 0 to 1 of the best score. */
export function dot(share) {
  const point = make("span", { class: "dot" });
  point.style.left = percent(share);
  return make("span", { class: "track retrieved", "aria-hidden": "true" }, point);
}

/** Supported: a row of ten cells; from the mark in the middle on, it counts as supported. */
export function cells(value) {
  const row = Array.from({ length: 10 }, (_, index) => make("span", { class: index < Math.round(value * 10) ? "cell full" : "cell" }));
  return make("span", { class: "track supported", "aria-hidden": "true" }, row);
}

/** Effect: a solid bar from zero with its interval as a whisker. `reach` is what all bars of the list have to hold. */
export function whiskered(effect, reach) {
  const at = (value) => (value - reach.low) / (reach.high - reach.low || 1);
  const span = (name, from, to) => {
    const part = make("span", { class: name });
    part.style.left = percent(Math.min(at(from), at(to)));
    part.style.width = percent(Math.abs(at(to) - at(from)));
    return part;
  };
  const zero = make("span", { class: "zero" });
  zero.style.left = percent(at(0));
  const sign = effect.value < 0 ? "bar minus" : "bar";
  return make("span", { class: "track effect", "aria-hidden": "true" }, span(sign, 0, effect.value), span("whisker", effect.low, effect.high), zero);
}

/** Returns the smallest range that holds zero and the intervals of all effects. */
export function reachOf(effects) {
  const measured = effects.filter((effect) => effect.value !== null);
  return { low: Math.min(0, ...measured.map((each) => each.low)), high: Math.max(0, ...measured.map((each) => each.high)) };
}

function percent(share) {
  return `${100 * Math.max(0, Math.min(1, share))}%`;
}
