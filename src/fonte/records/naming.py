"""Which document a person means by a name, part of a path, or a slip of the keyboard."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from fonte.errors import UsageError

_SHOWN = 10
_COMPARED = 5000  # names among which a slip of the keyboard is looked for: well under a second


class Named(Protocol):
    """Anything with a document's name and source."""

    @property
    def name(self) -> str:
        """The name that people see."""

    @property
    def source(self) -> str:
        """The absolute path."""


N = TypeVar("N", bound=Named)


def choose(wanted: str, documents: Sequence[N]) -> N:
    """Return the one of `documents` whose name or source is `wanted`, else the one whose path ends in it.

    A path ends in `wanted` only at a `/` (or the system's separator). Errors: `UsageError` when none or several fit.
    """
    form = unicodedata.normalize("NFC", wanted)
    exact = [document for document in documents if form in _forms(document)]
    ending = ("/" + form, "\\" + form)
    found = exact or [document for document in documents if any(name.endswith(ending) for name in _forms(document))]
    if len(found) == 1:
        return found[0]
    if found:
        sources = "\n".join(f"  {document.source}" for document in found[:_SHOWN])
        more = f"\n  … and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UsageError(f"{wanted!r} means {len(found)} documents. Give one of these paths:\n{sources}{more}")
    near = get_close_matches(form, [document.name for document in documents[:_COMPARED]], n=3, cutoff=0.6)
    hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else "`fonte list` shows the documents there are."
    raise UsageError(f"There is no document {wanted!r} here. {hint}")


def _forms(document: Named) -> tuple[str, str]:
    return unicodedata.normalize("NFC", document.name), unicodedata.normalize("NFC", document.source)
