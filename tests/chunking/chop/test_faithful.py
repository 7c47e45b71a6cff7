"""The paper's CHOP over one stream: segments, inheritance, waves and cost; and its recipe at toy size."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.chunking import chunker_from, embedded_text
from fonte.chunking.chop.faithful import faithful_chop
from fonte.errors import EndpointError, ModelError
from fonte.settings import Settings
from tests.chunking.chop.stub_model import KnownModel

RECIPE = Path(__file__).parents[3] / "examples" / "papers" / "chop.toml"


def device(text):
    return text.split("device ")[1].split()[0]


def model_of_devices(**options):
    """Knows: two passages belong together if they name the same device; its signature is that device."""

    def true(user):
        first, second = user.split("[second passage")
        return 0.9 if device(first) == device(second) else 0.2

    def reply(user):
        name = device(user.rsplit("[passage", 1)[1])
        return json.dumps({"category": "device", "nouns": ["device part"], "model": name})

    return KnownModel(true, reply, **options)


@given(st.lists(st.sampled_from("ABC"), max_size=12))
def test_signatures_are_constant_within_a_segment(devices):
    texts = [f"part {number} of device {name} ." for number, name in enumerate(devices)]
    model = model_of_devices()
    found = faithful_chop(texts, model)
    assert [each.signature.get("model") for each in found] == devices
    begins = [number == 0 or devices[number - 1] != name for number, name in enumerate(devices)]
    assert [each.begins for each in found] == begins
    assert [each.signature.status == "extracted" for each in found] == begins
    assert [each.continuity for each in found] == [
        None if number == 0 else pytest.approx(0.2 if begin else 0.9) for number, begin in enumerate(begins)
    ]
    # N - 1 decisions and one extraction per segment, each charged to the chunk that needed it.
    assert sum(each.calls for each in found) == max(len(devices) - 1, 0) + sum(begins)
    assert (len(model.asked), len(model.written)) == (max(len(devices) - 1, 0), sum(begins))


def test_a_name_anywhere_in_the_segment_or_its_file_name_is_grounded():
    reply = '{"category": "pump", "nouns": null, "model": "P7"}'
    texts = ["A pump.", "It is the P7."]
    assert [each.signature.get("model") for each in faithful_chop(texts, KnownModel(reply=lambda user: reply))] == [
        "P7"
    ] * 2
    apart = KnownModel(true=lambda user: 0.1, reply=lambda user: reply)
    assert [each.signature.get("model") for each in faithful_chop(texts, apart)] == [None, "P7"]
    assert faithful_chop(texts, apart, grounds=["p7.pdf"])[0].signature.get("model") == "P7"


def test_failures_are_told_where_they_happened():
    found = faithful_chop(["a", "b", "c"], KnownModel(true=lambda user: ModelError("odd"), reply=lambda user: "no"))
    assert [each.signature.status for each in found] == ["failed"] * 3
    assert [each.signature.fields for each in found] == [()] * 3
    assert found[0].reason
    assert found[1].decision.status == "failed"
    assert [each.begins for each in found] == [True, False, False]
    gone = KnownModel(true=lambda user: EndpointError("down"), reply=lambda user: EndpointError("down"))
    assert len(faithful_chop(["a"] * 50, gone)) == 50
    assert len(gone.asked) < 40


def test_the_recipe_starts_at_toy_size(monkeypatch):
    from fonte.models import load_embedder, load_language_model
    from fonte.values import Document
    from tests.tiny import tiny_embedder_folder, tiny_language_model_folder

    monkeypatch.setenv("FONTE_CONFIG", str(RECIPE))
    paper = Settings.load()
    assert (paper.chunking.tokens, paper.chunking.overlap) == (500, 100)
    assert (paper.retrieval.mode, paper.generation.temperature) == ("dense", 0)
    toy = {
        "chunking": {"tokens": 40, "overlap": 8},
        "embedder": {"model": str(tiny_embedder_folder()), "window": 256},
        "language_model": {"model": str(tiny_language_model_folder(context_window=8192))},
    }
    settings = Settings.load(None, toy)
    embedder, language_model = load_embedder(settings), load_language_model(settings)
    text = " ".join(f"The pump {number} is cleaned with water every month." for number in range(5))
    chunks = chunker_from(settings.chunking, embedder, reserve=32).chunk(
        [Document("/d", "manual.txt", "Manual", text, "txt", "test")]
    )
    found = faithful_chop([chunk.text for chunk in chunks], language_model, grounds=["manual.txt"])
    assert len(found) == len(chunks) > 1
    assert all(each.signature.status in ("extracted", "inherited", "failed") for each in found)
    signed = [replace(chunk, signature=each.signature) for chunk, each in zip(chunks, found, strict=True)]
    assert len(embedder.embed_documents([embedded_text(chunk) for chunk in signed])) == len(chunks)
