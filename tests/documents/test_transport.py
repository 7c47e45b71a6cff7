from hypothesis import given
from hypothesis import strategies as st

from fonte.documents.reading import Reading
from fonte.documents.transport import pack, unpack
from fonte.values import Block, Box, Document, Word

EDGE = st.integers(-(10**6), 10**7).map(lambda hundredths: hundredths / 100)
BOXES = st.builds(Box, page=st.integers(1, 5000), left=EDGE, top=EDGE, right=EDGE, bottom=EDGE)
WORDS = st.lists(st.builds(Word, start=st.integers(0, 10**9), end=st.integers(0, 10**9), box=BOXES), max_size=5)
BLOCKS = st.lists(
    st.builds(Block, st.integers(0), st.integers(0), heading=st.tuples(st.text()), page=st.none() | st.integers(1)),
    max_size=4,
)
DOCUMENTS = st.builds(
    Document,
    *[st.text(st.characters(exclude_categories=[]), max_size=8)] * 6,
    blocks=BLOCKS.map(tuple),
    words=WORDS.map(tuple),
    metadata=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)


@given(st.builds(Reading, st.just("read"), st.text(), st.lists(DOCUMENTS, max_size=3).map(tuple)))
def test_a_reading_comes_back_equal(reading):
    assert unpack(pack(reading)) == reading


def test_word_maps_are_compact():
    words = tuple(
        Word(7 * n, 7 * n + 6, Box(1 + n // 500, n % 500 + 0.25, 10.5, n % 500 + 30.75, 22.0)) for n in range(100_000)
    )
    document = Document("s", "n", "t", "x" * 700_000, "pdf", "r", words=words)
    assert len(pack(Reading("read", "", (document,)))) < 700_000 + 60 * 100_000
