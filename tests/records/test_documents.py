import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import StoreError, UsageError
from fonte.values import Block, Box, Document, Word
from tests.timing import seconds

any_text = st.text(st.characters(), max_size=12)  # lone surrogates and NUL included
places = st.none() | st.integers(1, 9999)
blocks = st.builds(
    Block,
    start=st.integers(0, 10**9),
    end=st.integers(0, 10**9),
    kind=st.sampled_from(["heading", "paragraph", "list_item", "table_row", "code"]),
    heading=st.lists(any_text, max_size=3).map(tuple),
    header=any_text,
    page=places,
    line=places,
    sheet=any_text,
)
sizes = st.floats(0, 2000, width=32)
boxes = st.builds(Box, page=st.integers(1, 999), left=sizes, top=sizes, right=sizes, bottom=sizes)
words = st.builds(Word, start=st.integers(0, 10**9), end=st.integers(0, 10**9), box=boxes)
documents = st.builds(
    Document,
    source=any_text,
    name=any_text,
    title=any_text,
    text=any_text,
    format=st.sampled_from(["pdf", "text"]),
    reader=any_text,
    blocks=st.lists(blocks, max_size=5).map(tuple),
    words=st.lists(words, max_size=5).map(tuple),
    metadata=st.dictionaries(any_text, any_text, max_size=4),
    identity=st.lists(any_text, max_size=2).map(tuple),
)


def simple(source="/docs/a.md", text="text", **more):
    return Document(source, more.pop("name", source.rsplit("/", 1)[-1]), "A title", text, "markdown", "test 1", **more)


def add(records, *made):
    records.documents.archive(made)
    records.documents.make_current({document.id: document.version for document in made})


@settings(max_examples=80, deadline=None)
@given(st.lists(documents, min_size=1, max_size=3, unique_by=lambda document: document.source))
def test_documents_come_back_equal(shared_records, made):
    records = shared_records
    add(records, *made)
    for document in made:
        loaded = records.documents.load(document.id)
        assert loaded == document
        assert (loaded.id, loaded.version) == (document.id, document.version)
        assert records.documents.text(document.id) == document.text
        entry = records.documents.entry(document.id)
        assert (entry.source, entry.name, dict(entry.metadata)) == (document.source, document.name, document.metadata)
        assert entry.characters == len(document.text)
    ids = {document.id for document in made}
    assert {entry.document_id for entry in records.documents.list()} == ids
    assert records.documents.remove(ids) == len(ids)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), boxes), max_size=12),
    st.integers(-2, 60),
    st.integers(0, 9),
)
def test_place_is_that_of_the_whole_document(shared_records, words_in_order, start, length):
    position, made, blocks_made = 0, [], []
    for gap, size, box in words_in_order:
        made.append(Word(position + gap, position + gap + size, box))
        blocks_made.append(Block(position, position + gap + size, heading=(str(position),), line=position + 1))
        position += gap + size
    document = simple(f"/{position}", words=tuple(made), blocks=tuple(blocks_made))
    add(shared_records, document)
    assert shared_records.documents.place(document.id, start, start + length) == document.place(start, start + length)
    shared_records.documents.remove([document.id])


def test_versions_live_side_by_side_until_one_is_current(records):
    old, new = simple(text="old"), simple(text="new")
    add(records, old)
    records.documents.archive([new])
    assert records.documents.load(old.id) == old
    assert records.documents.load(old.id, new.version) == new
    assert records.documents.versions(old.id) == (old.version, new.version)
    records.documents.make_current({new.id: new.version})
    assert records.documents.load(old.id) == new
    with pytest.raises(UsageError, match=f"versions: {new.version}"):
        records.documents.load(old.id, old.version)


def test_only_archived_versions_become_current(records):
    old, new = simple(text="old"), simple(text="new")
    add(records, old)
    with pytest.raises(StoreError, match="not archived"):
        records.documents.make_current({new.id: new.version})
    assert records.documents.load(old.id) == old


def test_archiving_again_changes_nothing(records):
    document = simple(metadata={"a": "1"}, words=(Word(0, 4, Box(1, 0, 0, 1, 1)),))
    add(records, document)
    records.documents.archive([document, document])
    assert records.documents.versions(document.id) == (document.version,)
    assert records.documents.load(document.id) == document
    assert records.documents.keys() == ("a", "document", "format", "source", "title")


def test_remove_leaves_no_row(records):
    document = simple(metadata={"a": "1"})
    add(records, document, simple("/b"))
    assert records.documents.remove([document.id, "unknown"]) == 1
    assert [entry.source for entry in records.documents.list()] == ["/b"]
    for table in ("documents", "document_contents"):
        assert records._database.rows(f"SELECT count(*) FROM {table}") == [(1,)]
    assert records._database.rows("SELECT count(*) FROM fields WHERE key = x'61'") == [(0,)]


def test_unknown_documents(records):
    for ask in (records.documents.load, records.documents.text, records.documents.entry, records.documents.find):
        with pytest.raises(UsageError, match="fonte list"):
            ask("nothing")


def test_damaged_text_is_an_error(records):
    document = simple()
    add(records, document)
    for column, damage in (("text", b"no zlib"), ("map", b"no zlib"), ("words", b"no words")):
        add(records, document)
        records._database.run(f"UPDATE document_contents SET {column} = ?", (damage,))
        with pytest.raises(StoreError, match="damaged"):
            records.documents.load(document.id)


def test_find(records):
    names = {"/one/manuals/pump.md": "manuals/pump.md", "/one/README.md": "README.md", "/two/README.md": "README.md"}
    made = [simple(source, name=name) for source, name in names.items()]
    accent = simple(unicodedata.normalize("NFD", "/three/Übung é.md"), name=unicodedata.normalize("NFD", "Übung é.md"))
    row = simple("/one/rows.jsonl#12", name="rows.jsonl#12")
    add(records, *made, accent, row)

    def found(wanted):
        return records.documents.find(wanted).source

    assert found("manuals/pump.md") == found("pump.md") == found("/one/manuals/pump.md") == "/one/manuals/pump.md"
    assert found(made[0].id) == "/one/manuals/pump.md"
    assert found("two/README.md") == "/two/README.md"
    assert found("Übung é.md") == found(unicodedata.normalize("NFD", "Übung é.md")) == accent.source
    assert found("rows.jsonl#12") == row.source
    with pytest.raises(UsageError, match=r"means 2 documents[^$]*/one/README.md\n  /two/README.md"):
        found("README.md")
    with pytest.raises(UsageError, match=r"Did you mean 'manuals/pump.md'"):
        found("manuals/pumps.md")
    for wanted in ("ump.md", "", "/", "%", "README_md", "\udce4", "\x00"):
        with pytest.raises(UsageError, match="There is no document"):
            found(wanted)


def test_a_long_pdf_is_small_and_quick_to_load(records):
    count = 60_000
    word_list = tuple(
        Word(
            i * 7,
            i * 7 + 6,
            Box(1 + i // 500, 72 + i % 10 * 45.25, 72 + i % 500 // 10 * 12.5, 110 + i % 10 * 45.25, 84.0),
        )
        for i in range(count)
    )
    document = simple("/a.pdf", "abcdef " * count, words=word_list)
    add(records, document)
    assert records.documents.load(document.id).words[-1] == word_list[-1]
    assert seconds(lambda: records.documents.load(document.id)) < 5  # measured .1 s
    stored = records._database.rows("SELECT length(text) + length(map) + length(words) FROM document_contents")[0][0]
    assert stored < 8 * count
