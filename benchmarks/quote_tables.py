"""Feature tables for `fit_quote.py`: what the quote mode sees of each candidate, and which candidates are gold."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sample_answers import EXAMPLES, covers, gold_spans

from fonte import Corpus
from fonte.generation.quote_candidates import Candidate, candidates
from fonte.generation.quote_identity import identities
from fonte.generation.quote_judgment import READ_BY_MODEL, cheap_table, gains
from fonte.generation.quote_weights import load_weights
from fonte.models import Embedder, LanguageModel
from fonte.settings import Settings
from fonte.values import Chunk, Passage

PASSAGES = 10


@dataclass(frozen=True)
class Table:
    """The candidates of one question in one variant. `gold[i]` is the gold quote that candidate i holds, else -1."""

    id: str
    family: str
    variant: str
    answerable: bool
    golds: int
    gold: list[int]
    features: list[list[float]]
    named: list[list[str]]
    places: list[list[Any]]

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The features as an array [candidate, feature]."""
        return np.array(self.features, dtype=np.float64).reshape(len(self.gold), -1)


class Asked:
    """The models, which remember what they computed: the variants of a question share most of it."""

    def __init__(self, embedder: Embedder, language_model: LanguageModel) -> None:
        self.embedder = _Remembering(embedder)
        self._language_model = language_model
        self._gains: dict[tuple[str, str], float] = {}

    def gains(self, question: str, found: Sequence[Candidate]) -> NDArray[np.float64]:
        """Return what the language model says: [candidate]."""
        new = [one for one in found if (question, one.in_context) not in self._gains]
        if new:
            values = gains(question, new, self._language_model)
            self._gains |= {(question, one.in_context): value for one, value in zip(new, values, strict=True)}
        return np.array([self._gains[question, one.in_context] for one in found])


class _Remembering:
    """An embedder that embeds a text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.window, self.special_tokens = embedder.window, embedder.special_tokens
        self.count_tokens = embedder.count_tokens
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= zip(new, self._embedder.embed_documents(new), strict=True) if new else {}
        return np.stack([self._known[text] for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._embedder.embed_query(text)


def sample_tables(folder: Path | None, questions: Sequence[Mapping[str, Any]], model: str | None) -> list[Table]:
    """Ask every sample question in every variant of the corpus in `folder` (None: a temporary one)."""
    flags = {"retrieval": {"passages": 6 * PASSAGES, "candidates": 100}, "language_model": {"model": model}}
    tables = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = folder or Path(scratch) / "corpus"
        with Corpus.open(folder, Settings.load(flags=flags), create=True) as corpus:
            corpus.add([EXAMPLES / "documents"])
            texts = {
                entry.document: corpus.records.documents.load(entry.document_id).text for entry in corpus.documents()
            }
            family, asked = _families(questions, texts), Asked(corpus.index.embedder, corpus.language_model)
            for count, question in enumerate(questions):
                everything = corpus.search(question["question"])
                tables += _variants(asked, question, everything, gold_spans(question, texts), family[question["id"]])
                print(f"\rfeatures {count + 1}/{len(questions)}", end="", file=sys.stderr)
            print(file=sys.stderr)
    return tables


def data_tables(data: Path, name: str, limit: int, embedder: Embedder, language_model: LanguageModel) -> list[Table]:
    """Return tables for `limit` questions, evenly spread, of a set of real data: `clapnq` or `hotpotqa`.

    For `clapnq` the ten passages nearest to the question among those of all its questions, for `hotpotqa` the
    question's own ten, and once more without those that hold the evidence. Errors: `FileNotFoundError`.
    """
    rows = _rows(data / ("clapnq/dev_half.jsonl" if name == "clapnq" else "hotpotqa/dev300.jsonl.gz"))
    asked = Asked(embedder, language_model)
    pool = [passage for row in rows for passage, _ in _passages(row)] if name == "clapnq" else []
    vectors = asked.embedder.embed_documents([_as_embedded(passage) for passage in pool]) if pool else None
    tables = []
    chosen = rows[:: max(1, len(rows) // limit)][:limit]
    for count, row in enumerate(chosen):
        own = _passages(row)
        gold = [span for _, spans in own for span in spans]
        found = [passage for passage, _ in own]
        if vectors is not None:
            near = np.argsort(-(vectors @ asked.embedder.embed_query(row["question"])), kind="stable")[:PASSAGES]
            found = [pool[index] for index in near]
        question = {"answerable": bool(gold), **row}
        tables.append(_table(asked, question, gold, (row["id"], "asked"), found))
        if gold:
            without = [passage for passage in found if passage.document not in {name for name, _, _ in gold}]
            tables.append(_table(asked, question, gold, (row["id"], "document"), without))
        print(f"\r{name} {count + 1}/{len(chosen)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return tables


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _passages(row: Mapping[str, Any]) -> list[tuple[Passage, list[tuple[str, int, int]]]]:
    """Return the passages of a row with the spans of their gold sentences; each passage is a document of its own."""
    result = []
    for index, source in enumerate(row["passages"]):
        name, text, gold = f"{row['id']}/{index}", "", []
        for count, sentence in enumerate(source["sentences"]):
            words = sentence.strip()
            marked = sentence in row.get("selected_sentences", ()) or count in (source.get("gold_sents") or ())
            gold += [(name, len(text), len(text) + len(words))] if marked and words else []
            text += words + " "
        chunk = Chunk(name, "", "", 0, 0, len(text), text, title=source["title"])
        result.append((Passage(chunk, name, 0.0), gold))
    return result


def _as_embedded(passage: Passage) -> str:
    return f"{passage.chunk.title}\n{passage.chunk.text[:700]}"


def _variants(
    asked: Asked,
    question: Mapping[str, Any],
    everything: Sequence[Passage],
    gold: Sequence[tuple[str, int, int]],
    family: str,
) -> list[Table]:
    """Return the tables of one question: as asked, without its documents, without its sentences."""
    documents = {name for name, _, _ in gold}
    cut = {"asked": everything[:PASSAGES]}
    if gold:
        cut["document"] = [passage for passage in everything if passage.document not in documents][:PASSAGES]
        cut["sentence"] = [_blanked(passage, gold) for passage in everything[:PASSAGES]]
    return [_table(asked, question, gold, (family, variant), passages) for variant, passages in cut.items()]


def _blanked(passage: Passage, gold: Sequence[tuple[str, int, int]]) -> Passage:
    """Return `passage` with spaces in place of the gold quotes, so that all offsets stay."""
    text, first = passage.chunk.text, passage.chunk.start
    for name, start, end in gold:
        begin, stop = max(0, start - first), min(len(text), end - first)
        if name == passage.document and begin < stop:
            text = text[:begin] + " " * (stop - begin) + text[stop:]
    return replace(passage, chunk=replace(passage.chunk, text=text))


def _table(
    asked: Asked,
    question: Mapping[str, Any],
    gold: Sequence[tuple[str, int, int]],
    kind: tuple[str, str],
    passages: Sequence[Passage],
) -> Table:
    family, variant = kind
    text = question["question"]
    found = candidates(passages)
    named = identities(text, passages, found)
    table = cheap_table(text, passages, found, named, asked.embedder)
    keep = np.argsort(-load_weights(False).choice(table), kind="stable")[:READ_BY_MODEL]
    found, named = [found[row] for row in keep], [named[row] for row in keep]
    if found:
        table = np.column_stack([table[keep], asked.gains(text, found)])
    return Table(
        id=question["id"],
        family=family,
        variant=variant,
        answerable=question["answerable"] and variant == "asked",
        golds=len(gold),
        gold=[_gold_of((passages[one.passage].document, one.start, one.end), gold) for one in found],
        features=[[round(float(value), 5) for value in row] for row in table],
        named=[sorted(identity.named) for identity in named],
        places=[[one.passage, one.start, one.end, one.text] for one in found],
    )


def _gold_of(span: tuple[str, int, int], gold: Sequence[tuple[str, int, int]]) -> int:
    return next((index for index, wanted in enumerate(gold) if covers(wanted, [span])), -1)


def _families(questions: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the family of each question.

    It is the first word that its gold document's name shares with others, else the document's folder. An unanswerable
    question belongs to the family that it names, else to "other".
    """
    stems = {name: Path(name).stem.split("-")[0] for name in texts}
    common = {stem for stem, count in Counter(stems.values()).items() if count > 1}
    families = {}
    for question in questions:
        if question["gold"]:
            name = question["gold"][0]["document"]
            families[question["id"]] = stems[name] if stems[name] in common else str(Path(name).parent)
        else:
            asked = question["question"].casefold()
            families[question["id"]] = next((stem for stem in sorted(common) if stem in asked), "other")
    return families
