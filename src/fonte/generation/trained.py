"""The language model that was trained for a corpus: which one is in use, and the way back to the one before.

The weights lie in the user's model folder; a corpus only names them by their content. So a corpus that somebody sent
brings no model with it, and whoever deletes the corpus keeps the model.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from fonte.errors import CorpusError, ModelError
from fonte.models.folder import model_folder
from fonte.models.weights import model_fingerprint, weights_fingerprint
from fonte.records import Records

FACT = "generator"
KEPT = 10  # how many models one can go back through


@dataclass(frozen=True, slots=True)
class TrainedGenerator:
    """A trained model by its name in the model folder, the fingerprint of its content, and what it started from."""

    name: str
    fingerprint: str
    base: str


def install_generator(trained: Path, base: str) -> TrainedGenerator:
    """Move the folder `trained` into the model folder; the same content keeps the same name.

    `base` is the model of the settings in whose place it stands. Errors: `ModelError` where the model folder cannot be
    written.
    """
    fingerprint = model_fingerprint(trained)
    target = model_folder() / f"generator-{fingerprint}"
    card = {
        "kind": "language model",
        "origin": f"trained by fonte from {base}",
        "licence": f"that of {base}",
        "weights": weights_fingerprint(trained),
    }
    try:
        if not (target / "model.json").is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            shutil.move(trained, target)
            (target / "model.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ModelError(f"Cannot write to the model folder {target.parent}: {error}. Free space there.") from None
    return TrainedGenerator(target.name, fingerprint, base)


def adopted_generators(records: Records) -> tuple[TrainedGenerator, ...]:
    """Return the models that the corpus has used, the one in use first; () where none was trained."""
    try:
        return tuple(
            TrainedGenerator(str(entry["name"]), str(entry["fingerprint"]), str(entry["base"]))
            for entry in records.facts.get(FACT, [])
        )
    except (TypeError, KeyError):
        raise CorpusError("The corpus's note of its trained language model is damaged. Train one again.") from None


def adopt_generator(records: Records, entry: TrainedGenerator) -> None:
    """Use `entry` from now on; the one before stays known, for `roll_back_generator`."""
    before = [known for known in adopted_generators(records) if known != entry]
    records.facts.set(FACT, [asdict(known) for known in [entry, *before][:KEPT]])


def roll_back_generator(records: Records) -> TrainedGenerator | None:
    """Go back to the model before the one in use, or to that of the settings (None).

    Errors: `CorpusError` where none is in use.
    """
    known = adopted_generators(records)
    if not known:
        raise CorpusError("This corpus uses no trained language model, so there is nothing to go back from.")
    records.facts.set(FACT, [asdict(entry) for entry in known[1:]])
    return known[1] if len(known) > 1 else None


def model_in_use(records: Records, model: str) -> str:
    """Return the model to load where the settings name `model`: the one trained from it for this corpus, else itself.

    Errors: `ModelError` where the model folder does not hold the trained one, or holds something else under its name.
    """
    known = adopted_generators(records)
    if not known or known[0].base != model:
        return model
    entry = known[0]
    folder = model_folder() / entry.name
    if Path(entry.name).name != entry.name or not (folder / "model.json").is_file():
        raise ModelError(
            f"This corpus uses the trained language model {entry.name}, which is not in your model folder "
            f"{model_folder()}. Copy it there from where it was trained, train one here (fonte train generator), go "
            "back to the one before (fonte train generator --rollback), or do without: "
            "[language_model] trained = false in your fonte.toml."
        )
    if model_fingerprint(folder) != entry.fingerprint:
        raise ModelError(f"{folder} is not the model that this corpus was given: its content has changed.")
    return entry.name
