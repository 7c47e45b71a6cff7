"""When to ask a server again, and how long to wait before."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 529}
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0


def is_retried(status: int) -> bool:
    """Return whether an HTTP status may pass: too many requests, conflicts, and the server's own trouble."""
    return status in RETRIED or status > 500


def seconds_to_wait(attempt: int, headers: Mapping[str, str], seed: int, longest: float = LONGEST_WAIT) -> float:
    """Return the seconds before attempt number `attempt` + 1 (the first attempt is 0), at most `longest`.

    `Retry-After` (seconds, or an HTTP date) is obeyed; without it the wait doubles from half a second, spread over its
    upper half by `seed` so that several clients do not come back together.
    """
    asked = _retry_after(headers.get("retry-after", ""))
    if asked is not None:
        return min(asked, longest)
    full: float = FIRST_WAIT * 2 ** min(attempt, 16)
    spread = random.Random(f"{seed}:{attempt}").uniform(0.5, 1.0)
    return min(full * spread, longest)


def _retry_after(value: str) -> float | None:
    value = value.strip()
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
