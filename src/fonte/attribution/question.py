"""What is asked of a measurement, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fonte.attribution.intervals import TOLERANCE
from fonte.values import Effect

Span = tuple[int, int]


@dataclass(frozen=True)
class Question:
    """What is asked of a measurement.

    `passage_ids` and `texts` are those of the prompt's passages, in its order. `spans` are parts of the answer whose
    effects are wanted: token ranges (code points where texts are compared), end exclusive. `first` are the passages
    that matter most (the cited ones): they are measured before the others. `scalar` "" is the method's own. `budget` in
    seconds (None: as long as it takes) ends the measuring; what is missing then is `not_measured`. `tolerance` is the
    share of the largest effect below which sampled methods stop refining (0: never stop early), `size` the largest of
    the method's sizes that is tried (None: all of them). `signatures` and
    `groups` say whether to measure what the signatures add, and passages that carry an effect together. `least` is a
    half width that no interval of an exact method is narrower than, in the unit of the scalar: what a placebo did
    elsewhere, say.
    """

    passage_ids: tuple[str, ...]
    texts: tuple[str, ...]
    spans: tuple[Span, ...]
    first: tuple[int, ...] = ()
    method: str = "leave_one_out"
    scalar: str = ""
    seed: int = 0
    budget: float | None = None
    signatures: bool = True
    groups: bool = True
    tolerance: float = TOLERANCE
    size: int | None = None
    least: float = 0.0

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Question:
        """Return the question that `dataclasses.asdict` made `payload` of, lists as tuples again."""
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in payload.items()
        }
        plain["spans"] = tuple((int(start), int(end)) for start, end in payload["spans"])
        return cls(**plain)


@dataclass(frozen=True)
class Tokens:
    """Tokens through the model: `computed` were, `shared` were saved, `floor` is the least, `naive` without sharing."""

    computed: int = 0
    shared: int = 0
    floor: int = 0
    naive: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        """Add up two measurements."""
        return Tokens(
            self.computed + other.computed,
            self.shared + other.shared,
            self.floor + other.floor,
            self.naive + other.naive,
        )


@dataclass(frozen=True)
class Attribution:
    """`effects[span][passage]`; the rest as in `fonte explain --json`.

    `memory_share[span]` is exp of (log p without any passage - log p with all) per token, at most 1: how much of the
    span's likelihood the model had without sources; None where it was not measured. `noise` is the half width, in
    `unit`, that an interval has whatever was sampled, for the span where it is largest. `placebo` is the part of it
    that is no arithmetic: how far text that says nothing moves the answer (0 where that was not measured). `status` is
    `complete`, `settled` (a sampled method stopped early: further ablations would change nothing) or `budget` (time ran
    out).
    """

    effects: tuple[tuple[Effect, ...], ...]
    memory_share: tuple[float | None, ...]
    noise: float
    placebo: float
    unit: str
    method: str
    seed: int
    status: str
    ablations: int
    tokens: Tokens
    seconds: float
