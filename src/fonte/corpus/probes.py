"""Probes of language models, kept in the user's cache: a model is examined once, whatever the corpus."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fonte.generation.probe import VERSION, ProbeResult, probe
from fonte.models import LanguageModel
from fonte.models.folder import user_cache
from fonte.values import content_id


def known_probe(language_model: LanguageModel) -> ProbeResult:
    """Return the probe of `language_model`; made now (some seconds, once) where none is kept of this version."""
    path = probe_folder() / f"{content_id(language_model.fingerprint)}.json"
    kept = _read(path)
    if kept is not None and kept.version == VERSION and kept.fingerprint == language_model.fingerprint:
        return kept
    result = probe(language_model)
    _write(path, {**result.to_json(), "model": language_model.name})
    return result


def kept_probes() -> list[tuple[str, ProbeResult]]:
    """Return the kept probes with the name of their model, ordered by name."""
    found = []
    for path in probe_folder().glob("*.json"):
        result = _read(path)
        if result is not None and result.version == VERSION:
            found.append((str(json.loads(path.read_text(encoding="utf-8")).get("model", "")), result))
    return sorted(found, key=lambda pair: pair[0])


def probe_folder() -> Path:
    """Return where probes are kept; it may not exist."""
    return user_cache() / "probes"


def _read(path: Path) -> ProbeResult | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        values.pop("model", None)
        return ProbeResult.from_json(values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # absent, or of another version: made anew


def _write(path: Path, values: dict[str, object]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(values), encoding="utf-8")
        draft.replace(path)
    except OSError:
        return  # a cache that cannot be written costs a repetition, not the answer
