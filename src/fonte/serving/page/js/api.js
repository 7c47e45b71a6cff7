// Requests to this server. A failure is an error whose message can be shown as it is.

import { askForKey, key } from "./key.js";

export class ApiError extends Error {
  /** `status` is 0 where there was no response at all. */
  constructor(message, status = 0, code = "") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Sends a request and returns its response when it succeeded. `body` is sent as JSON, unless it is form data. */
export async function send(path, { method = "GET", body = null, signal = null } = {}) {
  const response = await attempt(path, method, body, signal);
  if (response.ok) return response;
  const error = await failure(response);
  const reason = key() ? "The server does not accept this key." : "This server answers with an API key only.";
  if (response.status === 401 && await askForKey(reason)) return send(path, { method, body, signal });
  throw error;
}

/** Sends a request and returns the object that came back, null where nothing did. */
export async function fetchJson(path, options = {}) {
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

async function attempt(path, method, body, signal) {
  const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
  const isForm = body instanceof FormData;
  if (body && !isForm) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, { method, headers, body: body && !isForm ? JSON.stringify(body) : body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is fonte serve still running?");
  }
}

async function failure(response) {
  const told = await response.json().catch(() => null);
  const message = told?.error?.message ?? `The server answered with status ${response.status}.`;
  const wait = response.headers.get("Retry-After");
  const later = response.status === 429 && wait ? ` Try again in ${wait} seconds.` : "";
  return new ApiError(message + later, response.status, told?.error?.code ?? "");
}
