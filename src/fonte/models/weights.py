"""What may be loaded, and what exactly it is: only safetensors or GGUF, named by the hash of their content."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from fonte.errors import ModelError
from fonte.models.folder import user_cache

SAFE = (".safetensors", ".gguf")
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib")
# Harmless leftovers of a training run that no loader opens.
NOT_WEIGHTS = {"training_args.bin", "optimizer.pt", "scheduler.pt", "scaler.pt", "rng_state.pth"}
CONFIGURATION = (".json", ".txt", ".jinja", ".model")
NOT_CONFIGURATION = {"model.json", "data_config.json", "README.md"}
# Written by whichever library version saved the model; they change no number.
VOLATILE = {"transformers_version", "_name_or_path", "__version__", "_commit_hash", "dtype", "torch_dtype"}


def require_safe(path: Path) -> Path:
    """Return `path` if it holds weights as safetensors or GGUF and nothing that would run code.

    A file must end in `.gguf`. In a folder, every subfolder that holds weights must hold safe ones: pickled weights
    beside safetensors are never opened, pickled weights alone are an error, and so is a module class that is not the
    library's own. Errors: `ModelError` naming the file and the way out.
    """
    if path.is_file():
        if path.suffix.lower() != ".gguf" or path.open("rb").read(4) != b"GGUF":
            raise ModelError(f"{path} is not a GGUF file. Name a folder with safetensors weights, or a .gguf file.")
        return path
    if not weight_files(path):
        raise ModelError(f"{path} holds no weights as safetensors or GGUF.{_pickles(path)}")
    for folder in _module_folders(path):
        pickled = sorted(file.name for file in folder.glob("*") if _is_pickled(file))
        if pickled and not any(file.suffix in SAFE for file in folder.iterdir()):
            raise ModelError(f"{folder} holds no weights as safetensors or GGUF.{_pickles(folder)}")
    return path


def weight_files(path: Path) -> list[Path]:
    """Return the safetensors and GGUF files of a model, sorted; a GGUF file is its own only weight file."""
    if path.is_file():
        return [path]
    return [file for folder in _module_folders(path) for file in sorted(folder.iterdir()) if file.suffix in SAFE]


def weights_fingerprint(path: Path) -> str:
    """Return the sha256 (hexadecimal) of a model's weights; of several files, that of their sorted hashes.

    The hash of each file is kept in the user's cache by path, size and times, so that only a changed file is read
    again. Names and places of the files do not count: the same content is the same model.
    """
    hashes = sorted(_cached_sha256(file) for file in weight_files(path))
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def model_fingerprint(path: Path, *parts: str) -> str:
    """Return 16 hexadecimal digits of everything that decides a model's output: weights, configuration and `parts`.

    Configuration is every JSON, text and template file of the folder, without fields that only name the library
    version that wrote it.
    """
    digest = hashlib.sha256(weights_fingerprint(path).encode())
    for file in _configuration_files(path):
        digest.update(f"\0{file.relative_to(path).as_posix()}\0".encode())
        digest.update(_canonical(file))
    for part in parts:
        digest.update(f"\0{part}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def file_sha256(file: Path) -> str:
    """Return the sha256 of a file's content, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _module_folders(path: Path) -> list[Path]:
    """Return the folder and the subfolders that its `modules.json` names; refuse modules that are not the library's."""
    listing = path / "modules.json"
    if not listing.is_file():
        return [path]
    try:
        modules = json.loads(listing.read_text(encoding="utf-8"))
        entries = [(str(module["type"]), str(module.get("path", ""))) for module in modules]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{listing} is not a list of sentence-transformers modules.") from None
    for kind, place in entries:
        if not kind.startswith("sentence_transformers."):
            raise ModelError(
                f"{listing} asks for code of its own ({kind}). fonte runs no code that comes with a model."
            )
        if not (path / place).resolve().is_relative_to(path.resolve()):
            raise ModelError(f"{listing} points outside of its folder ({place}).")
    places = dict.fromkeys([path, *(path / place for _, place in entries)])
    return [place for place in places if place.is_dir()]


def _is_pickled(file: Path) -> bool:
    return file.suffix.lower() in PICKLED and file.name not in NOT_WEIGHTS


def _pickles(folder: Path) -> str:
    found = sorted(file.name for file in folder.rglob("*") if _is_pickled(file)) if folder.is_dir() else []
    if not found:
        return " Check the path."
    return f" {', '.join(found)} is pickled and could run code, so it is never loaded; convert it to safetensors."


def _configuration_files(path: Path) -> list[Path]:
    if path.is_file():
        return []
    names = [file for folder in _module_folders(path) for file in folder.iterdir() if file.suffix in CONFIGURATION]
    return sorted({file for file in names if file.name not in NOT_CONFIGURATION and ".index." not in file.name})


def _canonical(file: Path) -> bytes:
    """Return a JSON file's content without its volatile fields and its layout; any other file's as it is."""
    content = file.read_bytes()
    if file.suffix != ".json":
        return content
    try:
        return json.dumps(_without_volatile(json.loads(content)), sort_keys=True).encode()
    except ValueError:
        return content


def _without_volatile(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_volatile(inner) for key, inner in value.items() if key not in VOLATILE}
    return [_without_volatile(inner) for inner in value] if isinstance(value, list) else value


def _cached_sha256(file: Path) -> str:
    stat = file.stat()
    key = f"{file.resolve()}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ctime_ns}"
    store = user_cache() / "weights.json"
    known = _read_cache(store)
    if key not in known:
        prefix = f"{file.resolve()}:"
        known = {old: value for old, value in known.items() if not old.startswith(prefix)}
        known[key] = file_sha256(file)
        _write_cache(store, known)
    return known[key]


def _read_cache(store: Path) -> dict[str, str]:
    try:
        known = json.loads(store.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write_cache(store: Path, known: dict[str, str]) -> None:
    """Replace the cache in one step; a cache that cannot be written costs time only."""
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=store.parent, prefix=".weights-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(known, stream, indent=1)
        Path(name).replace(store)
    except OSError:
        return
