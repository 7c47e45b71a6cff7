from __future__ import annotations

import hashlib
import json
import os
import shutil

import pytest

from fonte.errors import ModelError
from fonte.models.weights import model_fingerprint, require_safe, weights_fingerprint


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "m" / "config.json").write_text('{"a": 1, "transformers_version": "5"}')
    return tmp_path / "m"


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pkl", "weights.ckpt"])
def test_pickled_weights_alone_are_refused_beside_safe_ones_ignored(folder, name):
    (folder / name).write_bytes(b"cos\nsystem\n")
    assert require_safe(folder) == folder
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=f"{name} is pickled"):
        require_safe(folder)


def test_pickled_weights_in_a_module_are_refused(folder):
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(b"x")
    assert require_safe(folder) == folder
    modules = [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError, match="2_Dense"):
        require_safe(folder)


@pytest.mark.parametrize(
    ("modules", "complaint"),
    [
        ([{"type": "os.system", "path": ""}], "code of its own"),
        ([{"type": "sentence_transformers.models.Dense", "path": "../outside"}], "outside"),
        ({"type": "x"}, "not a list"),
        ([1], "not a list"),
    ],
)
def test_module_lists_that_would_run_code_are_refused(folder, modules, complaint):
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError, match=complaint):
        require_safe(folder)


def test_files_must_be_gguf(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF....")
    assert require_safe(file) == file
    file.write_bytes(b"PK..")
    with pytest.raises(ModelError, match="not a GGUF file"):
        require_safe(file)
    with pytest.raises(ModelError, match="no weights"):
        require_safe(tmp_path / "..")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="no weights"):
        require_safe(tmp_path / "empty")


def test_the_fingerprint_is_the_content_and_a_changed_file_is_read_again(folder):
    assert weights_fingerprint(folder) == hashlib.sha256(b"weights").hexdigest()
    file = folder / "model.safetensors"
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_bytes(b"WEIGHTS")
    os.utime(file, ns=times)
    assert weights_fingerprint(folder) == hashlib.sha256(b"WEIGHTS").hexdigest()


def test_several_files_count_by_content_not_by_name(folder, tmp_path):
    (folder / "model-2.safetensors").write_bytes(b"more")
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "model-2.safetensors").rename(other / "z.safetensors")
    assert weights_fingerprint(other) == weights_fingerprint(folder) != hashlib.sha256(b"weights").hexdigest()


def test_configuration_counts_library_versions_do_not(folder):
    first = model_fingerprint(folder)
    (folder / "config.json").write_text('{"transformers_version": "6",\n "a": 1}')
    (folder / "README.md").write_text("x")
    (folder / "model.json").write_text("{}")
    assert model_fingerprint(folder) == first
    assert model_fingerprint(folder, "part") != first
    (folder / "config.json").write_text('{"a": 2}')
    assert model_fingerprint(folder) != first


def test_a_damaged_cache_costs_time_only(folder):
    from fonte.models.folder import user_cache

    expected = weights_fingerprint(folder)
    (user_cache() / "weights.json").write_text("{broken")
    assert weights_fingerprint(folder) == expected
