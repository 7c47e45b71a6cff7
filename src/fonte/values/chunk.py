"""A piece of a document as the index holds it, and the short signature that says what it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from fonte.values.document import content_id


@dataclass(frozen=True, slots=True)
class Signature:
    """What a chunk is about, as ordered `(field, value)` pairs, for example category, nouns and model (CHOP).

    A value is one line; a field that is not known is left out, so an empty signature is `Signature()`. `status` says
    how it came about (`""` for none, else a word such as `extracted`, `inherited`, `failed`).
    """

    fields: tuple[tuple[str, str], ...] = ()
    status: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is known."""
        return bool(self.fields)

    def get(self, name: str) -> str | None:
        """Return the value of field `name`, or None where it is not known."""
        return dict(self.fields).get(name)


@dataclass(frozen=True)
class Chunk:
    """`document.text[start:end] == text`, in code points; built by slicing, so it holds by construction.

    `title` (of the document), `heading` (path above the chunk's start), `header` (header row of the table it is in)
    and `signature` are never part of `text`: they go before it where it is embedded, indexed or prompted.
    `pipeline` is the fingerprint of the chunker and its settings; `ordinal` counts from 0 within the document.
    """

    document_id: str
    document_version: str
    pipeline: str
    ordinal: int
    start: int
    end: int
    text: str
    title: str = ""
    heading: tuple[str, ...] = ()
    header: str = ""
    signature: Signature = field(default_factory=Signature)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits from document, chunker and span: the same in every run and order."""
        return content_id(self.document_id, self.pipeline, str(self.start), str(self.end), self.text)
