"""How well each passage supports an answer, beside and apart from how much it moved it."""

from __future__ import annotations

from dataclasses import asdict

from fonte.chunking import sentences
from fonte.citations.support import SupportScorer
from fonte.serving.shapes import Json
from fonte.values import Answer


def support_of(answer: Answer, scorer: SupportScorer) -> Json:
    """Return the support of each citation for its sentence, and of each passage for the sentence it supports best.

    Both are judged by `scorer`, whose name goes with every number. An answer without a text gives none.
    """
    blank = _without_markers(answer)
    spans = sentences(blank)
    texts = {passage.id: passage.chunk.text for passage in answer.passages}
    cited = [(texts[each.passage_id], blank[each.answer_start : each.answer_end]) for each in answer.citations]
    pairs = [(text, blank[start:end]) for text in texts.values() for start, end in spans]
    scores = scorer.score([*cited, *pairs])
    citations, others = scores[: len(cited)], scores[len(cited) :]
    passages = []
    for number, passage_id in enumerate(texts if spans else ()):
        own = others[number * len(spans) : (number + 1) * len(spans)]
        best = max(range(len(spans)), key=lambda index: own[index].value)
        start, end = spans[best]
        passages.append({"passage_id": passage_id, "answer_start": start, "answer_end": end, **asdict(own[best])})
    return {
        "record": answer.record,
        "scorer": scorer.name,
        "citations": [
            {"passage_id": citation.passage_id, "marker_start": citation.marker_start, **asdict(score)}
            for citation, score in zip(answer.citations, citations, strict=True)
        ],
        "passages": passages,
    }


def _without_markers(answer: Answer) -> str:
    """Return the text with spaces for the markers, so that offsets stay."""
    letters = list(answer.text)
    for citation in answer.citations:
        width = citation.marker_end - citation.marker_start
        letters[citation.marker_start : citation.marker_end] = " " * width
    return "".join(letters)
