// Measuring effects: begun on request, followed until it is done.

import { ApiError, fetchJson } from "./api.js";

const PAUSE = 500;

/** Begins to measure and calls `progress(told)` until it is done. Returns `{ explanation, answer }`. */
export async function measure(record, progress) {
  const path = `/v1/answers/${record}/effects`;
  let told = await fetchJson(path, { method: "POST", body: { method: "leave_one_out", level: "passage" } });
  while (told.state === "waiting" || told.state === "running") {
    progress(told);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    told = await fetchJson(path);
  }
  if (told.state === "done") return told;
  throw new ApiError(told.message || "The measurement was given up. Begin it again.");
}
