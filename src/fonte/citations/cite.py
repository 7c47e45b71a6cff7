"""From what a model says, with labels, to the displayed answer with numbers, and a citation for every marker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fonte.chunking import prompt_signature
from fonte.citations.brackets import Invented, Marker
from fonte.citations.markers import MarkerReader
from fonte.citations.quotes import Quote, find_quote
from fonte.citations.sentence_stream import Closed, Ended, Opened, Part, SentenceReader
from fonte.values import Citation, Passage, Place

PlaceOf = Callable[[Passage, int, int], Place]
"""Where `document.text[start:end]` of the passage's document lies in the original; the corpus knows the documents."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The marker `[number]` of `passage`, displayed from code point `start` of the answer on."""

    number: int
    passage: Passage
    start: int

    @property
    def text(self) -> str:
        """The marker as displayed."""
        return f"[{self.number}]"

    @property
    def span(self) -> Span:
        """Its code points in the answer."""
        return self.start, self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer that just ended: `text` without markers, and whether the model cited anything for it.

    `said` is all that was said up to its end, with labels instead of numbers.
    """

    text: str
    cited: bool
    said: str


Cited = tuple[str, str]
"""The label and the origin of a citation that the model did not write itself."""

Output = str | Numbered | Invented | Citation | Sentence


class Citer:
    """Takes deltas of text with labels; gives displayed text, markers, removed attempts, sentences and citations.

    After each `Sentence` the caller may `cite` it by hand; its citations follow when its markers are through, so that
    a citation always comes after the text and the marker that it speaks of. Numbers count from 1 in order of first
    use, one per passage.
    """

    def __init__(self, labels: Mapping[str, Passage], place: PlaceOf) -> None:
        self._passages = {label.casefold(): passage for label, passage in labels.items()}
        self._place = place
        self._markers = MarkerReader(labels)
        self._sentences = SentenceReader()
        self._numbers: dict[str, int] = {}
        self._said: list[str] = []
        self._length = 0
        self._sentence = ""
        self._span: Span = (0, 0)
        self._pending: list[tuple[Numbered, str]] = []

    def feed(self, delta: str) -> Iterator[Output]:
        """Return what becomes certain with `delta`."""
        yield from self._read(self._markers.feed(delta))

    def finish(self) -> Iterator[Output]:
        """Return the rest."""
        yield from self._read(self._markers.finish())
        yield from self._write(self._sentences.finish())

    def cite(self, label: str, origin: str) -> Iterator[Output]:
        """Put a marker after the sentence that just ended; only right after its `Sentence`."""
        yield self._show(" ")
        yield self._number(label, origin)

    def _read(self, events: Iterable[str | Marker | Invented]) -> Iterator[Output]:
        for event in events:
            if isinstance(event, Invented):
                yield event
            else:
                yield from self._write(self._sentences.feed(event))

    def _write(self, parts: Iterable[Part]) -> Iterator[Output]:
        for part in parts:
            match part:
                case str():
                    yield self._show(part)
                case Marker():
                    yield self._number(part.label, "model")
                case Opened():
                    self._span = (self._length, self._length)
                case Ended():
                    self._sentence = part.text
                    self._span = (self._span[0], self._length)
                    yield Sentence(part.text, part.cited, "".join(self._said))
                case Closed():
                    yield from self._make_citations()

    def _show(self, text: str) -> str:
        self._said.append(text)
        self._length += len(text)
        return text

    def _number(self, label: str, origin: str) -> Numbered:
        passage = self._passages[label]
        number = self._numbers.setdefault(passage.id, len(self._numbers) + 1)
        marker = Numbered(number, passage, self._length)
        self._said.append(f"[{label}]")
        self._length += len(marker.text)
        self._pending.append((marker, origin))
        return marker

    def _make_citations(self) -> Iterator[Citation]:
        for marker, origin in self._pending:
            quote = passage_quote(self._sentence, marker.passage)
            yield make_citation(marker, self._span, quote, origin, self._place)
        self._pending.clear()


def passage_quote(sentence: str, passage: Passage) -> Quote:
    """Return the quote of a passage's text for `sentence`; what stands before the text in a prompt is its context."""
    return find_quote(sentence, passage.chunk.text, prompt_signature(passage.chunk))


def make_citation(marker: Numbered, sentence: Span, quote: Quote, origin: str, place: PlaceOf) -> Citation:
    """Return the citation of `sentence` (a span of the displayed answer) at `marker`.

    `sentence` reaches from its first character to its last, closing punctuation included, markers after it not.
    `quote` has offsets in the passage's text; `no_quote` gives an empty source span at the passage's start.
    """
    passage = marker.passage
    start, end = passage.chunk.start + quote.start, passage.chunk.start + quote.end
    if quote.status == "no_quote":
        start = end = passage.chunk.start
    where = place(passage, start, end if end > start else passage.chunk.end)
    return Citation(
        passage_id=passage.id,
        document=passage.document,
        page=where.page,
        boxes=where.boxes if quote.text else (),
        answer_start=sentence[0],
        answer_end=sentence[1],
        marker_start=marker.span[0],
        marker_end=marker.span[1],
        source_start=start,
        source_end=end,
        quote=quote.text,
        origin=origin,
        status=quote.status,
    )
