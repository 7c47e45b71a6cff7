"""A view of a store that tells nothing of what it hides."""

import numpy as np

from fonte.retrieval import ranked
from fonte.retrieval.secluded import SecludedStore
from fonte.retrieval.store import Hit
from fonte.values import Chunk


def chunk(number, text):
    return Chunk(f"d{number}", "v", "p", 0, 0, len(text), text)


class FixedStore:
    """Gives the chunks it holds of the chosen documents, with scores that would betray the others."""

    def __init__(self, *texts):
        self.chunks = [chunk(number, text) for number, text in enumerate(texts)]

    def count(self):
        return len(self.chunks)

    def search_dense(self, vector, k, documents=None):
        return self._hits(k, documents)

    def search_lexical(self, text, k, documents=None):
        return self._hits(k, documents)

    def _hits(self, k, documents):
        found = [Hit(each, "d", len(self.chunks) / 7) for each in self.chunks if each.document_id in documents]
        return found[:k]


VISIBLE = ("the valve opens at three bar", "the pump", "a hose for the pump and the pump room", "nothing of it")
SEEN = {f"d{number}" for number in range(len(VISIBLE))}


def test_scores_do_not_depend_on_hidden_chunks():
    alone = SecludedStore(FixedStore(*VISIBLE)).search_lexical("the pump", 10, SEEN)
    among = SecludedStore(FixedStore(*VISIBLE, *["pump pump pump"] * 50)).search_lexical("the pump", 10, SEEN)
    assert alone == among


def test_rarer_and_more_frequent_words_count_more_and_absent_ones_nothing():
    hits = SecludedStore(FixedStore(*VISIBLE)).search_lexical("pump", 10, SEEN)
    scores = {hit.chunk.document_id: hit.score for hit in hits}
    assert scores["d1"] > 0
    assert scores["d2"] > 0
    assert scores["d0"] == scores["d3"] == 0
    assert [hit.score for hit in hits] == sorted(scores.values(), reverse=True)


def test_at_most_k_and_nothing_from_nothing():
    store = SecludedStore(FixedStore(*VISIBLE))
    assert len(store.search_lexical("the pump", 2, SEEN)) == 2
    assert store.search_lexical("the pump", 2, set()) == []
    assert store.count() == len(VISIBLE)


def test_dense_scores_lose_their_last_digits():
    (hit, *_) = SecludedStore(FixedStore(*VISIBLE)).search_dense(np.ones(3, np.float32), 2, SEEN)
    assert hit.score == round(4 / 7, 4)


def test_a_word_of_a_hidden_document_is_looked_for_inside_words_still(store, new_row, monkeypatch):
    monkeypatch.setattr(ranked, "LARGE_CHOICE", 3)
    visible = {f"v{n}": [new_row(f"v{n}", 0, f"superfilterhousing {n}")] for n in range(30)}
    store.replace_documents(visible)
    before = SecludedStore(store).search_lexical("filter", 5, list(visible))
    store.replace_documents({"hidden": [new_row("hidden", 0, "filter")]})
    assert SecludedStore(store).search_lexical("filter", 5, list(visible)) == before
    assert len(before) == 5
