"""JSON from servers: how it is asked for, and whether what came fits the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ValidationError

from fonte.errors import UsageError
from fonte.models.grammar import json_schema
from fonte.models.language_model import Schema

MOST_OPENINGS = 200  # of a text with more brackets than that, the rest is not looked at
# From strict to loose; a server that refuses one is asked by the next.
FORMATS = ("json_schema", "json_object", "")


def response_format(kind: str, schema: Schema) -> dict[str, Any]:
    """Return the part of a request that asks for JSON; the loosest kind asks in words only."""
    if kind == "json_schema":
        wanted = {"name": "answer", "strict": True, "schema": json_schema(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if kind == "json_object" else {}


def instruction(schema: Schema) -> str:
    """Return the words that ask for JSON; they go behind the prompt where the server does not take the schema."""
    wanted = json.dumps(json_schema(schema))
    return f"\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n{wanted}"


def complaint(reason: str) -> str:
    """Return what the model is told when its JSON did not fit."""
    return f"That does not fit the schema: {reason}. Answer again with the corrected JSON object, and nothing else."


def json_part(text: str, schema: Schema) -> str:
    """Return the JSON in `text`: models put it into a code block, or words around it.

    The first value that fits `schema`, else the first value, else `text` itself.
    """
    values = list(_values(text))
    return next((value for value in values if not mismatch(value, schema)), values[0] if values else text.strip())


def mismatch(text: str, schema: Schema) -> str:
    """Return why `text` is not JSON that fits `schema`, or the empty string where it is.

    Errors: `UsageError` for a schema that is none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return _pydantic_mismatch(text, schema)
    try:
        Draft202012Validator.check_schema(json_schema(schema))
    except SchemaError as error:
        raise UsageError(f"The schema is not valid: {error.message}") from None
    found = next(iter(Draft202012Validator(json_schema(schema)).iter_errors(value)), None)
    return f"{found.json_path}: {found.message}" if found else ""


def _pydantic_mismatch(text: str, schema: type[BaseModel]) -> str:
    try:
        schema.model_validate_json(text)
    except ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, item['loc'])) or '$'}: {item['msg']}" for item in error.errors()[:5])
    return ""


def _values(text: str) -> Iterator[str]:
    """Yield the JSON values in `text`: all of it, or the objects and arrays inside of it, outermost only."""
    if _is_json(text):
        yield text.strip()
        return
    decoder, position = json.JSONDecoder(), 0
    for opening in islice(re.finditer(r"[{\[]", text), MOST_OPENINGS):
        if opening.start() < position:
            continue
        try:
            end = decoder.raw_decode(text, opening.start())[1]
        except (ValueError, RecursionError):
            continue
        yield text[opening.start() : end]
        position = end


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
