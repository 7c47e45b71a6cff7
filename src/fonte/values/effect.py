"""How much the likelihood of an answer depends on one passage, with an interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """Change of log p(answer | question, passages) when a passage is removed, in `unit` (nats unless stated).

    Positive means that the answer becomes less likely without the passage. `low` and `high` bound the value at 95 %.
    `status` is `measured`, `no_measurable_effect` (the interval holds zero), `interchangeable` (near-duplicates in
    `group` carry the effect together; `value` is the group's) or `not_measured` (then the numbers are None).
    `signature_value` is the part that the passage's signature adds, None where it was not measured.
    """

    passage_id: str
    status: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    group: str = ""
    signature_value: float | None = None
    unit: str = "nats"
