// One document of the list: what it is, its chunks with their signatures, and what can be done with it.

import { announce, showTrouble } from "./announce.js";
import { fetchJson } from "./api.js";
import { button, freshId, make, refill } from "./dom.js";
import { count } from "./text.js";
import { nameOf, placeWords } from "./words.js";

const SHOWN = 40;

/** Returns the list item of a document. `house`: `source`, `uploads`, and `changed()` after it was deleted. */
export function documentEntry(document, house) {
  const id = document.document_id;
  const title = button(nameOf(document), () => house.source.showDocument(id, title), { class: "title", "data-key": `document-${id}` });
  const inside = make("div", { class: "inside" });
  const details = make("details", { on: { toggle: () => { if (details.open && !inside.hasChildNodes()) fill(inside, document, house); } } },
    make("summary", {}, make("span", { class: "unseen" }, `${nameOf(document)}: `), "Chunks and changes"), inside);
  return make("li", { "data-document": id },
    make("div", { class: "line" }, make("h2", {}, title), make("span", { class: "format" }, document.format),
      document.groups.map((group) => make("span", { class: "badge" }, group))),
    make("p", { class: "hint" }, `${document.document} · ${count(document.chunks, "chunk")} · ${count(document.characters, "character")}`),
    pairs(document.metadata), details);
}

async function fill(inside, document, house) {
  try {
    const detail = await fetchJson(`/v1/documents/${document.document_id}`);
    refill(inside, chunks(detail, house), changes(detail, house, inside));
  } catch (error) {
    showTrouble(inside, error, () => fill(inside, document, house));
  }
}

function chunks(detail, house) {
  const list = make("ol", { class: "chunks" });
  const add = (from) => {
    for (const chunk of detail.chunk_list.slice(from, from + SHOWN)) list.append(chunkLine(detail, chunk, house));
    const rest = detail.chunk_list.length - from - SHOWN;
    if (rest > 0) {
      const more = make("li", {}, button(`Show ${count(rest, "more chunk")}`, () => { more.remove(); add(from + SHOWN); }, { class: "quiet small" }));
      list.append(more);
    }
  };
  add(0);
  return list;
}

function chunkLine(detail, chunk, house) {
  const words = placeWords({ ...chunk, title: detail.title }) || (chunk.line ? `line ${chunk.line}` : chunk.sheet);
  const opener = button(`Chunk ${chunk.ordinal + 1}`, () => house.source.showDocument(detail.document_id, opener, chunk.start, chunk.end), { class: "title" });
  const signature = Object.keys(chunk.signature).length ? pairs(chunk.signature, "signature") : make("span", { class: "hint" }, "no signature");
  return make("li", {}, opener, make("span", { class: "hint" }, words), signature);
}

function changes(detail, house, inside) {
  const replace = () => {
    if (file.files[0]) house.uploads.send(file.files[0], detail.document_id);
    file.value = "";
  };
  const file = make("input", { type: "file", class: "unseen", id: freshId("replace"), on: { change: replace } });
  return make("div", { class: "row" },
    detail.replaceable ? [file, make("label", { class: "button quiet", for: file.id }, "Replace with another file")] : null,
    button("Delete", () => confirmDelete(detail, house, inside), { class: "quiet danger" }));
}

function confirmDelete(detail, house, inside) {
  const id = freshId("delete");
  const purge = make("input", { type: "checkbox", id: `${id}-purge` });
  const trouble = make("div", { role: "alert" });
  const remove = async () => {
    try {
      await fetchJson(`/v1/documents/${detail.document_id}?purge=${purge.checked}`, { method: "DELETE" });
      dialog.close();
      announce(`${nameOf(detail)} was deleted.`);
      house.changed();
    } catch (error) {
      showTrouble(trouble, error);
    }
  };
  const dialog = make("dialog", { "aria-labelledby": id, on: { close: () => dialog.remove() } },
    make("h2", { id }, `Delete “${nameOf(detail)}”?`), make("p", {}, "It will not be found any more, and no answer will cite it."),
    make("p", {}, purge, make("label", { for: purge.id }, " Also erase it from recorded answers and from the disk")), trouble,
    make("p", { class: "row" }, button("Delete", remove, { class: "main danger" }), button("Cancel", () => dialog.close(), { class: "quiet", autofocus: true })));
  inside.append(dialog);
  dialog.showModal();
}

function pairs(values, name = "metadata") {
  const entries = Object.entries(values);
  if (!entries.length) return null;
  return make("dl", { class: `pairs ${name}` }, entries.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, String(value)))));
}
