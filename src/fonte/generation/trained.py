"""The language model that was trained for a corpus, in place of that of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fonte.models.trained import Adopted, TrainedKind
from fonte.records import Records


@dataclass(frozen=True, slots=True)
class TrainedGenerator(Adopted):
    """A trained model; `base` is the model of the settings in whose place it stands."""

    base: str


GENERATOR = TrainedKind(TrainedGenerator, "generator", "language model", "language_model")

adopt_generator, adopted_generators, roll_back_generator = GENERATOR.adopt, GENERATOR.adopted, GENERATOR.roll_back


def install_generator(trained: Path, base: str) -> TrainedGenerator:
    """Move the folder `trained` into the model folder; the same content keeps the same name.

    `base` is the model of the settings in whose place it stands. Errors: `ModelError` where the model folder cannot be
    written.
    """
    return TrainedGenerator(*GENERATOR.install(trained, base, f"that of {base}"), base)


def model_in_use(records: Records, model: str) -> str:
    """Return the model to load where the settings name `model`: the one trained from it for this corpus, else itself.

    Errors: those of `TrainedKind.folder_of`.
    """
    known = adopted_generators(records)
    if not known or known[0].base != model:
        return model
    return GENERATOR.folder_of(known[0]).name
