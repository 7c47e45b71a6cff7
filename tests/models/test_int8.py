"""A cross-encoder in eight bits: the same order as in float32, made once, and only from safetensors."""

import numpy as np
import pytest
import torch

from fonte.errors import MissingExtraError, ModelError
from fonte.models import int8
from fonte.models.cross_encoder import Reranker
from fonte.models.loading import loading
from tests.tiny import tiny_reranker_folder

pytest.importorskip("onnxruntime", reason="needs the extra onnx")

PASSAGES = [
    "the power button", "hold the button for ten seconds", "the court", "battery", "", "漢字", "the battery " * 60,
]  # fmt: skip
PAIRS = [(question, passage) for question in ("power", "the court of the battery") for passage in PASSAGES]


@pytest.fixture(scope="module")
def folder():
    return str(tiny_reranker_folder(48))


@pytest.fixture(scope="module")
def eight(folder, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield Reranker.from_pretrained(folder, 3, dtype="int8")


def test_what_is_exported_is_the_model_itself(folder, tmp_path):
    exported = Reranker.from_pretrained(folder, 3)
    with loading("the model", "anything"):
        int8.export(exported.model, tmp_path / "float32.onnx")
    exported.model[0].model = int8.OnnxModel(exported.model[0].model.config, tmp_path / "float32.onnx")
    assert np.allclose(exported._scores(PAIRS), Reranker.from_pretrained(folder, 3)._scores(PAIRS), atol=1e-5)


def test_eight_bits_round_and_change_nothing_else(folder, eight):
    expected, found = Reranker.from_pretrained(folder, 3)._scores(PAIRS), eight._scores(PAIRS)
    assert found.shape == expected.shape
    # A random model's scores lie close together, and rounding is large beside them: a trained one's is not.
    assert 0 < np.abs(found - expected).max() < 0.2
    assert np.array_equal(eight.predict(PAIRS), eight.predict(PAIRS))
    assert eight.predict([]).shape == (0,)
    own = eight._scores([("power", passage) for passage in PASSAGES])
    assert [index for index, _ in eight.rank("power", PASSAGES)] == np.argsort(-own, kind="stable").tolist()


def test_it_is_another_model_for_whoever_compares(folder, eight):
    assert eight.fingerprint != Reranker.from_pretrained(folder, 3).fingerprint
    assert eight.window == Reranker.from_pretrained(folder, 3).window


def test_it_is_converted_once(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Reranker.from_pretrained(folder, dtype="int8")
    (file,) = (tmp_path / "fonte" / "int8").iterdir()
    before = file.stat().st_mtime_ns
    monkeypatch.setattr(int8, "export_int8", None)  # would fail if it were asked for
    Reranker.from_pretrained(folder, dtype="int8")
    assert file.stat().st_mtime_ns == before
    assert [other.name for other in file.parent.iterdir()] == [file.name]


def test_a_damaged_copy_says_so(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Reranker.from_pretrained(folder, dtype="int8")
    (file,) = (tmp_path / "fonte" / "int8").iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ModelError, match="int8"):
        Reranker.from_pretrained(folder, dtype="int8")


def test_a_missing_package_is_named(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(int8, "MADE_WITH", ("a_package_that_nobody_has",))
    with pytest.raises(MissingExtraError, match=r"fonte\[onnx\]"):
        Reranker.from_pretrained(folder, dtype="int8")


def test_what_is_no_classifier_is_refused(folder):
    plain = Reranker.from_pretrained(folder)
    plain.model.append(torch.nn.Identity())  # as models that generate their score have a module after the first
    with pytest.raises(ModelError, match="float32"):
        int8.to_int8(plain.model, "any")
