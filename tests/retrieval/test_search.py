import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonte.retrieval import retrieve
from fonte.settings import RetrievalSettings

AXES = np.eye(8, dtype=np.float32)


class AxisEmbedder:
    """Puts every question on the first axis."""

    def embed_query(self, text):
        return AXES[0]


@pytest.fixture
def filled(module_store, new_row):
    if not module_store.count():
        texts = ["filter", "filter clean", "battery", "battery filter", "手册"]
        rows = [new_row("a", i, text, AXES[0] * (5 - i) + AXES[1] * i) for i, text in enumerate(texts)]
        module_store.replace_documents({"a": rows, "b": [new_row("b", 0, "filter other", -AXES[0])]})
    return module_store


def ask(store, question, documents=None, **values):
    return retrieve(store, AxisEmbedder(), question, RetrievalSettings(**values), documents)


def test_empty_store_finds_nothing(store):
    for mode in ("hybrid", "dense", "lexical"):
        assert ask(store, "anything", mode=mode) == []


@pytest.mark.parametrize("blank", ["", "  \n", "\u202e", "\x00", "\u200b"])
def test_invisible_question_finds_nothing(filled, blank):
    assert ask(filled, blank) == ask(filled, blank, mode="dense") == ask(filled, blank, mode="lexical") == []


def test_question_without_words_is_searched_by_meaning(filled):
    assert len(ask(filled, "?!")) == 6
    assert ask(filled, "?!", mode="lexical") == []


def test_modes(filled):
    dense = ask(filled, "battery", mode="dense")
    assert [passage.chunk.ordinal for passage in dense[:5]] == [0, 1, 2, 3, 4]
    assert dense[0].retrieval_score == pytest.approx(1)
    lexical = ask(filled, "battery", mode="lexical")
    assert [passage.chunk.text for passage in lexical] == ["battery", "battery filter"]
    assert lexical[0].retrieval_score == 1
    hybrid = ask(filled, "battery")
    assert hybrid[0].chunk.text == "battery"
    assert hybrid[0].retrieval_score == pytest.approx((1 / 63 + 1 / 61) / (2 / 61))
    assert (hybrid[0].document, hybrid[0].rerank_score) == ("a.md", None)


def test_leading_both_rankings_scores_one(filled):
    assert ask(filled, "filter", documents=["a"])[0].retrieval_score == pytest.approx(1)


def test_number_of_passages_and_documents(filled):
    assert len(ask(filled, "filter", passages=2)) == 2
    assert len(ask(filled, "filter", passages=200, candidates=1)) == 6
    assert {passage.chunk.document_id for passage in ask(filled, "filter", documents=["b"])} == {"b"}
    assert ask(filled, "filter", documents=[]) == []


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(question=st.text(max_size=40), mode=st.sampled_from(["hybrid", "dense", "lexical"]))
def test_scores_fall_and_ids_are_distinct(filled, question, mode):
    passages = ask(filled, question, mode=mode)
    scores = [passage.retrieval_score for passage in passages]
    assert scores == sorted(scores, reverse=True)
    assert len({passage.id for passage in passages}) == len(passages)
    assert all(-1.001 <= score <= 1.001 for score in scores)
    assert passages == ask(filled, question, mode=mode)


def test_twenty_thousand_characters(filled):
    assert ask(filled, "how do I clean the filter of E04 " * 700)
