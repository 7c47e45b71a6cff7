"""What happens while an answer is written, one value per happening; an answer is the fold over them.

Streaming shows the events as they come, batch folds them: there is no second way to an `Answer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fonte.values import Answer, Citation, Passage, Prompt

# How the reason of an answer begins that is incomplete because its model, or the way to it, gave out.
MODEL_FAILED = "The language model failed"
CUT_SHORT = "The answer ended before it was finished; ask again."


@dataclass(frozen=True, slots=True)
class Prompted:
    """The language model was asked: the exact prompt, `(label, passage id)` per kept passage, ids of those left out."""

    prompt: Prompt
    labels: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThoughtShown:
    """The model thought aloud; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextShown:
    """`text` is appended to the displayed answer."""

    text: str


@dataclass(frozen=True, slots=True)
class MarkerShown:
    """The marker `[number]` is appended to the displayed answer; it begins at code point `start`."""

    number: int
    passage_id: str
    start: int

    @property
    def text(self) -> str:
        """The marker as displayed."""
        return f"[{self.number}]"

    @property
    def end(self) -> int:
        """The code point after the marker."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class MarkerRemoved:
    """The model wrote `text` as a citation, but it names no source of this question; nothing is displayed."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationMade:
    """A sentence that is already displayed, with its marker, is tied to the words of a source."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event. `status` and `reason` as in `Answer`; `mode` is `quote` or `write`.

    `text`, `thinking` and `token_ids` are what the model itself said, with its own labels, and `finish_reason` why it
    stopped (`stop`, `length`; empty where it wrote nothing), for the record.
    """

    status: str
    reason: str
    mode: str
    text: str = ""
    thinking: str = ""
    token_ids: tuple[int, ...] = ()
    finish_reason: str = ""


Event = Prompted | ThoughtShown | TextShown | MarkerShown | MarkerRemoved | CitationMade | Finished


def fold(events: Iterable[Event], question: str, passages: Sequence[Passage]) -> Answer:
    """Return the answer that `events` tell of; `passages` are all that were found, also those that did not fit.

    Events without a `Finished` (the writer was stopped) give an answer with status `incomplete`. `record` and
    `seconds` are left empty: whoever stores and times the answer adds them.
    """
    shown: list[str] = []
    citations: list[Citation] = []
    invented: list[str] = []
    dropped: tuple[str, ...] = ()
    finished = Finished("incomplete", CUT_SHORT, "")
    for event in events:
        match event:
            case TextShown() | MarkerShown():
                shown.append(event.text)
            case CitationMade(citation):
                citations.append(citation)
            case MarkerRemoved(text):
                invented.append(text)
            case Prompted():
                dropped = event.dropped
            case Finished():
                finished = event
            case ThoughtShown():
                pass
    return Answer(
        question=question,
        status=finished.status,
        reason=finished.reason,
        text="".join(shown),
        citations=tuple(citations),
        passages=tuple(passages),
        invented_markers=tuple(invented),
        dropped_passages=dropped,
        mode=finished.mode,
    )
