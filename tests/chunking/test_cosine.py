"""Sentence-similarity chunks with vectors whose cosines are known."""

import numpy as np
import pytest

from fonte.chunking import chunker_from
from fonte.chunking import cosine as module
from fonte.settings import ChunkingSettings
from tests.chunking.documents import paragraphs
from tests.chunking.toy_embedder import ToyEmbedder


class Plane(ToyEmbedder):
    """Sentences are unit vectors in the plane: "Angle 60." lies at 60 degrees."""

    def embed_documents(self, texts):
        self.embedded += texts
        angles = np.radians([float(text.split()[1].rstrip(".")) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def cut(*angles, threshold=0.35, embedder=None, window=64):
    text = " ".join(f"Angle {angle}." for angle in angles)
    setting = ChunkingSettings(chunker="cosine", threshold=threshold, context=False)
    found = chunker_from(setting, embedder or Plane(window)).chunk([paragraphs(text)])
    return [[int(word.rstrip(".")) for word in chunk.text.split()[1::2]] for chunk in found]


def test_a_chunk_ends_where_the_cosine_of_neighbours_falls_below_the_threshold():
    assert cut(0, 60, 120, 200, 210) == [[0, 60, 120], [200, 210]]  # cos 60 = .5, cos 80 = .17, cos 10 = .98
    assert cut(0, 60, 120, 200, threshold=0.51) == [[0], [60], [120], [200]]
    assert cut(0, 69, threshold=0.35) == [[0, 69]]  # cos 69 = .358
    assert cut(0, 70, threshold=0.35) == [[0], [70]]  # cos 70 = .342
    assert cut(0, 180, threshold=-1) == [[0, 180]]


def test_similar_sentences_are_cut_by_tokens_between_sentences():
    groups = cut(*[10] * 100)
    assert sum(map(len, groups)) == 100
    assert len(groups) > 5
    assert len({len(group) for group in groups[:-1]}) == 1


@pytest.mark.parametrize("at_once", [1, 2, 3, 5, 4096])
def test_batches_do_not_show(monkeypatch, at_once):
    monkeypatch.setattr(module, "SENTENCES_AT_ONCE", at_once)
    embedder = Plane()
    assert cut(0, 60, 0, 120, 200, 0, 10, embedder=embedder) == [[0, 60, 0], [120], [200], [0, 10]]


def test_the_sentences_of_all_documents_are_embedded_together_and_repeated_ones_once():
    calls = []

    class Counting(Plane):
        def embed_documents(self, texts):
            calls.append(texts)
            return super().embed_documents(texts)

    documents = [paragraphs("Angle 10. Angle 20. Angle 10.", name=f"{n}.md") for n in range(5)]
    chunker = chunker_from(ChunkingSettings(chunker="cosine"), Counting())
    assert len(chunker.chunk(documents)) == 5
    assert [sorted(texts) for texts in calls] == [["Angle 10.", "Angle 20."]]


def test_a_document_starts_a_chunk_whatever_came_before():
    documents = [
        paragraphs("Angle 10.", name="a.md"),
        paragraphs(" ", name="b.md"),
        paragraphs("Angle 10.", name="c.md"),
    ]
    found = chunker_from(ChunkingSettings(chunker="cosine"), Plane()).chunk(documents)
    assert [chunk.document_id for chunk in found] == [documents[0].id, documents[2].id]
