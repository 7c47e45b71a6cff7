"""A measurement as JSON, so that effects can be computed again, or differently, without the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from fonte.attribution.measurement import Measurement
from fonte.attribution.question import Question, Tokens
from fonte.errors import RecordError
from fonte.likelihood import EvaluationStore, Noise, PromptSegments, Scorer

if TYPE_CHECKING:
    from fonte.models.local import LocalLanguageModel

VERSION = 1


def to_json(measurement: Measurement, question: Question) -> dict[str, Any]:
    """Return prompt, answer (token ids), masks with their log-probabilities, noise, costs and the question.

    Log-probabilities are rounded to nine digits, which is exact for their 32 bits. Same measurement, same JSON.
    """
    segments = measurement.segments
    return {
        "version": VERSION,
        "head": list(segments.head),
        "segments": [list(ids) for ids in segments.segments],
        "tail": list(segments.tail),
        "passage": list(segments.passage),
        "signature": list(segments.signature),
        "passages": measurement.passages,
        "answer": list(measurement.answer),
        "ablations": {mask: _rounded(values) for mask, values in sorted(measurement.contents().items())},
        "noise": asdict(measurement.noise),
        "tokens": asdict(measurement.tokens),
        "seconds": measurement.seconds,
        "question": asdict(question),
    }


def from_json(
    payload: Mapping[str, Any],
    language_model: LocalLanguageModel | Scorer | None = None,
    store: EvaluationStore | None = None,
) -> tuple[Measurement, Question]:
    """Return the measurement and question of `to_json`; `attribute` of them gives the same effects.

    Without a model a question that needs other ablations leaves them `not_measured`; with one they are measured.
    Errors: `RecordError` for what `to_json` did not make.
    """
    try:
        if payload["version"] != VERSION:
            raise RecordError(f"This measurement is of version {payload['version']}, not {VERSION}. Measure again.")
        count = int(payload["passages"])
        parts = [tuple(ids) for ids in payload["segments"]]
        own = [number for number, owner in enumerate(payload["passage"]) if owner < count]
        segments = PromptSegments(
            tuple(payload["head"]),
            tuple(parts[number] for number in own),
            tuple(payload["tail"]),
            tuple(payload["passage"][number] for number in own),
            tuple(payload["signature"][number] for number in own),
        )
        measurement = Measurement(language_model, segments, payload["answer"], store, parts[len(own) :])
        measurement.noise = Noise(**payload["noise"])
        measurement.tokens, measurement.seconds = Tokens(**payload["tokens"]), float(payload["seconds"])
        measurement.remember({mask: np.array(row, np.float32) for mask, row in payload["ablations"].items()})
        return measurement, Question.from_json(payload["question"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise RecordError(f"The recorded measurement is damaged ({error!r}). Measure again: fonte explain.") from None


def _rounded(values: np.ndarray[Any, np.dtype[np.float32]]) -> list[float]:
    return [float(f"{value:.9g}") for value in values]
