// A citation as a chip inside the answer: the number of a passage, a button that opens the source.

import { make } from "./dom.js";
import { nameOf, ORIGINS, placeWords } from "./words.js";

/** Returns the chip of a citation. `number` is that of its marker; `open(citation, chip)` shows the source. */
export function chip(citation, number, open) {
  const where = [nameOf(citation), placeWords(citation)].filter(Boolean).join(", ");
  const self = make("button", {
    type: "button",
    class: "chip",
    "data-origin": citation.origin,
    "aria-label": `Source ${number}: ${where}`,
    title: `${where} · ${ORIGINS[citation.origin] ?? citation.origin}`,
    on: { click: () => open(citation, self) },
  }, number);
  return self;
}

/** Returns a chip that leads nowhere yet, for a marker whose citation has not come. */
export function waitingChip(number) {
  return make("span", { class: "chip waiting" }, number);
}

/** Returns the number in a marker such as "[3]". */
export function numberOf(marker) {
  return marker.replace(/^\s*\[|\]\s*$/g, "");
}
