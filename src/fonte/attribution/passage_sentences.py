"""One level down: which sentences of a passage matter. Only passages that matter themselves are opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fonte.attribution.answer_spans import Tokenizer
from fonte.attribution.attribute import attribute
from fonte.attribution.measurement import Cancelled, Measurement, Progress
from fonte.attribution.question import Attribution, Question, Span
from fonte.chunking import sentences
from fonte.errors import UsageError
from fonte.likelihood import PromptSegments


@dataclass(frozen=True)
class OpenedPassage:
    """The sentences of a passage (code points of its text) and their effects, `attribution.effects[span][sentence]`.

    Effects are those of leaving one sentence out while everything else stays. Sentence ids are the passage's id, `#`
    and the sentence's number from 0.
    """

    passage: int
    sentences: tuple[Span, ...]
    attribution: Attribution


def passages_to_open(found: Attribution, most: int = 2) -> tuple[int, ...]:
    """Return the passages with a measurable effect on any span, the strongest first, at most `most`."""
    strength: dict[int, float] = {}
    for effects in found.effects:
        for number, effect in enumerate(effects):
            if effect.status in ("measured", "interchangeable") and effect.value is not None:
                strength[number] = max(strength.get(number, 0.0), abs(effect.value))
    return tuple(sorted(strength, key=lambda number: (-strength[number], number))[:most])


def open_passage(
    measurement: Measurement,
    question: Question,
    passage: int,
    tokenizer: Tokenizer,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> OpenedPassage:
    """Measure the effect of every sentence of `passage`, by leaving it out.

    `question.texts[passage]` is the text that the prompt shows; its tokens are cut where sentences end, so the full
    prompt stays the same, token for token. What the prompt puts around the text (signature, closing label) always
    stays. `question.least` should be the `placebo` of the passages' attribution. The budget counts anew. Errors:
    `UsageError` for a passage that does not exist, has no sentence, or is shown with another text; those of
    `attribute`.
    """
    if not 0 <= passage < measurement.passages:
        raise UsageError(f"There is no passage {passage}; the prompt has {measurement.passages}.")
    text, name = question.texts[passage], question.passage_ids[passage]
    spans = tuple(sentences(text))
    pieces = _opened(measurement.segments, passage, measurement.passages, text, spans, tokenizer)
    asked = replace(
        question,
        passage_ids=tuple(f"{name}#{number}" for number in range(len(spans))),
        texts=tuple(text[start:end] for start, end in spans),
        first=(),
        method="leave_one_out",
        signatures=False,
    )
    opened = Measurement(measurement.model, pieces, measurement.answer, measurement.store)
    return OpenedPassage(passage, spans, attribute(opened, asked, progress, cancelled))


def sentence_cuts(text: str, spans: Sequence[Span], ids: Sequence[int], tokenizer: Tokenizer) -> list[int]:
    """Return where in `ids`, which begin with the tokens of `text`, each sentence ends; a token on the border is later.

    White space between sentences goes with the one that follows. Errors: `UsageError` where `ids` show another text.
    """
    cuts = [_common(tokenizer.encode(text[:end]), ids) for _, end in spans]
    if not spans or cuts[-1] < len(tokenizer.encode(text[: spans[-1][1]])) - 1:
        raise UsageError("The passage has no sentence that could be left out, or the prompt shows another text of it.")
    return cuts


def _opened(
    segments: PromptSegments, passage: int, passages: int, text: str, spans: Sequence[Span], tokenizer: Tokenizer
) -> PromptSegments:
    """Return the same prompt with the sentences of `passage` as what can be left out, all else in head and tail."""
    own = segments.columns(passage, signature=False)
    ids = [token for column in own for token in segments.segments[column]]
    cuts = sentence_cuts(text, spans, ids, tokenizer)
    before = [token for column in range(own[0]) for token in segments.segments[column]]
    later = [column for column in range(own[-1] + 1, len(segments.segments)) if segments.passage[column] < passages]
    after = [token for column in later for token in segments.segments[column]]
    pieces = tuple(tuple(ids[start:end]) for start, end in zip([0, *cuts], cuts, strict=False))
    head, tail = segments.head + tuple(before), (*ids[cuts[-1] :], *after, *segments.tail)
    return PromptSegments(head, pieces, tail, tuple(range(len(pieces))), (False,) * len(pieces))


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    for place, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return place
    return min(len(first), len(second))
