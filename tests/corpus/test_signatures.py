"""Signatures in a corpus: merged files, what is shown of them, what an ingest would cost, and the choice of fields."""

import json

import pytest
from typer.testing import CliRunner

from fonte.chunking import embedded_text
from fonte.cli.main import app
from fonte.corpus import Corpus
from fonte.settings import ChopSettings, ChunkingSettings
from tests.chunking.chop.manuals import manual, stream


@pytest.fixture
def signing(settings):
    chosen = {"chunking": ChunkingSettings(chunker="chop"), "chop": ChopSettings(max_model_calls=0)}
    return settings.model_copy(update=chosen)


@pytest.fixture
def merged(tmp_path, signing):
    """A corpus over one file that is eight manuals, and the devices in order."""
    units, starts, order = stream(4)
    (tmp_path / "merged.txt").write_text("\n\n".join(units), "utf-8")
    with Corpus.open(tmp_path / "corpus", signing, create=True) as corpus:
        corpus.add([tmp_path / "merged.txt"])
        yield corpus, order, units, starts


def test_the_documents_of_a_merged_file_are_listed_found_and_filtered(merged):
    corpus, order, *_ = merged
    assert [entry.title for entry in corpus.documents()] == sorted(order)
    found = corpus.search(f"{order[2]} descaling citric acid")[0]
    assert found.document == f"merged.txt › {order[2]}"
    assert found.chunk.signature.get("model") == order[2]
    only = corpus.search("citric acid", where=f'title = "{order[5]}"')
    assert {passage.document for passage in only} == {f"merged.txt › {order[5]}"}
    assert len(corpus.documents(where="file = merged.txt")) == len(order)
    assert corpus.add([found_path(corpus)]).counts == {"unchanged": 1}


def found_path(corpus):
    return corpus.folder.parent / "merged.txt"


def test_what_is_shown_is_calibrated_as_the_settings_say(merged, monkeypatch):
    corpus, *_ = merged
    chosen = corpus.settings.chop.model_copy(update={"shift": -3.0})
    before = [segment.continuity for segment in corpus.signatures("merged.txt")]
    monkeypatch.setattr(corpus, "settings", corpus.settings.model_copy(update={"chop": chosen}))
    after = [segment.continuity for segment in corpus.signatures("merged.txt")]
    assert after[0] == before[0] == 0.0
    assert all(new > old for old, new in zip(before[1:], after[1:], strict=True))


def test_an_edit_embeds_only_what_changed(merged, monkeypatch):
    corpus, _, units, starts = merged
    embedded = []
    embedder = corpus.index.embedder
    real = type(embedder).embed_documents

    def counted(self, texts):
        embedded.extend(texts)
        return real(self, texts)

    monkeypatch.setattr(type(embedder), "embed_documents", counted)
    units[starts[3] + 5] += " A sentence that is new."
    found_path(corpus).write_text("\n\n".join(units), "utf-8")
    assert corpus.add([found_path(corpus)]).counts == {"replaced": 1}
    assert 1 <= len(embedded) <= 2
    assert any("sentence that is new" in text for text in embedded)


def test_what_is_shown(merged):
    corpus, order, *_ = merged
    segments = corpus.signatures("merged.txt")
    assert [segment.signature.get("model") for segment in segments] == order
    assert segments[0].continuity == 0.0
    assert all(segment.continuity < 0.6 for segment in segments)
    assert all(gap.continuity > 0.5 for segment in segments for gap in segment.gaps[1:])
    shape = segments[1].to_json()
    assert shape["signature"] == {"category": None, "nouns": None, "model": order[1]}
    assert shape["sources"] == {"model": "title"}
    assert shape["start"] == 0
    assert shape["end"] > 0
    assert len(corpus.signatures(f"merged.txt › {order[1]}")) == 1


def test_the_command_prints_them(merged):
    corpus, order, *_ = merged
    run = CliRunner().invoke
    base = ["show", "merged.txt", "--signatures", "--corpus", str(corpus.folder)]
    shown = json.loads(run(app, [*base, "--json"]).stdout)
    assert [segment["signature"]["model"] for segment in shown["segments"]] == order
    page = run(app, [*base, "--html"]).stdout
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert all(name in page for name in order)
    text = run(app, base).stdout
    assert f"model: {order[0]}  (from title)" in text


def test_a_page_escapes_what_documents_say(tmp_path, signing):
    (tmp_path / "x.txt").write_text("Zeta <script>alert(1)</script> 5\n\n" + "\n\n".join(manual(1)), "utf-8")
    from fonte.corpus.signature_page import signature_page

    with Corpus.open(tmp_path / "corpus", signing, create=True) as corpus:
        corpus.add([tmp_path / "x.txt"])
        assert "<script" not in signature_page("<script>", corpus.signatures("x.txt"))


def test_an_estimate_changes_nothing_and_counts(merged, tmp_path):
    corpus, order, *_ = merged
    before = corpus.status()
    cost = corpus.estimate([found_path(corpus)])
    assert corpus.status() == before
    assert (cost.files, cost.documents, cost.model_calls) == (1, len(order), 0)
    assert cost.chunks == before["chunks"]
    assert cost.embed_tokens > 8 * 14 * 10
    assert cost.seconds > 0
    (tmp_path / "bare.txt").write_text("\n\n".join(manual(2)), "utf-8")
    assert corpus.estimate([tmp_path / "bare.txt"], max_model_calls=1).model_calls == 1
    assert corpus.estimate([tmp_path / "bare.txt"], max_model_calls=9).model_calls == 2


def test_a_dry_run_makes_no_corpus(tmp_path, monkeypatch, tiny_models):
    monkeypatch.setenv("FONTE_EMBEDDER__MODEL", tiny_models[0])
    (tmp_path / "bare.txt").write_text("\n\n".join(manual(2)), "utf-8")
    command = ["add", str(tmp_path / "bare.txt"), "--corpus", str(tmp_path / "none"), "--chunker", "chop"]
    result = CliRunner().invoke(app, [*command, "--dry-run", "--max-model-calls", "1", "--json"])
    assert json.loads(result.stdout) | {"seconds": 0} == {
        "dry_run": True,
        "files": 1,
        "unreadable": 0,
        "documents": 1,
        "chunks": json.loads(result.stdout)["chunks"],
        "model_calls": 1,
        "model_tokens": 900,
        "embed_tokens": json.loads(result.stdout)["embed_tokens"],
        "seconds": 0,
    }
    assert not (tmp_path / "none").exists()


def test_reindex_leaves_out_what_does_not_discriminate(tmp_path, signing):
    folder = tmp_path / "ovens"
    folder.mkdir()
    for number in range(4):
        text = "\n\n".join([f"# Ardesa {210 + 10 * number}: steam oven", *manual(number)])
        (folder / f"oven{number}.md").write_text(text, "utf-8")
    with Corpus.open(tmp_path / "corpus", signing, create=True) as corpus:
        corpus.add([folder])
        chunk = corpus.search("Ardesa 220")[0].chunk
        assert dict(chunk.signature.fields) == {"category": "steam oven", "model": "Ardesa 220"}
        corpus.reindex()
        chunk = corpus.search("Ardesa 220")[0].chunk
        assert dict(chunk.signature.fields) == {"model": "Ardesa 220"}
        assert embedded_text(chunk).startswith("[model: Ardesa 220]")
        assert corpus.add([folder]).counts == {"unchanged": 4}


def test_nouns_of_topics_can_be_had_for_a_corpus_that_is_there(tmp_path, signing):
    folder = tmp_path / "ovens"
    folder.mkdir()
    for number in range(4):
        text = "\n\n".join(
            [
                f"# Ardesa {210 + 10 * number}",
                "## Filter",
                "Rinse the filter. " * 60,
                "## Timer",
                "Set the timer. " * 60,
            ]
        )
        (folder / f"oven{number}.md").write_text(text, "utf-8")
    with Corpus.open(tmp_path / "corpus", signing, create=True) as corpus:
        corpus.add([folder])
    chosen = signing.chop.model_copy(update={"nouns": True})
    with Corpus.open(tmp_path / "corpus", signing.model_copy(update={"chop": chosen})) as corpus:
        corpus.reindex()
        segments = [segment for segment in corpus.signatures("oven1.md") if segment.signature.get("nouns")]
        assert {segment.signature.get("model") for segment in segments} == {"Ardesa 220"}
        assert [segment.gaps[0].decision for segment in segments][1:] == ["new topic"] * (len(segments) - 1)
        assert len(segments) > 1
        assert all(segment.sources["nouns"] == "text" for segment in segments)
