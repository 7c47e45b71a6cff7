"""What a document is called, from what is free: title page, file name, running header, and words further down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from fonte.chunking.chop.covers import opening
from fonte.chunking.chop.generic_words import GENERIC
from fonte.chunking.chop.names import name_in, shared_run
from fonte.chunking.chop.words import words

BACK_FILL = 5  # units further down in which a name is looked for where the first ones have none
_KIND = re.compile(r"[:—–|(\n]\s*([^\W\d_][^:—–|()\n]{2,60})")
_NAMED = re.compile(
    r"\b(?:model|modell|modello|modèle|modelo|series?|serie)\b[\s:.]+(?:no\.?|nr\.?|n°|number|name)?\s*", re.I
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Fields of a document as `(name, value)`, and where each came from.

    Sources are `title`, `file name`, `running header`, `text` (named further down, filled back) or `model` (a language
    model). Fields that nothing names are absent.
    """

    fields: tuple[tuple[str, str], ...] = ()
    sources: tuple[tuple[str, str], ...] = field(default=())

    def get(self, name: str) -> str:
        """Return the value of a field, "" where it is not known."""
        return dict(self.fields).get(name, "")


def identify(title: str, file_name: str, headers: Sequence[str], units: Sequence[str]) -> Identity:
    """Return model and category of a document, each only where one of the free sources says it.

    `title` is the document's own, `file_name` the name of its file ("" in a stream), `headers` its running headers,
    `units` its text in order. Where title page and file name share a name, that is it: the maker, who is on one of
    them only, is left out. Names are words of these sources, never invented. All may be empty.
    """
    cover = units[0] if units and opening(units[0]).name else ""
    found = [
        ("title", name_in(title) or name_in(cover)),
        ("file name", name_in(PurePosixPath(file_name).stem)),
        ("running header", next((name for header in headers if (name := name_in(header))), "")),
    ]
    named = [(source, name) for source, name in found if name] or _further_down(units)
    fields, sources = [], []
    if kind := _kind(title or cover):
        fields.append(("category", kind))
        sources.append(("category", "title"))
    if named:
        source, name = named[0]
        agreed = [shared for _, other in named[1:] if (shared := shared_run(name, other)) and _tells(shared)]
        fields.append(("model", agreed[0] if agreed else name))
        sources.append(("model", source))
    return Identity(tuple(fields), tuple(sources))


def discriminating(identities: Sequence[Identity], share: float = 0.9) -> tuple[str, ...]:
    """Return the fields that tell documents apart, in order of first appearance.

    A field with one and the same value in more than `share` of at least three documents says nothing: every vector
    would move alike. Fewer documents keep all fields.
    """
    names = list(dict.fromkeys(name for identity in identities for name, _ in identity.fields))
    if len(identities) < 3:
        return tuple(names)
    return tuple(name for name in names if _most(identities, name) <= share * len(identities))


def _most(identities: Sequence[Identity], name: str) -> int:
    values = [identity.get(name).casefold() for identity in identities if identity.get(name)]
    return max((values.count(value) for value in set(values)), default=0)


def _further_down(units: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name after "Model:" or the like in the first units, else nothing."""
    for unit in units[:BACK_FILL]:
        for match in _NAMED.finditer(unit[:4000]):
            line = unit[match.end() : match.end() + 60].split("\n")[0]
            token = line.split(",")[0].split(";")[0].strip(" .:")
            if any(map(str.isdigit, token)) and (name := name_in(" ".join(token.split()[:4]))):
                return [("text", name)]
    return []


def _kind(title: str) -> str:
    """Return what a title says the thing is, `room air heat pump` in `Ventalba 250: room air heat pump`, or ""."""
    for match in _KIND.finditer(title[:400]):
        said = " ".join(match[1].split())
        bare = [word for word in words(said) if word not in GENERIC]
        if bare and said[:1].islower() and len(said.split()) <= 6:
            return said
    return ""


def _tells(name: str) -> bool:
    return len(name.split()) > 1 or any(map(str.isdigit, name))
