// The page begins: which view is shown, and whether the server is there, ready, and open to us.

import { showTrouble } from "./announce.js";
import { fetchJson } from "./api.js";
import { Ask } from "./ask.js";
import { Compare } from "./compare.js";
import { Documents } from "./documents.js";
import { make, refill } from "./dom.js";
import { key, offerKey } from "./key.js";
import { Source } from "./source.js";

const VIEWS = ["ask", "compare", "documents"];
const section = (name) => document.getElementById(name);
const main = section("main");
const trouble = section("trouble");

const source = new Source(section("source"), [main, document.querySelector("header")]);
const ask = new Ask(section("ask"), source);
const documents = new Documents(section("documents"), source, (total) => ask.greet(total));
new Compare(section("compare"), source);

function showView() {
  const wanted = location.hash.slice(1);
  if (wanted && !VIEWS.includes(wanted)) return; // a jump inside the page
  const shown = wanted || VIEWS[0];
  for (const name of VIEWS) section(name).hidden = name !== shown;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  source.close();
  document.title = shown === "ask" ? "fonte" : `${shown[0].toUpperCase()}${shown.slice(1)} · fonte`;
}

/** Loads what the page shows at first. */
async function begin() {
  try {
    const before = key();
    await fetchJson("/v1/models");
    if (key() || before) offerKey(begin);
    refill(trouble);
  } catch (error) {
    if (error.status === 401) offerKey(begin);
    showTrouble(trouble, error, begin);
    return;
  }
  await Promise.all([documents.load(), documents.uploads.resume().catch(() => {}), waitUntilReady()]);
}

/** Says that models still load, until they have. */
async function waitUntilReady() {
  const told = await fetch("/ready").then((response) => response.json()).catch(() => null);
  if (!told || told.status === "ready") { refill(trouble); return; }
  refill(trouble, make("p", { class: "trouble" }, `Questions cannot be answered yet. ${told.reason}`));
  setTimeout(waitUntilReady, 2000);
}

/** Opens what the address names: an answer, or a source, as links in answers of the API do. */
async function openLinked() {
  const wanted = new URLSearchParams(location.search);
  const at = (name) => Math.max(0, Number.parseInt(wanted.get(name) ?? "0", 10) || 0);
  if (wanted.get("answer")) {
    await ask.recall(encodeURIComponent(wanted.get("answer"))).catch((error) => { ask.clear(); showTrouble(trouble, error); });
  }
  if (wanted.get("document")) source.showDocument(encodeURIComponent(wanted.get("document")), null, at("start"), at("end"));
}

addEventListener("hashchange", showView);
showView();
await begin();
await openLinked();
