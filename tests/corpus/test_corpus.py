"""Searching, removing, filters, settings of strangers, and changes of the embedder."""

import pytest

from fonte.corpus import Corpus
from fonte.errors import CorpusError, UsageError
from fonte.settings import EmbedderSettings, LanguageModelSettings, Settings, refused_corpus_keys
from fonte.values import Place
from tests.tiny import tiny_embedder_folder


@pytest.fixture
def filled(corpus, library):
    corpus.add([library])
    return corpus


def test_search_finds_by_words_and_filters_before_searching(filled):
    found = filled.search("How many litres does the tank hold?")
    assert "12 litres" in found[0].chunk.text
    assert {passage.document for passage in filled.search("valve tank", where="year=2024")} == {"manuals/valve.md"}
    assert filled.search("tank", where="title=nothing") == []
    with pytest.raises(UsageError, match="language"):
        filled.search("tank", where="colour=red")


@pytest.mark.parametrize(
    "question", ["x" * 20_000, "tank\x00\x07", "\u202etank", "\n", "'; DROP TABLE", "AND OR NOT ("]
)
def test_hostile_questions_are_only_words(filled, question):
    assert len(filled.search(question)) <= 10


def test_asking_an_empty_corpus_is_a_result(corpus):
    answer = corpus.ask("What is the pressure?")
    assert answer.status == "not_in_sources"
    assert "empty" in answer.reason
    assert answer.record


def test_an_empty_question_is_refused(corpus):
    with pytest.raises(UsageError, match="question is empty"):
        corpus.ask(" \n")


def test_more_passages_than_the_corpus_has(tmp_path, library, settings):
    asked = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"passages": 200})})
    with Corpus.open(tmp_path / "corpus", asked, create=True) as corpus:
        corpus.add([library])
        assert 1 <= len(corpus.search("valve")) <= 4


def test_removing_takes_a_document_out_of_everything(filled):
    assert filled.remove(["valve.md"]) == ("manuals/valve.md",)
    assert filled.status()["documents"] == 3
    assert filled.missing_chunks() == 0
    assert all(passage.document != "manuals/valve.md" for passage in filled.search("valve"))
    with pytest.raises(UsageError):
        filled.remove(["valve.md"])


def test_purging_leaves_no_byte_behind(filled, library):
    secret = "Zq7vXk2mPw9sLd4tRb"
    (library / "secret.txt").write_text(f"The code is {secret}. It opens the door.", "utf-8")
    filled.add([library])
    filled.ask(f"What does {secret} open?")
    assert found_on_disk(filled.folder, secret)
    filled.remove(["secret.txt"], purge=True)
    assert not found_on_disk(filled.folder, secret)
    assert filled.status()["documents"] == 4


def test_purging_reaches_the_index_that_a_reindex_replaced(filled, library):
    secret = "Zq7vXk2mPw9sLd4tRb"
    (library / "secret.txt").write_text(f"The code is {secret}. It opens the door.", "utf-8")
    filled.add([library])
    filled.reindex()
    filled.remove(["secret.txt"], purge=True)
    assert not found_on_disk(filled.folder, secret)


def test_a_path_means_all_that_is_indexed_of_it(filled, library, monkeypatch):
    assert sorted(filled.remove([str(library / "rows.jsonl")])) == ["rows.jsonl#a", "rows.jsonl#b"]
    monkeypatch.chdir(library)
    assert len(filled.remove(["manuals", "manuals/valve.md"])) == 2
    assert filled.status()["documents"] == 0
    assert filled.status()["index_rows"] == 0


def test_a_file_with_rows_is_removed_by_its_name(filled):
    assert sorted(filled.remove(["rows.jsonl"])) == ["rows.jsonl#a", "rows.jsonl#b"]


@pytest.mark.parametrize("name", ["", " ", "nothing", "rows"])
def test_a_name_that_means_nothing_removes_nothing(filled, library, monkeypatch, name):
    monkeypatch.chdir(library)
    with pytest.raises(UsageError):
        filled.remove(["valve.md", name])
    assert filled.status()["documents"] == 4


def test_an_index_that_another_process_built_anew_is_noticed(filled, library, settings):
    assert filled.search("tank")
    with Corpus.open(filled.folder, settings) as other:
        other.reindex()
    assert filled.index.generation() == "0002"
    assert filled.search("tank")
    (library / "lamp.txt").write_text("The lamp is green.", "utf-8")
    assert filled.add([library]).counts == {"indexed": 1, "unchanged": 3}


def test_a_passage_of_a_document_that_was_removed_still_has_a_place(filled):
    passage = filled.search("valve opens")[0]
    filled.remove(["valve.md"])
    assert filled.place(passage, 0, 5) == Place(heading=passage.chunk.heading)


def test_a_server_that_fails_gives_an_incomplete_answer_with_its_passages(tmp_path, library, settings):
    model = LanguageModelSettings(model="x", endpoint="http://127.0.0.1:9/v1", retries=0, timeout=1)
    generation = settings.generation.model_copy(update={"mode": "auto"})
    asked = settings.model_copy(update={"language_model": model, "generation": generation})
    with Corpus.open(tmp_path / "corpus", asked, create=True) as corpus:
        corpus.add([library])
        answer = corpus.ask("How many litres does the tank hold?")
    assert answer.status == "incomplete"
    assert "127.0.0.1" in answer.reason
    assert answer.passages


def test_a_corpus_whose_making_was_killed_is_made_by_the_next_run(tmp_path, settings):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / ".corpus.json.4711").write_text("{", "utf-8")
    Corpus.open(folder, settings, create=True).close()
    Corpus.open(folder, settings).close()


def test_a_place_where_no_folder_can_be_is_no_place_for_a_corpus(tmp_path, settings):
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(CorpusError, match="Choose another folder"):
        Corpus.open(tmp_path / "file" / "corpus", settings, create=True)


def found_on_disk(folder, text):
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_another_embedder_needs_a_reindex(tmp_path, library, settings):
    with Corpus.open(tmp_path / "corpus", settings, create=True) as corpus:
        corpus.add([library])
    other = settings.model_copy(update={"embedder": EmbedderSettings(model=str(tiny_embedder_folder(256, 512, 1)))})
    with Corpus.open(tmp_path / "corpus", other) as corpus:
        with pytest.raises(CorpusError, match="fonte reindex"):
            corpus.search("tank")
        report = corpus.reindex()
        assert (report.documents, report.chunks) == (4, 4)
        assert "12 litres" in corpus.search("How many litres does the tank hold?")[0].chunk.text
        assert corpus.add([library]).counts == {"unchanged": 3}
        assert corpus.index.generation() == "0002"


def test_the_window_of_the_index_is_kept_when_the_settings_do_not_say_it(tmp_path, library, settings):
    wide = settings.model_copy(update={"embedder": settings.embedder.model_copy(update={"window": 512})})
    with Corpus.open(tmp_path / "corpus", wide, create=True) as corpus:
        corpus.add([library])
    with Corpus.open(tmp_path / "corpus", settings) as corpus:
        assert corpus.index.embedder.window == 512
        assert corpus.search("tank")


def test_a_corpus_may_not_name_models_or_endpoints(tmp_path, settings):
    folder = tmp_path / "corpus"
    Corpus.open(folder, settings, create=True).close()
    (folder / "fonte.toml").write_text(
        '[language_model]\nendpoint = "http://evil.example"\n[embedder]\nmodel = "/evil"\n[retrieval]\npassages = 3\n',
        "utf-8",
    )
    loaded = Settings.load(folder)
    assert loaded.language_model.endpoint is None
    assert loaded.embedder.model == "all-minilm-l6-v2"
    assert loaded.retrieval.passages == 3
    assert refused_corpus_keys(folder) == ("embedder", "language_model")


def test_a_newer_format_is_refused_with_advice(tmp_path, settings):
    folder = tmp_path / "corpus"
    Corpus.open(folder, settings, create=True).close()
    (folder / "corpus.json").write_text('{"format": 99, "made_with": "9.0"}', "utf-8")
    with pytest.raises(CorpusError, match="format 99"):
        Corpus.open(folder, settings)


def test_a_chunk_size_above_the_window_raises_it_and_says_so(tmp_path, library, settings):
    told = []
    wide = settings.model_copy(
        update={"chunking": settings.chunking.model_copy(update={"chunker": "fixed", "tokens": 500})}
    )
    with Corpus.open(tmp_path / "corpus", wide, create=True, tell=told.append) as corpus:
        corpus.add([library])
        assert corpus.index.embedder.window == 512
    assert "from 256 to 512" in told[0]


def test_a_corpus_with_links_out_of_it_is_refused(tmp_path, settings):
    folder = tmp_path / "corpus"
    Corpus.open(folder, settings, create=True).close()
    (folder / "index").symlink_to(tmp_path)
    with pytest.raises(CorpusError, match="links"):
        Corpus.open(folder, settings)


def test_one_path_and_one_name_need_no_list(corpus, library):
    path = next(path for path in sorted(library.iterdir()) if path.is_file())
    (report,) = corpus.add(str(path)).files
    assert (report.state, report.path) == ("indexed", str(path))
    names = [entry.document for entry in corpus.documents()]
    assert corpus.remove(names[0]) == (names[0],)
