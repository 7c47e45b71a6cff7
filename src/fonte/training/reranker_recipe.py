"""A recipe: one TOML file that says from which models targets come and how a re-ranker is trained on them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from fonte.errors import UsageError
from fonte.settings import Settings
from fonte.training.reranker import RerankerTraining
from fonte.training.reranker_collect import Collection

Part = TypeVar("Part", Collection, RerankerTraining)


@dataclass(frozen=True)
class Recipe:
    """`settings` as in `fonte.toml`, by section; how to collect targets; how to train."""

    settings: Mapping[str, Any]
    targets: Collection
    training: RerankerTraining


def read_recipe(path: Path | None) -> Recipe:
    """Read a recipe; None is that of the defaults.

    Sections `[targets]` and `[training]` hold the fields of `Collection` and `RerankerTraining`, all others are those
    of `fonte.toml`. Errors: `UsageError` naming the file and the key.
    """
    if path is None:
        return Recipe({}, Collection(), RerankerTraining())
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a recipe ({error}).") from None
    known = {name: content.pop(name, {}) for name in ("targets", "training")}
    unknown = sorted(set(content) - set(Settings.model_fields))
    if unknown:
        raise UsageError(f"{path}: unknown sections {unknown}. There are targets, training and those of fonte.toml.")
    return Recipe(content, _part(path, Collection, known["targets"]), _part(path, RerankerTraining, known["training"]))


def _part(path: Path, kind: type[Part], values: Mapping[str, Any]) -> Part:
    names = {field.name: field.type for field in fields(kind)}
    unknown = sorted(set(values) - set(names))
    if unknown:
        raise UsageError(f"{path}: {kind.__name__} has no {', '.join(unknown)}. There are: {', '.join(names)}.")
    return kind(**values)
