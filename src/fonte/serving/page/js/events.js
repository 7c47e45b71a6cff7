// Server-sent events: from bytes that may be cut anywhere to the objects they carry.

import { ApiError } from "./api.js";

const CUT = "The connection ended before the answer was complete.";

/** Yields the object of each event of `response`, up to `[DONE]`. A stream that ends without it throws. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await read(reader);
      if (done) throw new ApiError(CUT);
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue; // blank lines, and comments that keep the connection alive
        if (line === "data: [DONE]") return;
        yield JSON.parse(line.slice(6));
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(CUT);
  }
}
