// One question to the server, and its answer as it comes.

import { ApiError, send } from "./api.js";
import { events } from "./events.js";

/** Returns the request body of a question. `history` holds the messages before it, `wishes` the settings that differ. */
export function question(text, history = [], wishes = {}) {
  return { path: "/v1/chat/completions", body: { model: "fonte", messages: [...history, { role: "user", content: text }], stream: true, x_fonte: wishes } };
}

/** Returns the request for the same question without some passages. */
export function without(record, passageIds) {
  return { path: `/v1/answers/${record}/without`, body: { passage_ids: passageIds, stream: true } };
}

/**
 * Sends a request of this module and tells of each piece: `heard.started(rewriting)`, `.passages(list)`, `.text(words)`,
 * `.thought(words)`, `.marker(marker)`, `.citation(citation)`, `.notice(words)`, each optional. Returns
 * `{ answer, rewriting }`. Where the model gave out, the error carries the `answer` so far.
 */
export async function stream(request, heard, signal) {
  const response = await send(request.path, { method: "POST", body: request.body, signal });
  for await (const chunk of events(response)) {
    if (chunk.error) throw Object.assign(new ApiError(chunk.error.message, 200, chunk.error.code), { answer: chunk.x_fonte?.answer });
    const delta = chunk.choices[0]?.delta ?? {};
    const told = chunk.x_fonte ?? { type: "text" };
    if (told.type === "finished") return told;
    tell(heard, told, delta);
  }
  throw new ApiError("The answer ended without a result.");
}

function tell(heard, told, delta) {
  if (told.type === "started") heard.started?.(told.rewriting);
  else if (told.type === "passages") heard.passages?.(told.passages);
  else if (told.type === "marker") heard.marker?.(told);
  else if (told.type === "citation") heard.citation?.(told.citation);
  else if (told.type === "notice") heard.notice?.(delta.content);
  else if (delta.reasoning_content) heard.thought?.(delta.reasoning_content);
  else if (delta.content) heard.text?.(delta.content);
}
