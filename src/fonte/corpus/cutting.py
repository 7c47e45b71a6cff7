"""The chunker that a corpus's settings name, with what it needs of the corpus and of the language model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fonte.chunking import Chunker, chunker_from
from fonte.models import load_language_model
from fonte.records import Records
from fonte.settings import Settings
from fonte.values import Document

if TYPE_CHECKING:
    from fonte.chunking.chop import BudgetedModel, ChopChunker
    from fonte.models import Embedder

FIELDS = "chop fields"  # the fact that keeps which fields tell the documents of this corpus apart
AT_ONCE = 8  # questions that run at the same time where a server answers


def chunker_of(settings: Settings, embedder: Embedder, records: Records) -> Chunker:
    """Return the chunker of `settings`; the language model is loaded when it is first asked."""
    if settings.chunking.chunker != "chop":
        return chunker_from(settings.chunking, embedder)
    return signing_chunker_of(settings, embedder, records)


def signing_chunker_of(settings: Settings, embedder: Embedder, records: Records) -> ChopChunker:
    """Return the chunker that signs, with the fields that were chosen at the last `reindex`."""
    from fonte.chunking.chop import BudgetedModel, signing_chunker

    known = records.facts.get(FIELDS)
    fields = [str(name) for name in known] if isinstance(known, list) else None
    at_once = AT_ONCE if settings.language_model.endpoint else 1

    def load() -> BudgetedModel:
        return BudgetedModel(load_language_model(settings), settings.chop.max_model_calls, at_once)

    return signing_chunker(settings.chunking, settings.chop, embedder, fields, load, records.outputs)


def choose_fields(settings: Settings, embedder: Embedder, records: Records, documents: Iterable[Document]) -> None:
    """Decide which fields of a signature discriminate among `documents`, all of the corpus, and keep that.

    A field that says the same of nearly all documents moves every vector alike and is left out. Chosen at `reindex`,
    where all documents are cut anew: until the next one, no `add` changes the text of older chunks.
    """
    if settings.chunking.chunker != "chop":
        return
    from fonte.chunking.chop import discriminating

    chunker = signing_chunker_of(settings, embedder, records)
    identities = [chunker.identity(document) for document in documents]
    kept = discriminating(identities)
    # What no free source can say of a document (nouns, an article) has not been compared, and stays.
    alike = {name for identity in identities for name, _ in identity.fields if name not in kept}
    records.facts.set(FIELDS, [name for name in chunker.schema_fields if name not in alike])
