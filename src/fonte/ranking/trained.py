"""The re-ranker that was trained for a corpus: where it lies, which one is in use, and the way back to the last one.

The weights lie in the user's model folder; a corpus only names them by their content. So a corpus that somebody sent
brings no model with it, and whoever deletes the corpus keeps the model.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fonte.errors import CorpusError, ModelError
from fonte.models.folder import model_folder
from fonte.models.weights import model_fingerprint, weights_fingerprint
from fonte.records import Records

if TYPE_CHECKING:
    from fonte.models import Reranker

FACT = "reranker"
FUSION = "fusion.json"
KEPT = 10  # how many re-rankers one can go back through


@dataclass(frozen=True, slots=True)
class Adopted:
    """A trained re-ranker by its name in the model folder and the fingerprint of its content, weight included."""

    name: str
    fingerprint: str


def install(trained: Path, weight: float, base: str) -> Adopted:
    """Move the folder `trained` into the model folder; `weight` is that of the re-ranker against retrieval.

    The same content keeps the same name. Errors: `ModelError` where the model folder cannot be written.
    """
    (trained / FUSION).write_text(json.dumps({"weight": weight}), encoding="utf-8")
    fingerprint = model_fingerprint(trained)
    name = f"reranker-{fingerprint}"
    card = {
        "kind": "reranker",
        "origin": f"trained by fonte from {base}",
        "licence": "see README.md",
        "weights": weights_fingerprint(trained),
    }
    target = model_folder() / name
    try:
        if not (target / "model.json").is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            shutil.move(trained, target)
            (target / "model.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ModelError(f"Cannot write to the model folder {target.parent}: {error}. Free space there.") from None
    return Adopted(name, fingerprint)


def adopted(records: Records) -> tuple[Adopted, ...]:
    """Return the re-rankers that the corpus has used, the one in use first; () where none was trained."""
    try:
        return tuple(Adopted(str(entry["name"]), str(entry["fingerprint"])) for entry in records.facts.get(FACT, []))
    except (TypeError, KeyError):
        raise CorpusError("The corpus's note of its trained re-ranker is damaged. Train one again.") from None


def adopt(records: Records, entry: Adopted) -> None:
    """Use `entry` from now on; the one before stays known, for `roll_back`."""
    before = [known for known in adopted(records) if known != entry]
    records.facts.set(FACT, [asdict(known) for known in [entry, *before][:KEPT]])


def roll_back(records: Records) -> Adopted | None:
    """Go back to the re-ranker before the one in use, or to none; return it. Errors: `CorpusError` where none is."""
    known = adopted(records)
    if not known:
        raise CorpusError("This corpus uses no trained re-ranker, so there is nothing to go back from.")
    records.facts.set(FACT, [asdict(entry) for entry in known[1:]])
    return known[1] if len(known) > 1 else None


def load_trained(entry: Adopted, batch_size: int = 16) -> tuple[Reranker, float]:
    """Load a re-ranker with its weight against retrieval.

    Errors: `ModelError` where the model folder does not hold it, or holds something else under its name.
    """
    from fonte.models import Reranker  # takes seconds to load

    folder = model_folder() / entry.name
    if Path(entry.name).name != entry.name or not (folder / "model.json").is_file():
        raise ModelError(
            f"This corpus uses the trained re-ranker {entry.name}, which is not in your model folder {model_folder()}. "
            "Copy it there from where it was trained, train one here (fonte train reranker), go back to the one before "
            "(fonte train reranker --rollback), or do without: [reranker] trained = false in your fonte.toml."
        )
    if model_fingerprint(folder) != entry.fingerprint:
        raise ModelError(f"{folder} is not the re-ranker that this corpus was given: its content has changed.")
    return Reranker.from_pretrained(entry.name, batch_size), weight_of(folder)


def weight_of(folder: Path) -> float:
    """Return the weight of a trained re-ranker against retrieval; 1 where its folder names none."""
    try:
        weight = float(json.loads((folder / FUSION).read_text(encoding="utf-8"))["weight"])
    except FileNotFoundError:
        return 1.0
    except (ValueError, KeyError, TypeError):
        raise ModelError(f"{folder / FUSION} is damaged. Train the re-ranker again.") from None
    return min(max(weight, 0.0), 1.0)
