from __future__ import annotations

import shutil

import pytest
import torch

from fonte.errors import ModelError
from fonte.models.gguf import dequantised
from fonte.models.local import LocalLanguageModel
from fonte.values import Prompt
from tests.models.tiny_gguf import write_tiny_gguf

PROMPT = Prompt("Be brief.", "Who? <|im_end|>")


@pytest.fixture(autouse=True)
def _own_model_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))


def logits(model: LocalLanguageModel) -> torch.Tensor:
    with torch.no_grad():
        return model.model(torch.tensor([model.segment(PROMPT).token_ids])).logits[0, -1, :259].float()


def test_a_gguf_file_is_the_model_it_was_written_from(tmp_path):
    folder = write_tiny_gguf(tmp_path / "tiny.gguf")
    source = LocalLanguageModel.from_pretrained(str(folder), dtype="float32")
    loaded = LocalLanguageModel.from_pretrained(str(tmp_path / "tiny.gguf"), dtype="float32")
    assert loaded.segment(PROMPT) == source.segment(PROMPT)
    assert torch.allclose(logits(loaded), logits(source), atol=1e-4)


def test_it_is_converted_once_whatever_it_is_called(tmp_path):
    write_tiny_gguf(tmp_path / "tiny.gguf", quantised=True)
    first = dequantised(tmp_path / "tiny.gguf")
    before = (first / "model.safetensors").stat().st_mtime_ns
    shutil.copy(tmp_path / "tiny.gguf", tmp_path / "other.gguf")
    assert dequantised(tmp_path / "other.gguf") == first
    assert (first / "model.safetensors").stat().st_mtime_ns == before
    assert not list(first.parent.glob(".partial-*"))
    assert LocalLanguageModel.from_pretrained(str(tmp_path / "other.gguf")).model.config.max_position_embeddings == 4096


def test_quantised_weights_become_bfloat16_that_can_be_saved(tmp_path):
    write_tiny_gguf(tmp_path / "tiny.gguf", quantised=True)
    folder = dequantised(tmp_path / "tiny.gguf")
    from safetensors import safe_open

    with safe_open(folder / "model.safetensors", "pt") as tensors:
        assert tensors.get_tensor("model.embed_tokens.weight").dtype == torch.bfloat16
    LocalLanguageModel.from_pretrained(str(folder)).model.save_pretrained(tmp_path / "trained")


@pytest.mark.parametrize("content", [b"GGUF", b"GGUF" + b"\x00" * 200, b"GGUF\x03\x00\x00\x00" + b"\xff" * 64])
def test_damaged_files_are_refused_and_leave_nothing(tmp_path, content):
    file = tmp_path / "bad.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelError, match="cannot be loaded as a GGUF"):
        dequantised(file)
    assert not [path for path in (tmp_path / "models" / ".gguf").glob("*") if path.is_dir()]


def test_a_file_cut_short_is_refused(tmp_path):
    write_tiny_gguf(tmp_path / "tiny.gguf")
    whole = (tmp_path / "tiny.gguf").read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="cannot be loaded as a GGUF"):
        dequantised(tmp_path / "cut.gguf")
