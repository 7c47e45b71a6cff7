"""The chunker that signs: documents are cut along their headings, and each chunk says what it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fonte.chunking.budget import Embedder
from fonte.chunking.chop.boundaries import Ask
from fonte.chunking.chop.budgeted import BudgetedModel
from fonte.chunking.chop.continuity import continuity_of
from fonte.chunking.chop.faithful import faithful_chop
from fonte.chunking.chop.identity import Identity, identify
from fonte.chunking.chop.schema import API, LEGAL, PRODUCT, SignatureSchema
from fonte.chunking.chop.segments import SignedText, document_signatures
from fonte.chunking.chop.separation import separated, unit_texts
from fonte.chunking.chop.topics import topic_nouns, topics
from fonte.chunking.chunker import SpanChunker, chunker_from
from fonte.chunking.text import signature_line
from fonte.settings import ChopSettings, ChunkingSettings
from fonte.values import Chunk, Document, Signature, content_id

if TYPE_CHECKING:
    from fonte.records.outputs import OutputCache

FIRST_UNITS = 8
VERSION = 2  # changes when the same settings would give other signatures
SCHEMAS = {"product": PRODUCT, "legal": LEGAL, "api": API}
NAMING = {"product": "model", "legal": "parties", "api": "service"}  # the field that holds what the document is called


class ChopChunker:
    """Cuts as `heading` does, with room kept for a signature, and signs what it cut.

    Recipe `cascade`: signatures come from title page, file name and running header; a language model is asked only
    about what those leave open, at most `chop.max_model_calls` times in the life of this object, and a file that is
    several documents is taken apart. What a model says of a topic (nouns) ends where the topic does; what it says of
    the document does not. Recipe `faithful`: CHOP as published, a decision per gap and an extraction per
    segment, as long as the calls last. `status` of a signature says how it came about: `extracted`, `inherited`,
    `undecided` (a model should have been asked whether a new document begins), `unnamed` (nothing names the document),
    `budget` (the calls were used up), `failed`.
    """

    def __init__(
        self,
        inner: SpanChunker,
        settings: ChopSettings,
        embedder: Embedder,
        fields: Collection[str] | None = None,
        model: Callable[[], BudgetedModel] | None = None,
        cache: OutputCache | None = None,
    ) -> None:
        """`fields` are those that discriminate in this corpus (None: not known yet, all); `model` is loaded lazily."""
        self._inner = inner
        self._settings = settings
        self._continuity = continuity_of(settings)
        self._embedder = embedder
        self._schema: SignatureSchema = SCHEMAS[settings.schema_name]
        wanted = [field.name for field in self._schema.fields if fields is None or field.name in fields]
        self._fields = tuple(name for name in wanted if name not in settings.leave_out)
        self._load = model if settings.max_model_calls else None
        self._model: BudgetedModel | None = None
        self._cache = cache
        model_part = str(bool(settings.max_model_calls))
        chosen = settings.model_dump_json(exclude={"max_model_calls"})
        self.fingerprint = content_id(
            "chop", str(VERSION), inner.fingerprint, chosen, ",".join(self._fields), model_part
        )

    @property
    def schema_fields(self) -> tuple[str, ...]:
        """The names of all fields that a signature may have, in order."""
        return tuple(field.name for field in self._schema.fields)

    @property
    def model_calls(self) -> int:
        """Calls to a language model so far."""
        return self._model.calls if self._model else 0

    @property
    def model_tokens(self) -> int:
        """Tokens of the prompts and answers of those calls."""
        return self._model.tokens if self._model else 0

    def separate(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Return the documents that are in a file; rows of a table or lines of a JSONL file are documents already."""
        if len(documents) != 1 or not self._settings.streams or self._settings.recipe == "faithful":
            return tuple(documents)
        return separated(documents[0], self.signed(documents[0]))

    def signed(self, document: Document) -> SignedText:
        """Return gaps and segments of a whole file, by its blocks."""
        ask = self._asker if self._load else None
        return document_signatures([(document, unit_texts(document))], self._continuity, ask)[0]

    def chunk(self, documents: Sequence[Document]) -> list[Chunk]:
        """Return the signed chunks of all documents, document by document; see `SpanChunker.chunk` for the rest."""
        chunks: dict[str, list[Chunk]] = {document.id: [] for document in documents}
        for chunk in self._inner.chunk(documents):
            chunks[chunk.document_id].append(chunk)
        sign = self._faithful if self._settings.recipe == "faithful" else self._cascade
        return [self._own(chunk) for document in documents for chunk in sign(document, chunks[document.id])]

    def identity(self, document: Document) -> Identity:
        """Return what the free sources say of a document that is one."""
        found = identify(document.title, document.name, document.identity, unit_texts(document)[:FIRST_UNITS])
        naming = NAMING[self._settings.schema_name]
        return Identity(
            tuple((naming if name == "model" else name, value) for name, value in found.fields),
            tuple((naming if name == "model" else name, source) for name, source in found.sources),
        )

    def _cascade(self, document: Document, chunks: Sequence[Chunk]) -> list[Chunk]:
        kept = dict(self.identity(document).fields)
        named = kept.get(NAMING[self._settings.schema_name])
        said = self._said_by_model(document, chunks) if chunks and not named else ()
        numbers = topics(chunks)
        nouns = topic_nouns(chunks, numbers) if self._settings.nouns else [""] * len(chunks)
        signed = []
        for at, chunk in enumerate(chunks):
            found = {"nouns": nouns[at]} | self._of_topic(said or (), numbers, at) | kept
            values = tuple((name, found[name]) for name in self._fields if found.get(name))
            status = "budget" if said is None else "extracted" if values or named else "unnamed"
            signed.append(replace(chunk, signature=Signature(values, status if at == 0 else _following(status))))
        return signed

    def _of_topic(self, said: Sequence[tuple[str, str, int]], numbers: Sequence[int], at: int) -> dict[str, str]:
        """Return what a model said that holds for chunk `at`: of the topic's own fields, those read in that topic."""
        topical = {field.name for field in self._schema.fields if field.topical}
        found: dict[str, str] = {}
        for name, value, read in said:
            if name not in topical or numbers[read] == numbers[at]:
                found.setdefault(name, value)
        return found

    def _said_by_model(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[tuple[str, str, int]] | None:
        """Ask a model for what no free source says, from the first chunks on; None where the calls are used up."""
        model = self._budgeted()
        if model is None:
            return ()
        texts, naming = [chunk.text for chunk in chunks], NAMING[self._settings.schema_name]
        return model.said_of(texts, _grounds(document), self._schema, naming, self._cache, document.id)

    def _faithful(self, document: Document, chunks: Sequence[Chunk]) -> list[Chunk]:
        model = self._budgeted()
        if model is None or not model.affords(len(chunks)):
            return [replace(chunk, signature=Signature(status="budget")) for chunk in chunks]
        texts = [chunk.text for chunk in chunks]
        signed = faithful_chop(
            texts,
            model.model,
            schema=self._schema,
            grounds=_grounds(document),
            at_once=model.at_once,
            cache=self._cache,
            documents=[document.id],
        )
        model.spend(sum(own.calls for own in signed), sum(own.tokens for own in signed))
        return [replace(chunk, signature=own.signature) for chunk, own in zip(chunks, signed, strict=True)]

    def _asker(self, texts: Sequence[str]) -> Ask:
        def ask(gap: int) -> float | None:
            model = self._budgeted()
            return model.new_document(texts[gap - 1], texts[gap], self._cache) if model else None

        return ask

    def _budgeted(self) -> BudgetedModel | None:
        if self._model is None and self._load is not None:
            self._model = self._load()
        return self._model

    def _own(self, chunk: Chunk) -> Chunk:
        """Return the chunk with its signature in at most the room that was kept, and this chunker's fingerprint."""
        return replace(within(chunk, self._embedder, self._settings.reserve), pipeline=self.fingerprint)


def within(chunk: Chunk, embedder: Embedder, reserve: int) -> Chunk:
    """Return the chunk with a signature whose line has at most `reserve` tokens: longest values go first."""
    while chunk.signature and embedder.count_tokens([signature_line(chunk)])[0] > reserve:
        chunk = replace(chunk, signature=_shorter(chunk.signature))
    return chunk


def signing_chunker(
    chunking: ChunkingSettings,
    settings: ChopSettings,
    embedder: Embedder,
    fields: Collection[str] | None = None,
    model: Callable[[], BudgetedModel] | None = None,
    cache: OutputCache | None = None,
) -> ChopChunker:
    """Return the chunker `chop` of the settings. Errors: `ChunkingError` where its room does not fit the window."""
    inner = chunker_from(chunking.model_copy(update={"chunker": "heading"}), embedder, settings.reserve)
    return ChopChunker(inner, settings, embedder, fields, model, cache)


def _grounds(document: Document) -> tuple[str, ...]:
    return (document.title, document.name, *document.identity)


def _following(status: str) -> str:
    return "inherited" if status == "extracted" else status


def _shorter(signature: Signature) -> Signature:
    """Return the signature without its longest value, or with the only one cut by half."""
    if len(signature.fields) > 1:
        longest = max(signature.fields, key=lambda field: len(field[1]))
        return replace(signature, fields=tuple(field for field in signature.fields if field != longest))
    name, value = signature.fields[0]
    half = value[: len(value) // 2].strip()
    return replace(signature, fields=((name, half),) if half else ())
