"""Answers that fit a JSON schema by construction: which tokens may come next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from fonte.errors import MissingExtraError, ModelError, UsageError
from fonte.models.language_model import Schema

# One space at most after a comma or colon: without a bound a model can write white space for ever.
COMPILE = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


def json_schema(schema: Schema) -> dict[str, Any]:
    """Return the JSON schema of a pydantic model, or the mapping as given. Errors: `UsageError` for anything else."""
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return schema.model_json_schema()
    if isinstance(schema, Mapping):
        return dict(schema)
    raise UsageError(f"schema must be a JSON schema (a mapping) or a pydantic model, not {type(schema).__name__}.")


class GrammarTokenizer:
    """The model's vocabulary as the grammar sees it; made once per model, since it takes a second."""

    def __init__(self, tokenizer: Any, vocabulary: int, ends: frozenset[int]) -> None:
        try:
            from llguidance.hf import from_tokenizer
        except ImportError:
            raise MissingExtraError("llguidance", "local") from None
        try:
            self.inner = from_tokenizer(tokenizer, n_vocab=vocabulary, eos_token=sorted(ends))
        except (ValueError, RuntimeError, TypeError) as error:
            raise ModelError(f"The model's tokenizer cannot be used with schema=: {error}") from None

    def matcher(self, schema: Schema) -> Grammar:
        """Return a fresh state machine for `schema`. Errors: `UsageError` for a schema that cannot be kept to."""
        from llguidance import LLMatcher

        try:
            grammar = LLMatcher.grammar_from_json_schema(json.dumps(json_schema(schema)), overrides=COMPILE)
        except (ValueError, TypeError) as error:
            raise UsageError(f"The schema is not valid: {error}") from None
        matcher = LLMatcher(self.inner, grammar, log_level=0)
        if matcher.is_error():
            raise UsageError(f"The schema cannot be kept to: {matcher.get_error().strip().splitlines()[0]}")
        return Grammar(matcher)


class Grammar:
    """Where the text stands in the schema."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    @property
    def finished(self) -> bool:
        """Whether the text is complete and nothing can follow."""
        return bool(self._matcher.is_stopped())

    def allowed(self, vocabulary: int) -> npt.NDArray[np.bool_]:
        """Return which tokens may come next: bool [vocabulary]. Errors: `ModelError` if the grammar gave up."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        self._check()
        allowed = np.unpackbits(bits, bitorder="little")[:vocabulary].astype(np.bool_)
        return np.pad(allowed, (0, vocabulary - len(allowed)))

    def accept(self, token: int) -> None:
        """Go on by the chosen token."""
        self._matcher.consume_token(token)
        self._check()

    def _check(self) -> None:
        if self._matcher.is_error():
            reason = self._matcher.get_error().strip().splitlines()[0]
            raise ModelError(f"The schema is too complex to follow at this point: {reason}. Simplify it.")
