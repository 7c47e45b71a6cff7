"""The chunker that signs: documents of a stream, room for the signature, budgets, and what an edit changes."""

from dataclasses import replace

import pytest

from fonte.chunking import embedded_text, keyword_text
from fonte.chunking.chop import BudgetedModel, signing_chunker
from fonte.chunking.chop.separation import units_of
from fonte.settings import ChopSettings, ChunkingSettings
from fonte.values import Document
from tests.chunking.chop.manuals import DEVICES, document, manual, stream
from tests.chunking.chop.stub_model import KnownModel
from tests.chunking.toy_embedder import ToyEmbedder


def chunker(model=None, embedder=None, fields=None, **settings):
    chunking = ChunkingSettings(chunker="chop")
    return signing_chunker(chunking, ChopSettings(**settings), embedder or ToyEmbedder(160), fields, model)


def test_a_merged_file_becomes_its_documents():
    units, starts, order = stream(4)
    merged = document(units)
    parts = chunker().separate([merged])
    assert [part.title for part in parts] == order
    assert [part.name for part in parts] == [f"merged.txt › {name}" for name in order]
    assert len({part.id for part in parts}) == len(order)
    assert [part.text for part in parts] == [
        "\n\n".join(units[start:end]) for start, end in zip(starts, [*starts[1:], len(units)], strict=True)
    ]
    for number, part in enumerate(parts, start=1):
        assert part.metadata["part"] == str(number)
        for block in part.blocks:
            assert part.text[block.start : block.end].strip()
        assert part.blocks[0].line == merged.blocks[starts[number - 1]].line  # places lead back into the file


def test_rows_single_files_and_streams_that_are_not_wanted_stay_as_they_are():
    units = stream(4)[0]
    rows = [document(manual(1), "a"), document(manual(2), "b")]
    assert chunker().separate(rows) == tuple(rows)
    assert chunker(streams=False).separate([document(units)]) == (document(units),)
    single = document(["Corvo 12 user manual", *manual(1)])
    assert chunker().separate([single]) == (single,)
    assert chunker().separate([]) == ()


def test_calibration_decides_with_and_changes_the_fingerprint():
    merged = document(stream(4)[0])
    assert chunker(shift=-20.0).separate([merged]) == (merged,)
    assert len(chunker(slope=0.9).separate([merged])) > 1
    prints = {chunker(**chosen).fingerprint for chosen in ({}, {"slope": 1.5}, {"shift": 0.5})}
    assert len(prints) == 3
    assert chunker(slope=1.0, shift=0.0).fingerprint == chunker().fingerprint


def test_every_chunk_is_signed_and_fits():
    embedder = ToyEmbedder(120)
    signing = chunker(embedder=embedder)
    parts = signing.separate([document(stream(4)[0])])
    chunks = signing.chunk(parts)
    titles = {part.id: part.title for part in parts}
    for chunk in chunks:
        assert chunk.signature.get("model") == titles[chunk.document_id]
        assert chunk.signature.status == ("extracted" if chunk.ordinal == 0 else "inherited")
        assert f"[model: {titles[chunk.document_id]}]" in embedded_text(chunk)
        assert titles[chunk.document_id] in keyword_text(chunk)
        assert embedder.count_tokens([embedded_text(chunk)])[0] + embedder.special_tokens <= embedder.window
        assert chunk.pipeline == signing.fingerprint
        assert titles[chunk.document_id] not in chunk.text or chunk.ordinal == 0


def test_a_name_longer_than_its_room_is_shortened_not_the_text():
    name = "Ardesa " + " ".join(f"Extra{number}" for number in range(60))
    long = replace(document(manual(1)), title=f"{name} user manual")
    embedder = ToyEmbedder(200)
    for chunk in chunker(embedder=embedder).chunk([long]):
        assert embedder.count_tokens([embedded_text(chunk)])[0] + embedder.special_tokens <= embedder.window


def test_fields_that_do_not_discriminate_or_are_not_wanted_are_left_out():
    source = replace(document(manual(1)), title="Ventalba 250: room air heat pump")
    assert dict(chunker().chunk([source])[0].signature.fields) == {
        "category": "room air heat pump",
        "model": "Ventalba 250",
    }
    assert dict(chunker(fields=["model"]).chunk([source])[0].signature.fields) == {"model": "Ventalba 250"}
    assert dict(chunker(leave_out=("category",)).chunk([source])[0].signature.fields) == {"model": "Ventalba 250"}
    assert dict(chunker(schema_name="legal").chunk([source])[0].signature.fields) == {"parties": "Ventalba 250"}


def test_an_edit_in_the_middle_changes_only_the_rows_that_it_touches():
    units, starts, _ = stream(4)
    signing = chunker()

    def rows(changed):
        return {embedded_text(chunk) for chunk in signing.chunk(signing.separate([document(changed)]))}

    before = rows(units)
    edited = [*units]
    edited[starts[3] + 5] += " A new sentence about the lamp."
    assert 1 <= len(rows(edited) - before) <= 2


def test_a_model_names_what_nothing_else_names_and_only_so_often():
    unnamed = [Document(f"/{at}", f"{at}.txt", "", "\n\n".join(manual(at)), "text", "test") for at in range(3)]
    reply = '{"category": "oven", "nouns": null, "model": "citric acid"}'
    model = KnownModel(reply=lambda text: reply)
    budgeted = BudgetedModel(model, limit=3)
    signing = chunker(model=lambda: budgeted, max_model_calls=3)
    first, second, third = (signing.chunk([one])[0].signature for one in unnamed)
    assert dict(first.fields) == dict(second.fields) == {"category": "oven", "model": "citric acid"}  # it stands there
    assert third.status == "budget"
    assert signing.model_calls == 2
    assert chunker().chunk(unnamed[:1])[0].signature.status == "unnamed"


def test_a_name_that_stands_nowhere_is_refused():
    model = KnownModel(reply=lambda text: '{"category": null, "nouns": null, "model": "Zephyr 900"}')
    signing = chunker(model=lambda: BudgetedModel(model, 20), max_model_calls=20)
    found = signing.chunk([Document("/x", "x.txt", "", "\n\n".join(manual(1)), "text", "test")])
    assert found[0].signature.get("model") is None


def test_faithful_asks_about_every_gap_and_stops_at_the_budget():
    model = KnownModel(true=lambda text: 0.9, reply=lambda text: '{"category": "oven", "nouns": null, "model": null}')
    budgeted = BudgetedModel(model, 1000)
    signing = chunker(model=lambda: budgeted, recipe="faithful", max_model_calls=1000)
    chunks = signing.chunk([document(manual(1))])
    assert signing.model_calls == len(chunks)  # the gaps, and one extraction
    assert {chunk.signature.get("category") for chunk in chunks} == {"oven"}
    broke = chunker(model=lambda: BudgetedModel(model, 1), recipe="faithful", max_model_calls=1)
    assert {chunk.signature.status for chunk in broke.chunk([document(manual(1))])} == {"budget"}


def test_the_fingerprint_knows_what_decides_a_signature():
    plain = chunker()
    assert plain.fingerprint == chunker().fingerprint
    others = [chunker(recipe="faithful"), chunker(fields=["model"]), chunker(max_model_calls=5), chunker(streams=False)]
    assert len({plain.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert chunker(max_model_calls=5).fingerprint == chunker(max_model_calls=500).fingerprint


def test_units_of_a_document_without_blocks():
    bare = Document("/x", "x", "", "Some text.", "text", "test")
    assert [(unit.start, unit.end) for unit in units_of(bare)] == [(0, 10)]
    assert chunker().chunk([Document("/e", "e", "", "", "text", "test")]) == []


@pytest.mark.parametrize("name", DEVICES[:2])
def test_file_names_name(name):
    source = document(manual(1), f"{name.replace(' ', '_')}.txt")
    assert chunker().chunk([source])[0].signature.get("model") == name
