"""A cross-encoder in eight bits: the same order as in float32, made once, and only from safetensors."""

import json
import logging
import shutil

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from fonte.errors import MissingExtraError, ModelError, UsageError
from fonte.models import int8
from fonte.models.cross_encoder import Reranker
from fonte.models.loading import loading
from tests.tiny import tiny_reranker_folder, word_piece_tokenizer

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


def test_a_damaged_copy_is_made_again(folder, eight, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Reranker.from_pretrained(folder, dtype="int8")
    (file,) = (tmp_path / "fonte" / "int8").iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    again = Reranker.from_pretrained(folder, 3, dtype="int8")
    assert np.array_equal(again._scores(PAIRS), eight._scores(PAIRS))


def test_another_configuration_is_another_model(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    changed = tmp_path / "changed"
    shutil.copytree(folder, changed)
    before = Reranker.from_pretrained(str(changed), dtype="int8")._scores(PAIRS)
    config = json.loads((changed / "config.json").read_text())
    (changed / "config.json").write_text(json.dumps(config | {"hidden_act": "relu", "num_attention_heads": 1}))
    assert not np.array_equal(Reranker.from_pretrained(str(changed), dtype="int8")._scores(PAIRS), before)


def test_a_score_does_not_depend_on_its_company(eight):
    alone = [float(eight._scores([pair])[0]) for pair in PAIRS]
    assert eight._scores(PAIRS).tolist() == alone


def test_the_head_and_the_last_wide_products_stay_as_they_are(tmp_path):
    onnx = pytest.importorskip("onnx")
    config = BertConfig(
        vocab_size=100,
        hidden_size=16,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path / "model")
    word_piece_tokenizer(48).save_pretrained(tmp_path / "model")
    plain = Reranker.from_pretrained(str(tmp_path / "model"))
    graph = onnx.load(int8.export_int8(plain.model, tmp_path / "int8.onnx")).graph
    rounded = {name.removesuffix("_quantized") for node in graph.node for name in node.input if "_quantized" in name}
    kept = {each.name: list(each.dims) for each in graph.initializer if len(each.dims) == 2}
    assert any("classifier" in name for name in kept)
    assert not any("classifier" in name or "pooler" in name for name in rounded)
    products = [node for node in graph.node if node.op_type == "MatMulInteger"]
    assert len(products) == 4 * 6 - 3  # all of the layers, but for half of the last


def test_other_formats_and_devices_are_refused_and_nothing_is_saved(folder, eight, tmp_path):
    with pytest.raises(UsageError, match="float32 or int8"):
        Reranker.from_pretrained(folder, dtype="bfloat16")
    with pytest.raises(UsageError, match="CPU"):
        Reranker.from_pretrained(folder, dtype="int8", device="cuda")
    with pytest.raises(UsageError, match="float32"):
        eight.save_pretrained(tmp_path / "saved")


def test_other_threads_are_heard_again_afterwards(folder, tmp_path):
    level, disabled = logging.getLogger("torch.onnx").level, logging.root.manager.disable
    int8.export_int8(Reranker.from_pretrained(folder).model, tmp_path / "a.onnx")
    assert (logging.getLogger("torch.onnx").level, logging.root.manager.disable) == (level, disabled)


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
