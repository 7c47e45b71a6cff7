"""What other programs rely on: shapes, exit codes, and which stream a thing is printed on."""

import subprocess
import sys

import pytest

PASSAGE = {"passage_id", "document", "start", "end", "text", "retrieval_score", "rerank_score"}
ANSWER = {
    "status",
    "reason",
    "answer",
    "citations",
    "passages",
    "invented_markers",
    "dropped_passages",
    "record",
    "seconds",
}
CITATION = {
    "passage_id",
    "document",
    "page",
    "boxes",
    "answer_start",
    "answer_end",
    "marker_start",
    "marker_end",
    "source_start",
    "source_end",
    "quote",
    "origin",
    "status",
}


def test_add_prints_one_object_with_a_state_for_every_file(fonte, library):
    run = fonte("add", library, "--json")
    assert run.code == 0
    assert {file["state"] for file in run.json["files"]} == {"indexed"}
    assert all({"path", "state", "reason", "chunks"} == set(file) for file in run.json["files"])
    assert run.json["counts"] == {"indexed": 2}


def test_add_ends_with_3_when_a_file_failed_and_goes_on(fonte, library):
    (library / "broken.pdf").write_bytes(b"%PDF-1.4")
    run = fonte("add", library, "--json")
    assert run.code == 3
    assert run.json["counts"] == {"indexed": 2, "failed": 1}


def test_ask_prints_the_contract(fonte, library):
    fonte("add", library)
    run = fonte("ask", "At what pressure does the valve open?", "--mode", "quote", "--json")
    assert run.code == 0
    answer = run.json
    assert set(answer) >= ANSWER
    assert answer["status"] in ("answered", "not_in_sources")
    assert set(answer["seconds"]) == {"retrieve", "rerank", "generate"}
    assert all(set(passage) == PASSAGE for passage in answer["passages"])
    for citation in answer["citations"]:
        assert set(citation) == CITATION
        assert answer["answer"][citation["marker_start"] : citation["marker_end"]].startswith("[")


def test_ask_without_a_record_keeps_none(fonte, library):
    fonte("add", library)
    assert fonte("ask", "valve?", "--mode", "quote", "--no-record", "--json").json["record"] == ""
    assert fonte("status", "--json").json["answers"] == 0


def test_search_prints_passages(fonte, library):
    fonte("add", library)
    run = fonte("search", "pump hours", "--json")
    assert run.code == 0
    assert "40 hours" in run.json["passages"][0]["text"]
    assert set(run.json["passages"][0]) == PASSAGE


def test_where_filters_and_explains_unknown_keys(fonte, library):
    fonte("add", library)
    documents = fonte("list", "--where", "year=2024", "--json").json["documents"]
    assert [document["document"] for document in documents] == ["valve.md"]
    run = fonte("search", "pump", "--where", "color=red")
    assert run.code == 2
    assert "year" in run.err


def test_status_prints_counts(fonte, library):
    fonte("add", library)
    status = fonte("status", "--json").json
    assert status["documents"] == 2
    assert status["chunks"] == status["index_rows"] == 2
    assert status["unindexed_rows"] >= 0
    assert status["states"]["indexed"] == 2


def test_the_record_of_an_answer_is_named_and_listed(fonte, library):
    fonte("add", library)
    run = fonte("ask", "At what pressure does the valve open?", "--mode", "quote")
    (record,) = fonte("list", "--records", "--json").json["records"]
    assert record["question"] == "At what pressure does the valve open?"
    assert f"Record {record['id']}" in run.err
    assert record["id"] in fonte("list", "--records").out
    assert fonte("explain", "ffff").code == 2


def test_effects_need_a_record_and_say_so_before_they_begin(fonte, library):
    fonte("add", library)
    run = fonte("ask", "valve?", "--mode", "quote", "--effects", "--no-record")
    assert (run.code, run.out) == (2, "")


def test_the_streamed_answer_ends_its_line_before_anything_else_is_said(fonte, library, monkeypatch):
    fonte("add", library)
    monkeypatch.setattr(sys, "stderr", sys.stdout)  # as on a terminal, where both are seen in turn
    run = fonte("ask", "At what pressure does the valve open?", "--mode", "quote", "--effects")
    lines = run.out.splitlines()
    (told,) = (number for number, line in enumerate(lines) if "Measuring" in line)
    assert lines[told].startswith("Measuring")
    assert lines[told - 1].endswith("]")


def test_adding_what_is_not_there_makes_no_corpus(fonte, tmp_path):
    assert fonte("add", "missing").code == 2
    assert not (tmp_path / "fonte-corpus").exists()


def test_a_disk_that_fails_is_a_message_and_no_stack_of_calls(fonte, library, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fonte.corpus.Corpus.add", full)
    run = fonte("add", library)
    assert run.code == 3
    assert "No space left" in run.err


def test_an_interrupted_run_says_that_it_can_go_on(fonte, library, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fonte.corpus.Corpus.add", interrupt)
    run = fonte("add", library)
    assert run.code == 130
    assert "same command again" in run.err


def test_looking_at_a_corpus_loads_no_model():
    program = "import sys, fonte.corpus.corpus; print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_show_and_remove(fonte, library):
    fonte("add", library)
    shown = fonte("show", "pump.txt", "--json").json
    assert shown["text"].startswith("The pump runs")
    assert fonte("remove", "pump.txt", "--purge", "--json").json == {"removed": ["pump.txt"], "purged": True}
    assert fonte("show", "pump.txt").code == 2


def test_reindex_with_another_chunk_size(fonte, library):
    fonte("add", library)
    run = fonte("reindex", "--tokens", "40", "--json")
    assert run.code == 0
    assert run.json["documents"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "x"),
        ("status",),
        ("add", "missing"),
        ("ask",),
        ("bogus",),
        ("add", ".", "--chunker", "magic"),
    ],
)
def test_mistakes_end_with_2_and_say_what_to_do(fonte, arguments):
    run = fonte(*arguments)
    assert run.code == 2
    assert run.out == ""
    assert len(run.err) > 20


def test_text_of_documents_cannot_move_the_cursor(fonte, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "odd.txt").write_text("The lamp is \u202egreen\x1b[2J and bright.\n", "utf-8")
    fonte("add", folder)
    for run in (fonte("search", "lamp"), fonte("show", "odd.txt")):
        assert "\u202e" not in run.out
        assert "\x1b" not in run.out


def test_help_is_fast_to_load_and_needs_no_model():
    program = (
        "import sys; sys.argv = ['fonte', '--help']\nfrom fonte.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    )
    heavy = "print(sorted({'torch', 'lancedb', 'pydantic', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", program + heavy], capture_output=True, text=True, check=True)
    assert run.stderr.strip() == "[]"
    assert "reindex" in run.stdout


@pytest.mark.models
def test_the_default_models_answer_and_recognise_what_is_not_there(fonte, library, monkeypatch):
    for name in ("FONTE_EMBEDDER__MODEL", "FONTE_LANGUAGE_MODEL__MODEL", "FONTE_RETRIEVAL__MODE"):
        monkeypatch.delenv(name)
    fonte("add", library)
    run = fonte("ask", "At what pressure does the valve 7 open?", "--mode", "quote", "--json")
    assert run.json["answer"] == "The valve opens at 3 bar. [1]"
    citation = run.json["citations"][0]
    assert (citation["quote"], citation["origin"], citation["status"]) == (
        "The valve opens at 3 bar.",
        "quote",
        "verbatim",
    )
    refused = fonte("ask", "Who won the chess tournament in Lima?", "--mode", "quote", "--json")
    assert refused.code == 0
    assert refused.json["status"] == "not_in_sources"
