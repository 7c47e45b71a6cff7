"""Groups of files: they hold before a file is read, for each of its rows, and when it comes back."""

import pytest

from fonte.errors import UsageError
from fonte.records import IndexedDocument, Records, SourceFile
from fonte.values import Document


@pytest.fixture
def records(tmp_path):
    with Records.open(tmp_path / "records.db") as opened:
        yield opened


def index(records, source, *rows):
    documents = [Document(f"{source}#{row}", row, row, "text", "jsonl", "r") for row in rows]
    records.ledger.begin([SourceFile(source, source, source)])
    records.ledger.prepare(source, documents)
    yield documents
    records.ledger.commit(source, "c", "p", [IndexedDocument(each.id, each.version, 1) for each in documents])


def test_groups_hide_every_row_of_a_file_also_while_it_is_read(records):
    records.groups.set("/a.jsonl", ["legal", "hr"])
    steps = index(records, "/a.jsonl", "one", "two")
    documents = next(steps)
    ids = {each.id for each in documents}
    assert records.groups.hidden(["sales"]) == ids
    next(steps, None)
    assert records.groups.hidden(["sales"]) == records.groups.hidden([]) == ids
    assert records.groups.hidden(["hr"]) == frozenset()
    assert records.groups.of_document(documents[0].id) == {"legal", "hr"}


def test_groups_stay_when_documents_go_and_hold_when_they_come_back(records):
    records.groups.set("/a.jsonl", ["legal"])
    for _ in range(2):
        (documents,) = index(records, "/a.jsonl", "one")
        assert records.groups.hidden([]) == {documents[0].id}
        records.ledger.forget_documents([documents[0].id])
        assert records.groups.hidden([]) == frozenset()
        assert records.groups.of_sources() == {"/a.jsonl": {"legal"}}


def test_a_purge_of_the_file_forgets_them(records):
    records.groups.set("/a.jsonl", ["legal"])
    list(index(records, "/a.jsonl", "one"))
    records.purge([], ["/a.jsonl"])
    assert records.groups.of_sources() == {}


def test_no_groups_open_a_file_to_everybody(records):
    records.groups.set("/ü.txt", ["legal", "legal"])
    assert records.groups.of_sources() == {"/ü.txt": {"legal"}}
    records.groups.set("/ü.txt", [])
    assert records.groups.of_sources() == {}


@pytest.mark.parametrize("name", ["", " ", " legal"])
def test_names_of_groups_are_words(records, name):
    with pytest.raises(UsageError, match="name of a group"):
        records.groups.set("/a", [name])
