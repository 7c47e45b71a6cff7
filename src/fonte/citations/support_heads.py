"""Which of a model's outputs means "supported": read from its configuration, never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fonte.errors import ModelError

TRUE_TEMPLATE = "premise: {premise} hypothesis: {hypothesis}"
"""Prompt of TRUE and TrueTeacher (Honovich et al. 2022, Gekhman et al. 2023), whose first token "1" means entailed."""

_POSITIVE = re.compile(
    r"(?:entail(?:ed|ment|s)?|support(?:ed|s)?|(?:factually )?consistent|factual|grounded|faithful|attributable|"
    r"correct|true|yes|no hallucination|not hallucinat(?:ed|ion))"
)
_UNNAMED = re.compile(r"label[ _]?\d+")


@dataclass(frozen=True, slots=True)
class Head:
    """How a model says it.

    `sigmoid`: one output. `softmax`: output `index` against all others. `generative`: the first token that an
    encoder-decoder writes is "1".
    """

    kind: Literal["sigmoid", "softmax", "generative"]
    index: int = 0


def read_head(config: Any, name: str, label: str | None = None) -> Head:
    """Return the head of a model with this transformers configuration.

    One output is read through a sigmoid (HHEM 1, cross-encoders). Of several, the one whose `id2label` entry means
    support (`entailment`, `supported`, `consistent`, …; not `not_entailment`), or which `label` names. Two outputs
    without names follow the convention of MiniCheck and of scikit-learn: 1 is support. Errors: `ModelError` for an
    unknown `label`, several or no fitting names, or a model without a sequence head.
    """
    kinds = tuple(getattr(config, "architectures", None) or ())
    if any(kind.endswith("ForConditionalGeneration") for kind in kinds) and config.is_encoder_decoder:
        return Head("generative")
    if not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise ModelError(
            f"{name} is a {', '.join(kinds) or 'model without an architecture'}, which does not judge a pair of texts. "
            "Use a sequence classification model (an entailment or hallucination detector), or a T5 of the TRUE family."
        )
    names = {int(index): _plain(text) for index, text in dict(config.id2label).items()}
    if label is not None:
        return _named(names, label, name)
    if len(names) == 1:
        return Head("sigmoid")
    fitting = [index for index, text in names.items() if _POSITIVE.fullmatch(text)]
    if not fitting and len(names) == 2 and all(_UNNAMED.fullmatch(text) for text in names.values()):
        return Head("softmax", 1)
    if len(fitting) != 1:
        raise ModelError(
            f"{name} has the outputs {', '.join(names.values())}; which of them means that a passage supports a "
            "sentence cannot be told. Name it (label=...)."
        )
    return Head("softmax", fitting[0])


def _named(names: Mapping[int, str], label: str, name: str) -> Head:
    found = [index for index, text in names.items() if text == _plain(label)]
    if len(found) != 1:
        raise ModelError(f"{name} has no output {label!r}; there is: {', '.join(names.values())}.")
    return Head("sigmoid") if len(names) == 1 else Head("softmax", found[0])


def _plain(text: object) -> str:
    return re.sub(r"[\s_-]+", " ", str(text)).strip().lower()
