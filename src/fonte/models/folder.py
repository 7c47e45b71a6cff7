"""Where models lie on this machine, and how a name, a path or a hub id becomes a place on disk."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from fonte.errors import MissingExtraError, ModelError

PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
HUB_FILE = re.compile(r"([A-Za-z0-9][\w.-]*/[\w.-]+)/([\w./-]+\.gguf)")
# What a model needs; pickled weights and code are not even fetched.
HUB_PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.jinja", "*.model", "*.tiktoken")
HUB_IGNORED = ("onnx/*", "openvino/*", "*.msgpack", "*.h5", "original/*")


@dataclass(frozen=True, slots=True)
class Installed:
    """A model in the model folder: its name, its place, and its `model.json` (origin, licence, content hashes)."""

    name: str
    path: Path
    kind: str
    origin: str
    licence: str
    weights: str


def user_cache() -> Path:
    """Return fonte's folder in the user's cache: below `$XDG_CACHE_HOME`, else `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fonte"


def model_folder() -> Path:
    """Return the folder of downloaded models: `$FONTE_MODELS`, else `models` in the user's cache; it may not exist."""
    chosen = os.environ.get("FONTE_MODELS")
    return Path(chosen).expanduser() if chosen else user_cache() / "models"


def installed() -> list[Installed]:
    """Return the models that `download` has put in place, sorted by name; an absent folder holds none.

    `weights` is the sha256 of the weights as they lie there (`weights_fingerprint`), so a corpus that names its model
    by content finds it here.
    """
    return [found for path in sorted(model_folder().glob("*/model.json")) if (found := _read_card(path))]


def resolve(model: str, revision: str | None = None) -> Path:
    """Return the folder (or the GGUF file) that `model` means.

    In this order: a name in the model folder, a path, a hub id `owner/name` or a GGUF file on the hub
    `owner/name/file.gguf` at `revision` (a branch, tag or commit; None is the newest). Hub files go through the hub
    library's own cache, so an already fetched model loads offline. Errors: `ModelError` with what was tried.
    """
    if PLAIN_NAME.fullmatch(model) and (model_folder() / model / "model.json").is_file():
        return model_folder() / model
    path = Path(model).expanduser()
    if model and path.exists():
        return path
    if HUB_FILE.fullmatch(model) or (HUB_ID.fullmatch(model) and not model.startswith(".")):
        return _from_hub(model, revision)
    raise ModelError(
        f"There is no model {model!r}: not in the model folder {model_folder()}, not a path, not a hub id "
        f"(owner/name). {_advice(model)}"
    )


def _advice(model: str) -> str:
    from fonte.models.packages import PACKAGES

    if any(package.name == model for package in PACKAGES):
        return "It is one of the default models; run: fonte download"
    here = ", ".join(entry.name for entry in installed()) or "none"
    return f"Downloaded models here: {here}. Correct the setting, or name a folder."


def _from_hub(model: str, revision: str | None) -> Path:
    try:
        from httpx import HTTPError
        from huggingface_hub import hf_hub_download, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError("huggingface_hub", "local") from None
    try:
        if parts := HUB_FILE.fullmatch(model):
            return Path(hf_hub_download(parts[1], parts[2], revision=revision))
        patterns, ignored = list(HUB_PATTERNS), list(HUB_IGNORED)
        return Path(snapshot_download(model, revision=revision, allow_patterns=patterns, ignore_patterns=ignored))
    except (HfHubHTTPError, LocalEntryNotFoundError, HFValidationError, HTTPError, OSError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"Cannot get {model!r} (revision {revision or 'newest'}) from the Hugging Face hub: {reason} "
            f"There is no folder of that name, nor is it in the model folder {model_folder()}. Check the name and the "
            "network, or fetch it elsewhere and name its folder."
        ) from None


def _read_card(path: Path) -> Installed | None:
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        return Installed(path.parent.name, path.parent, card["kind"], card["origin"], card["licence"], card["weights"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
