"""Is everything in place? One check per thing that can be missing, each with what to do."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import fonte
from fonte.corpus.manifest import FILE_NAME
from fonte.corpus.probes import kept_probes
from fonte.errors import FonteError
from fonte.models import installed, model_folder
from fonte.settings import Settings, refused_corpus_keys, user_config_path

if TYPE_CHECKING:
    from fonte.corpus.corpus import Corpus

EXTRAS = {
    "local": ("torch", "transformers", "sentence_transformers", "gguf", "accelerate", "llguidance"),
    "pdf": ("pypdfium2",),
    "office": ("docx", "openpyxl", "pptx"),
    "ocr": ("rapidocr", "onnxruntime"),
    "onnx": ("onnx", "onnxruntime", "onnxscript"),
}
# Without these the main job cannot run or common files cannot be read.
NEEDED = ("local", "pdf", "office")


@dataclass(frozen=True)
class Check:
    """The result of one check: `good`, `optional` (missing, but only needed for more) or `attention`."""

    name: str
    status: str
    detail: str

    def to_json(self) -> dict[str, str]:
        """Return the shape that `fonte doctor --json` prints."""
        return asdict(self)


def examine(folder: Path, settings: Settings) -> list[Check]:
    """Check the packages, the models, the settings and, where there is one, the corpus at `folder`."""
    return [*_packages(), *_models(settings), *_probes(), *_settings(folder), *_corpus(folder, settings)]


def _packages() -> Iterator[Check]:
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if not missing:
            yield Check(f"extra {extra}", "good", "installed")
        else:
            status = "attention" if extra in NEEDED else "optional"
            yield Check(f"extra {extra}", status, f"missing {', '.join(missing)}: pip install 'fonte[{extra}]'")


def _models(settings: Settings) -> Iterator[Check]:
    here = {model.name: model for model in installed()}
    chosen = settings.language_model
    if chosen.endpoint:
        yield Check("model at endpoint", "good", f"{chosen.model} at {chosen.endpoint}")
    names = (settings.embedder.model, settings.reranker.model, None if chosen.endpoint else chosen.model)
    for name in filter(None, names):
        if name in here:
            yield Check(f"model {name}", "good", str(here[name].path))
        elif Path(name).exists() or "/" in name:
            yield Check(f"model {name}", "good", "a path or hub id of your settings, loaded when it is used")
        else:
            yield Check(f"model {name}", "attention", f"not in {model_folder()}: fonte download")


def _probes() -> Iterator[Check]:
    for name, result in kept_probes():
        rates = f"answers {result.answered:.0%}, cites {result.cited:.0%}, abstains {result.abstained:.0%}"
        yield Check(f"probe of {name}", "good", f"{rates}: auto takes the mode {result.mode}")


def _settings(folder: Path) -> Iterator[Check]:
    path = user_config_path()
    yield Check("settings", "good", f"{path}{'' if path.exists() else ' (does not exist; defaults hold)'}")
    if refused := refused_corpus_keys(folder):
        detail = f"{folder / 'fonte.toml'} sets {', '.join(refused)}, which a corpus may not decide: not read"
        yield Check("settings of the corpus", "attention", detail)


def _corpus(folder: Path, settings: Settings) -> Iterator[Check]:
    if not (folder / FILE_NAME).exists():
        yield Check("corpus", "optional", f"none at {folder} yet: fonte add PATH --corpus {folder}")
        return
    try:
        with fonte.Corpus.open(folder, settings) as corpus:
            yield from _opened(corpus)
    except FonteError as error:
        yield Check("corpus", "attention", str(error))


def _opened(corpus: Corpus) -> Iterator[Check]:
    counts = corpus.status()
    yield Check("corpus", "good", f"{counts['documents']} documents, {counts['chunks']} chunks")
    damage = corpus.records.check()
    yield Check("records", "attention" if damage else "good", " ".join(damage) or "whole")
    missing = corpus.missing_chunks()
    detail = f"{missing} chunks on record are not in the index: run fonte add on their folders again"
    yield Check("index", "attention" if missing else "good", detail if missing else f"{counts['index_rows']} rows")
    unindexed = counts["unindexed_rows"]
    yield Check("keyword index", "good", f"{unindexed} rows are searched unindexed" if unindexed else "complete")
