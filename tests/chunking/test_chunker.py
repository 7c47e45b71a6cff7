"""What holds for every chunker, setting, tokenizer and document."""

import random
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking import chunker_from, embedded_text
from fonte.errors import ChunkingError
from fonte.settings import ChunkingSettings
from fonte.values import Document, Signature
from tests.chunking.documents import documents, paragraphs
from tests.chunking.toy_embedder import TOKENIZERS, TRAINING_TEXT, ToyEmbedder
from tests.timing import grows_linearly

KINDS = ("heading", "fixed", "cosine")


@st.composite
def choices(draw):
    window = draw(st.sampled_from([16, 24, 40, 64, 120]))
    tokens = draw(st.none() | st.integers(16, 60))
    if tokens is not None and tokens > window - 2:
        tokens = None
    smallest = min(tokens or window, (window - 2) - (window - 2) // 3) - 2
    overlap = draw(st.integers(0, max(smallest - 1, 0) // 2))
    context = draw(st.booleans())
    return window, ChunkingSettings(
        chunker=draw(st.sampled_from(KINDS)), tokens=tokens, overlap=overlap, context=context
    )


@settings(max_examples=120, deadline=None)
@given(documents(), choices(), st.sampled_from(sorted(TOKENIZERS)))
def test_chunks_are_slices_that_cover_the_document_and_fit_the_window(document, choice, tokenizer):
    window, setting = choice
    embedder = ToyEmbedder(window, tokenizer)
    chunks = chunker_from(setting, embedder).chunk([document])
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    position = 0
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end] == chunk.text.strip() != ""
        assert (chunk.document_id, chunk.document_version) == (document.id, document.version)
        assert not document.text[position : chunk.start].strip()
        assert setting.chunker == "fixed" or chunk.start >= position
        assert chunk.end > position
        position = chunk.end
    assert not document.text[position:].strip()
    for chunk, count in zip(chunks, embedder.count_tokens([embedded_text(chunk) for chunk in chunks]), strict=True):
        assert count + embedder.special_tokens <= window
        assert setting.tokens is None or embedder.count_tokens([chunk.text])[0] <= setting.tokens
        if not setting.context:
            assert (chunk.title, chunk.heading, chunk.header) == ("", (), "")
            assert embedded_text(chunk) == chunk.text


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from(KINDS))
def test_headings_and_header_rows_are_true_of_all_of_a_chunk(document, kind):
    embedder = ToyEmbedder(4000)
    for chunk in chunker_from(ChunkingSettings(chunker=kind, tokens=40), embedder).chunk([document]):
        blocks = [block for block in document.blocks if block.start < chunk.end and block.end > chunk.start]
        for block in blocks:
            assert block.heading[: len(chunk.heading)] == chunk.heading
        if chunk.header:
            assert chunk.header in {block.header for block in blocks if block.kind == "table_row"}


@settings(max_examples=40, deadline=None)
@given(st.lists(documents(), max_size=5), st.sampled_from(KINDS), st.randoms(use_true_random=False))
def test_ids_are_the_same_in_every_run_and_order(drawn, kind, shuffle):
    named = [replace(document, source=f"/corpus/{index}") for index, document in enumerate(drawn)]
    shuffled = shuffle.sample(named, len(named))
    setting = ChunkingSettings(chunker=kind)
    first = chunker_from(setting, ToyEmbedder()).chunk(named)
    again = chunker_from(setting, ToyEmbedder()).chunk(shuffled)
    alone = [chunk for document in named for chunk in chunker_from(setting, ToyEmbedder()).chunk([document])]
    assert first == alone
    assert {chunk.id: chunk for chunk in first} == {chunk.id: chunk for chunk in again}
    position = {document.id: index for index, document in enumerate(shuffled)}
    assert again == sorted(again, key=lambda chunk: (position[chunk.document_id], chunk.ordinal))


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from(KINDS), st.booleans())
def test_a_signature_fits_into_the_room_that_was_reserved_for_it(document, kind, context):
    embedder = ToyEmbedder(100)
    signature = Signature((("category", "heat pump"), ("model", "Ventalba 250")))
    chunks = chunker_from(ChunkingSettings(chunker=kind, context=context), embedder, reserve=32).chunk([document])
    signed = [embedded_text(replace(chunk, signature=signature)) for chunk in chunks]
    assert all(count <= 98 for count in embedder.count_tokens(signed))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", " \n\t\n ", "\u3000"])
def test_a_blank_document_has_no_chunks(kind, text):
    assert chunker_from(ChunkingSettings(chunker=kind), ToyEmbedder()).chunk([paragraphs(text)]) == []
    assert chunker_from(ChunkingSettings(chunker=kind), ToyEmbedder()).chunk([]) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "x",
        "a" * 20_000,
        " ".join("a" * 3000),
        "\u0301" * 3000,
        "今天" * 3000,
        "\x00" * 3000,
        "👩\u200d👩\u200d👧" * 500,
    ],
)
def test_texts_without_any_place_to_cut_are_cut_all_the_same(kind, text):
    embedder = ToyEmbedder(32)
    chunks = chunker_from(ChunkingSettings(chunker=kind), embedder).chunk([paragraphs(text)])
    assert "".join(chunk.text for chunk in chunks).replace(" ", "") == text.replace(" ", "")
    assert max(embedder.count_tokens([embedded_text(chunk) for chunk in chunks])) <= 30
    assert max(len(chunk.text) for chunk in chunks) <= 33 * 32


@pytest.mark.parametrize("kind", KINDS)
def test_langchain_21475_repeated_text_gets_its_own_offsets(kind):
    document = paragraphs(*["Press the round key and wait. " * 5] * 6)
    chunks = chunker_from(ChunkingSettings(chunker=kind), ToyEmbedder(48)).chunk([document])
    assert len(chunks) > 6
    assert len({chunk.start for chunk in chunks}) == len({chunk.id for chunk in chunks}) == len(chunks)


def test_the_fingerprint_changes_with_kind_settings_window_and_tokenizer():
    def fingerprint(embedder=None, reserve=0, **setting):
        return chunker_from(ChunkingSettings(**setting), embedder or ToyEmbedder(), reserve).fingerprint

    assert fingerprint() == fingerprint()
    different = [
        fingerprint(),
        fingerprint(chunker="fixed"),
        fingerprint(chunker="cosine"),
        fingerprint(tokens=32),
        fingerprint(context=False),
        fingerprint(ToyEmbedder(72)),
        fingerprint(ToyEmbedder(tokenizer="byte_pairs")),
        fingerprint(reserve=4),
    ]
    assert len(set(different)) == len(different)


def test_a_chunk_size_above_the_window_names_the_numbers_and_the_remedy():
    with pytest.raises(ChunkingError) as caught:
        chunker_from(ChunkingSettings(chunker="fixed", tokens=500, overlap=100), ToyEmbedder(256))
    for part in ("chunking.tokens = 500", "256 tokens", "254", "set embedder.window = 512", "502"):
        assert part in str(caught.value)
    assert chunker_from(ChunkingSettings(chunker="fixed", tokens=500, overlap=100), ToyEmbedder(512))


@pytest.mark.parametrize("reserve", [10, 62, 200])
def test_a_reserve_that_leaves_no_text_is_an_error(reserve):
    with pytest.raises(ChunkingError, match="window of 16"):
        chunker_from(ChunkingSettings(), ToyEmbedder(16), reserve)


def test_a_character_above_the_window_is_an_error_and_never_cut():
    class ManyTokensPerCharacter(ToyEmbedder):
        def count_tokens(self, texts):
            return [50 * text.count("\u0d9e") + len(text) for text in texts]

    with pytest.raises(ChunkingError, match="at offset 2 alone"):
        chunker_from(ChunkingSettings(context=False), ManyTokensPerCharacter(24)).chunk([paragraphs("x \u0d9e")])


def test_a_document_without_title_goes_by_its_file_name():
    chunk = chunker_from(ChunkingSettings(), ToyEmbedder()).chunk([paragraphs("Press.", name="manuals/a b.v2.md")])[0]
    assert chunk.title == "a b.v2"


def test_time_is_linear_in_the_length_of_the_document():
    words = TRAINING_TEXT.split("\n")[0].split()
    text = " ".join(random.Random(0).choices(words, k=100_000))

    def chunk(kind, length):
        document = Document("/long", "long", "", text[:length], "txt", "r")
        chunker_from(ChunkingSettings(chunker=kind), ToyEmbedder(256)).chunk([document])

    for kind in ("heading", "fixed"):
        assert grows_linearly(partial(chunk, kind), 25_000, 400_000)


@pytest.mark.models
@pytest.mark.parametrize("kind", KINDS)
def test_the_default_embedder_accepts_every_chunk(embedder, kind):
    texts = ["The unit heats in winter, cools in summer and dries the air. " * 40, "今天天气很好。" * 200, "x" * 3000]
    document = paragraphs(*texts, title="Ventalba 250")
    chunks = chunker_from(ChunkingSettings(chunker=kind), embedder).chunk([document])
    vectors = embedder.embed_documents([embedded_text(chunk) for chunk in chunks])
    assert vectors.shape == (len(chunks), embedder.dimension)
    with pytest.raises(ChunkingError, match=r"set embedder\.window = 512"):
        chunker_from(ChunkingSettings(tokens=500), embedder)
