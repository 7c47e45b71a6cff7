"""Fixtures for every room: the default models, and a user's home in which nothing is configured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from fonte.models.embedder import Embedder
    from fonte.models.local import LocalLanguageModel

# Before any library reads them: tests never ask the hub, and two processes do not fight for the cores.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault(
    "OMP_NUM_THREADS", "1" if "PYTEST_XDIST_WORKER" in os.environ else str(min(os.cpu_count() or 1, 4))
)

# The same examples in every run, so that what failed fails again; `--hypothesis-profile=random` looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("fixed")

DEFAULT_MODELS = ("all-minilm-l6-v2", "smollm2-135m-instruct")


def _real_model_folder() -> Path:
    from fonte.models.folder import model_folder

    return model_folder().absolute()


MODEL_FOLDER = _real_model_folder()


@pytest.fixture(autouse=True, scope="session")
def _user_without_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point every user folder to an empty one, so that no test reads or writes the developer's own."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("FONTE_")]:
            patch.delenv(name)
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(home / name.lower()))
        patch.setenv("FONTE_CONFIG", str(home / "fonte.toml"))
        patch.setenv("FONTE_MODELS", str(MODEL_FOLDER))
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is marked `models` where the default models have not been fetched."""
    missing = [name for name in DEFAULT_MODELS if not (MODEL_FOLDER / name / "model.json").is_file()]
    if missing and item.get_closest_marker("models"):
        pytest.skip(f"{', '.join(missing)} not in {MODEL_FOLDER}; run: fonte download (or set FONTE_MODELS)")


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default embedder; for tests marked `models`."""
    from fonte.models import Embedder

    return Embedder.from_pretrained("all-minilm-l6-v2")


@pytest.fixture(scope="session")
def language_model() -> LocalLanguageModel:
    """The default language model; for tests marked `models`."""
    from fonte.models import LocalLanguageModel

    return LocalLanguageModel.from_pretrained("smollm2-135m-instruct")


@pytest.fixture
def fresh_accelerator() -> Iterator[None]:
    """Let a test choose accelerate's precision, which otherwise belongs to the process from its first use on."""
    from accelerate.state import AcceleratorState

    AcceleratorState._reset_state(reset_partial_state=True)
    yield
    AcceleratorState._reset_state(reset_partial_state=True)
