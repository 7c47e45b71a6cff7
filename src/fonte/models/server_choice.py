"""Choosing among options on a server: by the probabilities of the first token, else by asking."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fonte.values import Prompt

TOP = 20
# One observed answer is no measurement: the option that was written gets this share, the others the rest.
OBSERVED = 0.95

FloatArray = npt.NDArray[np.float64]


def question(prompt: Prompt, options: Sequence[str], prefix: str) -> Prompt:
    """Return `prompt` with the options (and what was said so far) named behind it."""
    said = f"\n\nYour answer so far: {prefix}" if prefix else ""
    listed = "\n".join(option.strip() for option in options)
    return replace(
        prompt, tail=f"{prompt.tail}{said}\n\nAnswer with exactly one of these, and nothing else:\n{listed}\n"
    )


def by_first_token(reply: Mapping[str, Any], options: Sequence[str]) -> FloatArray | None:
    """Return the options' probabilities from a reply's `top_logprobs`: float64 [option], summing to 1.

    A token belongs to the option that begins with it; options outside the top get zero. None where the server gave no
    log-probabilities, where no token belongs to an option, or where a token fits several (then it cannot tell).
    """
    weights = np.zeros(len(options))
    wanted = [option.strip() for option in options]
    for token, log_probability in _top(reply):
        said = token.strip()
        fitting = [number for number, option in enumerate(wanted) if said and option.startswith(said)]
        if len(fitting) > 1:
            return None
        for number in fitting:
            weights[number] += math.exp(min(log_probability, 0.0))
    return weights / weights.sum() if weights.sum() > 0 else None


def has_log_probabilities(reply: Mapping[str, Any]) -> bool:
    """Return whether the server told the likeliest first tokens at all."""
    return bool(_top(reply))


def by_text(text: str, options: Sequence[str]) -> FloatArray:
    """Return probabilities from what the model wrote: `OBSERVED` for the option it names, evenly spread where none."""
    said = text.strip().strip("\"'`*.,:;!()[]").casefold()
    wanted = [option.strip().strip("\"'`*.,:;!()[]").casefold() for option in options]
    found = [number for number, option in enumerate(wanted) if said == option]
    found = found or [number for number, option in enumerate(wanted) if said.startswith(option)]
    longest = max(found, key=lambda number: len(wanted[number]), default=None)
    if longest is None or len(options) == 1:
        return np.full(len(options), 1 / len(options))
    weights = np.full(len(options), (1 - OBSERVED) / (len(options) - 1))
    weights[longest] = OBSERVED
    return weights


def _top(reply: Mapping[str, Any]) -> list[tuple[str, float]]:
    try:
        entries = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        return [(str(entry["token"]), float(entry["logprob"])) for entry in entries]
    except (KeyError, IndexError, TypeError, ValueError):
        return []
