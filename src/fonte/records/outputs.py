"""What language models have put out, by the content of what they were asked; only what was checked is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fonte.errors import ModelError
from fonte.records.database import Database
from fonte.records.packing import canonical_json, encode, pack_json, timestamp, unpack_json

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class OutputKey:
    """Everything that decides what a model puts out: change any part of it, and it is another output.

    `model` is the model's fingerprint, `prompt_version` names the instructions, `parameters` are those of decoding
    (plain JSON values, the seed among them), `content` is what was asked.
    """

    model: str
    prompt_version: str
    content: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """32 hexadecimal digits from all parts. Errors: `RecordError` for parameters that JSON cannot say."""
        parts = [self.model, self.prompt_version, dict(self.parameters), self.content]
        return blake2b(encode(canonical_json(parts)), digest_size=16).hexdigest()


class OutputCache:
    """Checked outputs by `OutputKey`, each tied to the documents it was made from, so that a purge finds it.

    Nothing gets in or out except through a pydantic model: `put` validates what it is given itself, and `get`
    validates again, so that neither a failed output nor one of an older schema is ever served.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: OutputKey, schema: type[T], documents: Collection[str]) -> T | None:
        """Return the checked output of `key`, None where there is none that fits `schema`.

        `documents` are the ids of the documents that ask: a purge of any one of them erases the output.
        """
        rows = self._database.rows("SELECT value FROM outputs WHERE key = ?", (key.id,))
        if not rows:
            return None
        try:
            output = schema.model_validate(unpack_json(rows[0][0]), strict=False)
        except ValidationError:
            self._database.run("DELETE FROM outputs WHERE key = ?", (key.id,))
            return None
        self._link(key, documents)
        return output

    def put(
        self, key: OutputKey, output: str | Mapping[str, Any] | BaseModel, schema: type[T], documents: Collection[str]
    ) -> T:
        """Check `output` (JSON text, or the value) against `schema`, keep it, and return it as `schema`.

        Where another process was first, its output stays and is returned, so that all see the same. Errors:
        `ModelError` when the output does not fit; then nothing is kept.
        """
        value = _validated(output, schema)
        with self._database.transaction():
            self._database.run(
                "INSERT INTO outputs VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (key.id, key.model, timestamp(), pack_json(value.model_dump(mode="json"))),
            )
            kept = self.get(key, schema, documents)
            if kept is None:
                return self.put(key, output, schema, documents)
            return kept

    def remove(self, model: str | None = None) -> int:
        """Drop the outputs of the model with fingerprint `model`, or all of them; return how many there were."""
        if model is None:
            return self._database.run("DELETE FROM outputs")
        return self._database.run("DELETE FROM outputs WHERE model = ?", (model,))

    def remove_documents(self, document_ids: Collection[str]) -> int:
        """Drop every output that was made from one of these documents; return how many there were."""
        return self._database.run_many(
            "DELETE FROM outputs WHERE key IN (SELECT key FROM output_documents WHERE document_id = ?)",
            [(document_id,) for document_id in document_ids],
        )

    def count(self) -> int:
        """Return how many outputs are kept."""
        return int(self._database.rows("SELECT count(*) FROM outputs")[0][0])

    def _link(self, key: OutputKey, documents: Collection[str]) -> None:
        linked = self._database.rows("SELECT document_id FROM output_documents WHERE key = ?", (key.id,))
        missing = set(documents) - {document_id for (document_id,) in linked}
        if missing:
            self._database.run_many(
                "INSERT INTO output_documents VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(key.id, document_id) for document_id in sorted(missing)],
            )


def _validated(output: str | Mapping[str, Any] | BaseModel, schema: type[T]) -> T:
    try:
        if isinstance(output, str):
            return schema.model_validate_json(output)
        # An instance may have been built without checks: it is taken apart and checked like anything else.
        return schema.model_validate(output.model_dump() if isinstance(output, BaseModel) else dict(output))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise ModelError(
            f"The model's output does not fit {schema.__name__} and was not kept: {problems}. Ask the model again."
        ) from None
