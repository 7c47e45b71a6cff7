"""Models that were trained for a corpus: where they lie, which one is in use, and the way back to the one before.

The weights lie in the user's model folder; a corpus only names them by their content. So a corpus that somebody sent
brings no model with it, and whoever deletes the corpus keeps the model.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Generic, TypeVar

from fonte.errors import CorpusError, ModelError
from fonte.models.folder import model_folder
from fonte.models.weights import model_fingerprint, weights_fingerprint
from fonte.records import Records

KEPT = 10  # how many models one can go back through


@dataclass(frozen=True, slots=True)
class Adopted:
    """A trained model by its name in the model folder and the fingerprint of its content."""

    name: str
    fingerprint: str


Entry = TypeVar("Entry", bound=Adopted)


@dataclass(frozen=True, slots=True)
class TrainedKind(Generic[Entry]):
    """One kind of trained model of a corpus, which notes its `entry`s under the name `fact`, the one in use first.

    `noun` is what messages call it, `section` its part of the settings; `fonte train <fact>` makes one.
    """

    entry: type[Entry]
    fact: str
    noun: str
    section: str

    def install(self, trained: Path, base: str, licence: str) -> tuple[str, str]:
        """Move the folder `trained` into the model folder; return its name there and its fingerprint.

        The same content keeps the same name. Errors: `ModelError` where the model folder cannot be written.
        """
        fingerprint = model_fingerprint(trained)
        target = model_folder() / f"{self.fact}-{fingerprint}"
        card = {
            "kind": self.section.replace("_", " "),
            "origin": f"trained by fonte from {base}",
            "licence": licence,
            "weights": weights_fingerprint(trained),
        }
        try:
            if not (target / "model.json").is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(target, ignore_errors=True)
                shutil.move(trained, target)
                # Whole or not at all: a folder with a card is never installed again.
                written = target / ".model.json.part"
                written.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
                written.replace(target / "model.json")
        except OSError as error:
            raise ModelError(f"Cannot write to the model folder {target.parent}: {error}. Free space there.") from None
        return target.name, fingerprint

    def adopted(self, records: Records) -> tuple[Entry, ...]:
        """Return the models that the corpus has used, the one in use first; () where none was trained.

        Errors: `CorpusError` for a note that is damaged.
        """
        names = [field.name for field in fields(self.entry)]
        try:
            rows = records.facts.get(self.fact, [])
            return tuple(self.entry(**{name: str(row[name]) for name in names}) for row in rows)
        except (TypeError, KeyError):
            raise CorpusError(f"The corpus's note of its trained {self.noun} is damaged. Train one again.") from None

    def adopt(self, records: Records, entry: Entry) -> None:
        """Use `entry` from now on; the one before stays known, for `roll_back`."""
        with records.transaction():  # what another process adopts meanwhile is not forgotten
            before = [known for known in self.adopted(records) if known != entry]
            records.facts.set(self.fact, [asdict(known) for known in [entry, *before][:KEPT]])

    def roll_back(self, records: Records) -> Entry | None:
        """Go back to the model before the one in use, or to none; return it. Errors: `CorpusError` where none is."""
        with records.transaction():
            known = self.adopted(records)
            if not known:
                raise CorpusError(f"This corpus uses no trained {self.noun}, so there is nothing to go back from.")
            records.facts.set(self.fact, [asdict(entry) for entry in known[1:]])
        return known[1] if len(known) > 1 else None

    def folder_of(self, entry: Entry) -> Path:
        """Return where `entry` lies.

        Errors: `ModelError` where the model folder does not hold it, or holds something else under its name.
        """
        folder = model_folder() / entry.name
        if Path(entry.name).name != entry.name or not (folder / "model.json").is_file():
            raise ModelError(
                f"This corpus uses the trained {self.noun} {entry.name}, which is not in your model folder "
                f"{model_folder()}. Copy it there from where it was trained, train one here (fonte train {self.fact}), "
                f"go back to the one before (fonte train {self.fact} --rollback), or do without: "
                f"[{self.section}] trained = false in your fonte.toml."
            )
        if model_fingerprint(folder) != entry.fingerprint:
            raise ModelError(f"{folder} is not the {self.noun} that this corpus was given: its content has changed.")
        return folder
