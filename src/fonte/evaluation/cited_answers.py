"""From an answer as it was written to sentences with the passages they cite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fonte.chunking.sentences import sentences
from fonte.evaluation.answers import AnswerCitation, GivenAnswer
from fonte.measures.cited import CitedAnswer, CitedPassage, CitedSentence

_MARKER = re.compile(r"\s?[\[【](?P<numbers>\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)[\]】]")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?。，；：！？])")
_WORD = re.compile(r"\w")
_MOST = 100  # citations that one range may stand for; `[1-9999]` is no list of sources


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a citation stands (`span` of its marker, if any), what it points at, and the text that it cites."""

    passage: CitedPassage | None
    span: tuple[int, int] | None
    cites: tuple[int, int]


def cited_answer(answer: GivenAnswer, given: Sequence[CitedPassage]) -> CitedAnswer:
    """Return the sentences of `answer` with what they cite; `given` are the passages that the system was given.

    Citations are those that the file lists, else the markers `[n]` in the text, n counting `given` from 1. One that
    names no given passage is invented. A citation belongs to the sentence that its span covers most, or before whose
    end its marker stands; markers are cut out of the sentences, and a piece of text without words joins the sentence
    before it.
    """
    marks = _marks(answer, given)
    spans = _spoken(answer.text, [mark.span for mark in marks if mark.span])
    found = [CitedSentence(text) for _, _, text in spans]
    loose = answer.invented
    for mark in marks:
        index = _sentence_of(mark.cites, spans)
        if index is None:
            loose += mark.passage is None
        elif mark.passage is None:
            found[index] = replace(found[index], invented=found[index].invented + 1)
        else:
            found[index] = replace(found[index], passages=(*found[index].passages, mark.passage))
    return CitedAnswer(tuple(found), loose, tuple(given))


def spoken_text(answer: GivenAnswer, given: Sequence[CitedPassage] | None) -> str:
    """Return the answer's text without its markers, as measures of correctness read it.

    Where neither the file lists citations nor passages are known, `[1]` may be anything and stays.
    """
    if answer.citations is not None:
        markers = [one.marker for one in answer.citations if one.marker]
    else:
        markers = [(start, end) for start, end, _ in numbered_markers(answer.text)] if given else []
    return _cut(answer.text, 0, len(answer.text), markers).strip() if markers else answer.text


def numbered_markers(text: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return (start, end, numbers) of every marker such as `[1]`, `[1, 3]` or `[2-4]`, in order."""
    return [(*match.span(), _numbers(match["numbers"])) for match in _MARKER.finditer(text)]


def _numbers(listed: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", listed):
        ends = [int(end) for end in re.split(r"\s*[–-]\s*", part)]
        whole = len(ends) == 2 and 0 <= ends[1] - ends[0] < _MOST
        numbers += range(ends[0], ends[1] + 1) if whole else ends
    return tuple(numbers)


def _marks(answer: GivenAnswer, given: Sequence[CitedPassage]) -> list[_Mark]:
    known = {passage.id: passage for passage in given}
    if answer.citations is not None:
        whole = (0, len(answer.text))
        return [
            _Mark(known.get(one.passage_id), one.marker, _cites(one, whole)) for one in answer.citations if answer.text
        ]
    return [
        _Mark(given[number - 1] if 1 <= number <= len(given) else None, (start, end), (max(start - 1, 0), end))
        for start, end, numbers in numbered_markers(answer.text)
        for number in numbers
    ]


def _cites(citation: AnswerCitation, whole: tuple[int, int]) -> tuple[int, int]:
    if citation.answer and citation.answer[0] < citation.answer[1]:
        return citation.answer
    return (max(citation.marker[0] - 1, 0), citation.marker[1]) if citation.marker else whole


def _spoken(text: str, markers: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return (start, end, text without markers) of the sentences; what has no word goes to the sentence before."""
    spoken: list[tuple[int, int, str]] = []
    for start, end in sentences(_blanked(text, markers)):
        clean = " ".join(_cut(text, start, end, markers).split())
        if _WORD.search(clean):
            spoken.append((start, end, clean))
    if not spoken:
        return []
    # A sentence reaches to the next one, so that a marker behind its full stop is its own.
    starts = [start for start, _, _ in spoken[1:]] + [len(text)]
    return [
        (start, max(end, next_start), clean) for (start, end, clean), next_start in zip(spoken, starts, strict=True)
    ]


def _blanked(text: str, markers: Sequence[tuple[int, int]]) -> str:
    """Replace markers by spaces, so that `done. [1] Next` has the sentences that it has without them."""
    letters = list(text)
    for start, end in markers:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _cut(text: str, start: int, end: int, markers: Sequence[tuple[int, int]]) -> str:
    kept = ""
    for first, last in sorted(set(markers)):
        if start <= first < end:
            kept = (kept + text[start:first]).rstrip() + " "
            start = max(start, min(last, end))
    return _SPACE_BEFORE_STOP.sub("", kept + text[start:end])


def _sentence_of(cites: tuple[int, int], spans: Sequence[tuple[int, int, str]]) -> int | None:
    """Return the sentence that shares most with `cites`, the earlier of equals."""
    overlaps = [min(end, cites[1]) - max(start, cites[0]) for start, end, _ in spans]
    if not overlaps:
        return None
    best = max(range(len(overlaps)), key=lambda index: (overlaps[index], -index))
    return best if overlaps[best] > 0 else 0 if cites[0] < spans[0][0] else len(spans) - 1
