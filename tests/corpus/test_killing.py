"""Killed with -9 in the middle, the next run finishes the work; nothing is doubled or lost."""

from tests.corpus.killing import (
    PROCESSES,
    holdings,
    ingest,
    kill_during,
    kill_many,
    seconds_of,
    settings_for,
    write_library,
)
from tests.tiny import tiny_embedder_folder

PROCESSES.set_forkserver_preload(["fonte.corpus.corpus", "sentence_transformers"])


def test_killed_ingests_and_reindexes_are_finished_by_the_next_run(tmp_path):
    hits = kill_many(tmp_path, str(tiny_embedder_folder(256, 512, 0)), kills=4, seed=1)
    assert min(hits.values()) >= 1


def test_a_killed_replacement_keeps_every_document_answering(tmp_path):
    settings = settings_for(str(tiny_embedder_folder(256, 512, 0)), 120)
    library = write_library(tmp_path / "library", files=8)
    usual = seconds_of(ingest, str(tmp_path / "corpus"), str(library), settings)
    before = holdings(tmp_path / "corpus", settings)
    write_library(library, files=8, edition=1)
    kill_during(ingest, usual / 2, str(tmp_path / "corpus"), str(library), settings)
    middle = holdings(tmp_path / "corpus", settings)
    assert middle.keys() == before.keys()
    seconds_of(ingest, str(tmp_path / "corpus"), str(library), settings)
    after = holdings(tmp_path / "corpus", settings)
    assert sum(before[key] != after[key] for key in before) == 3
