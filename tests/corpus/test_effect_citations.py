"""Markers that the measurement inserts move every offset behind them."""

from fonte.corpus.effect_citations import Carried, insert_citations
from fonte.values import Answer, Chunk, Citation, Effect, Passage, Place

FIRST, SECOND, THIRD = "The valve opens at 3 bar.", "The pump runs.", "Then it rests."


def passage(text):
    return Passage(Chunk("d", "1", "p", 0, 0, len(text), text), "d.txt", 1.0)


def test_citations_and_sentences_still_span_the_same_words():
    one, two = passage(FIRST), passage(f"{SECOND} {THIRD}")
    text = f"{FIRST} {SECOND} [1] {THIRD}"
    spans = tuple((text.index(part), text.index(part) + len(part)) for part in (FIRST, SECOND, THIRD))
    marker = text.index("[1]")
    known = Citation(
        two.id, "d.txt", None, (), *spans[1], marker, marker + 3, 0, len(SECOND), SECOND, "quote", "verbatim"
    )
    answer = Answer("?", "answered", "", text, (known,), (one, two))
    effects = [Effect(each.id, "measured", 1.0, 0.5, 1.5) for each in (one, two)]
    carried = [Carried(*spans[2], two, effects[1]), Carried(*spans[0], one, effects[0])]
    found, moved = insert_citations(answer, carried, lambda *_: Place(), spans)
    assert found.text == f"{FIRST} [2] {SECOND} [1] {THIRD} [1]"
    assert [found.text[start:end] for start, end in moved] == [FIRST, SECOND, THIRD]
    for citation, sentence in zip(found.citations, (FIRST, SECOND, THIRD), strict=True):
        assert found.text[citation.answer_start : citation.answer_end] == sentence
        assert found.text[citation.marker_start : citation.marker_end] in ("[1]", "[2]")
    assert [citation.origin for citation in found.citations] == ["effect", "quote", "effect"]
