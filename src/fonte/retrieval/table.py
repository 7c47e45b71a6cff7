"""Rows as Arrow: the table's schema, and the way from rows to it and from it to chunks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fonte.errors import StoreError
from fonte.retrieval.filters import is_unicode
from fonte.retrieval.store import Row, text_hash
from fonte.retrieval.terms import index_fragments, index_terms
from fonte.values import Chunk, Signature

_FINGERPRINTS = ("document_id", "document_version", "pipeline")
_STRINGS = ("text", "title", "header", "signature", "document")
CHUNK_COLUMNS = ("id", *_FINGERPRINTS, *_STRINGS, "heading", "ordinal", "start", "end", "escaped")
"""What a search reads to give chunks back."""


def table_schema(dimension: int, metadata: Mapping[str, str]) -> pa.Schema:
    """Return the schema of a store's table.

    The id column carries Lance's mark of an unenforced primary key: without it, writers that insert the same new keys
    at the same time each succeed. `escaped` rows hold their strings as JSON, because some are not valid Unicode.
    Vectors are filled with zeros to a multiple of 8, which the vector index needs and no cosine notices.
    """
    key = {"lance-schema:unenforced-primary-key": "true"}
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata=key),
        *(pa.field(name, pa.string(), nullable=False) for name in (*_FINGERPRINTS, *_STRINGS)),
        pa.field("heading", pa.list_(pa.string()), nullable=False),
        pa.field("ordinal", pa.int64(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("escaped", pa.bool_(), nullable=False),
        pa.field("embedded_hash", pa.string(), nullable=False),
        pa.field("text_version", pa.int64(), nullable=False),
        pa.field("terms", pa.string(), nullable=False),
        pa.field("fragments", pa.string(), nullable=False),
        pa.field("vector", pa.list_(pa.float32(), padded(dimension)), nullable=False),
    ]
    return pa.schema(fields, metadata=dict(metadata))


def padded(dimension: int) -> int:
    """Return the length of the stored vectors: the next multiple of 8."""
    return -(-dimension // 8) * 8


def table_of(rows: Mapping[str, Sequence[Row]], dimension: int) -> pa.Table:
    """Check the rows and return them as one table, ordered by document id and ordinal.

    Errors: `StoreError` for a row under a foreign document, mixed versions of one document, a chunk id that occurs
    twice, or a vector that is not float [dimension] of unit length.
    """
    schema = table_schema(dimension, {})
    ordered = [row for _, own in sorted(rows.items()) for row in sorted(own, key=lambda row: row.chunk.ordinal)]
    for document_id, own in rows.items():
        _check_document(document_id, own)
    records = [_record(row) for row in ordered]
    _check_unique([record["id"] for record in records])
    matrix = _matrix([row.vector for row in ordered], dimension)
    columns = [
        pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel(), pa.float32()), matrix.shape[1])
        if field.name == "vector"
        else pa.array([record[field.name] for record in records], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def chunk_of(record: Mapping[str, Any]) -> tuple[Chunk, str]:
    """Return the chunk and its document's name from a record with the columns `CHUNK_COLUMNS`."""
    values = {name: record[name] for name in _STRINGS}
    heading = record["heading"]
    if record["escaped"]:
        values = {name: json.loads(text) for name, text in values.items()}
        heading = [json.loads(text) for text in heading]
    signature = signature_of(values.pop("signature"))
    document = values.pop("document")
    chunk = Chunk(
        **{name: record[name] for name in _FINGERPRINTS},
        ordinal=record["ordinal"],
        start=record["start"],
        end=record["end"],
        heading=tuple(heading),
        signature=signature,
        **values,
    )
    return chunk, document


def signature_of(text: str) -> Signature:
    """Return the signature that a row holds as JSON."""
    signature = json.loads(text)
    return Signature(tuple((name, value) for name, value in signature["fields"]), signature["status"])


def _record(row: Row) -> dict[str, Any]:
    chunk = row.chunk
    signature = {"fields": chunk.signature.fields, "status": chunk.signature.status}
    strings = {
        "text": chunk.text,
        "title": chunk.title,
        "header": chunk.header,
        "signature": json.dumps(signature),
        "document": row.document,
    }
    heading = list(chunk.heading)
    escaped = not all(map(is_unicode, (*strings.values(), *heading)))
    if escaped:
        strings = {name: json.dumps(text) for name, text in strings.items()}
        heading = [json.dumps(text) for text in heading]
    return {
        "id": chunk.id,
        "document_id": chunk.document_id,
        "document_version": chunk.document_version,
        "pipeline": chunk.pipeline,
        **strings,
        "heading": heading,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "escaped": escaped,
        "embedded_hash": text_hash(row.embedded_text),
        "text_version": row.text_version,
        "terms": index_terms(row.keyword_text),
        "fragments": index_fragments(row.keyword_text),
    }


def _check_document(document_id: str, rows: Sequence[Row]) -> None:
    if not document_id or not is_unicode(document_id):
        raise StoreError(f"The document id {document_id!r} is empty or not valid Unicode. Nothing was written.")
    if foreign := sorted({row.chunk.document_id for row in rows} - {document_id}):
        raise StoreError(f"Rows of document {document_id!r} belong to {foreign}. Nothing was written.")
    if len({(row.chunk.document_version, row.chunk.pipeline) for row in rows}) > 1:
        raise StoreError(f"Rows of document {document_id!r} mix versions or pipelines. Nothing was written.")
    if not all(is_unicode(row.chunk.document_version + row.chunk.pipeline) for row in rows):
        raise StoreError(f"Version or pipeline of document {document_id!r} is not valid Unicode. Nothing was written.")


def _check_unique(ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for chunk_id in ids:
        if chunk_id in seen:
            raise StoreError(f"The chunk id {chunk_id} occurs twice among the rows to write. Nothing was written.")
        seen.add(chunk_id)


def _matrix(vectors: Sequence[Any], dimension: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    matrix = np.zeros((len(vectors), padded(dimension)), np.float32)
    for position, vector in enumerate(vectors):
        matrix[position] = checked_vector(vector, dimension)
    return matrix


def checked_vector(vector: Any, dimension: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return `vector` as it is stored, float32 [padded(dimension)].

    Errors: `StoreError` unless it is [dimension], finite and of unit length (±0.001).
    """
    array = np.asarray(vector, np.float32)
    if array.shape != (dimension,):
        raise StoreError(
            f"A vector has shape {array.shape}, this index holds ({dimension},): another embedder made it."
        )
    length = float(np.linalg.norm(array))
    if not abs(length - 1.0) <= 1e-3:
        raise StoreError(f"A vector has length {length:g} instead of 1. Normalise the embedder's output.")
    return np.pad(array, (0, padded(dimension) - dimension))
