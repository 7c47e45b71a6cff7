"""The re-ranker that was trained for a corpus, with its weight against retrieval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from fonte.errors import ModelError
from fonte.models.trained import Adopted, TrainedKind

if TYPE_CHECKING:
    from fonte.models import Reranker

FUSION, NOTE = "fusion.json", "reranker.json"
RERANKER = TrainedKind(Adopted, "reranker", "re-ranker", "reranker")

adopt, adopted, roll_back = RERANKER.adopt, RERANKER.adopted, RERANKER.roll_back


def install(trained: Path, weight: float, base: str) -> Adopted:
    """Move the folder `trained` into the model folder; `weight` is that of the re-ranker against retrieval.

    The same content keeps the same name. Errors: `ModelError` where the model folder cannot be written.
    """
    (trained / FUSION).write_text(json.dumps({"weight": weight}), encoding="utf-8")
    return Adopted(*RERANKER.install(trained, base, "see README.md"))


def load_trained(entry: Adopted, batch_size: int = 16, dtype: str = "float32") -> tuple[Reranker, float]:
    """Load a re-ranker with its weight against retrieval; `dtype` as in the settings.

    Errors: those of `TrainedKind.folder_of` and `Reranker.from_pretrained`.
    """
    from fonte.models import Reranker  # takes seconds to load

    folder = RERANKER.folder_of(entry)
    return Reranker.from_pretrained(entry.name, batch_size, dtype=dtype), weight_of(folder)


def trained_for(entry: Adopted) -> str:
    """Return the name of the language model whose behaviour a re-ranker learnt; "" where its folder names none."""
    try:
        note = json.loads((RERANKER.folder_of(entry) / NOTE).read_text(encoding="utf-8"))
        return str(note["language_model"][0])
    except (FileNotFoundError, ValueError, KeyError, IndexError, TypeError):
        return ""


def weight_of(folder: Path) -> float:
    """Return the weight of a trained re-ranker against retrieval; 1 where its folder names none."""
    try:
        weight = float(json.loads((folder / FUSION).read_text(encoding="utf-8"))["weight"])
    except FileNotFoundError:
        return 1.0
    except (ValueError, KeyError, TypeError):
        raise ModelError(f"{folder / FUSION} is damaged. Train the re-ranker again.") from None
    return min(max(weight, 0.0), 1.0)
