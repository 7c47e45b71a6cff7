from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.models.retry import LONGEST_WAIT, is_retried, seconds_to_wait


@given(st.integers(0, 60), st.text(max_size=40), st.integers())
def test_the_wait_is_bounded_whatever_the_server_says(attempt, header, seed):
    wait = seconds_to_wait(attempt, {"retry-after": header}, seed)
    assert 0 <= wait <= LONGEST_WAIT
    assert wait == seconds_to_wait(attempt, {"retry-after": header}, seed) or "/" in header or ":" in header


def test_the_wait_doubles_within_its_spread():
    for attempt in range(6):
        waits = [seconds_to_wait(attempt, {}, seed) for seed in range(50)]
        assert 0.25 * 2**attempt <= min(waits) < max(waits) <= 0.5 * 2**attempt


@pytest.mark.parametrize(("header", "seconds"), [("3", 3), ("0", 0), ("2.5", 2.5), ("99999", LONGEST_WAIT)])
def test_retry_after_in_seconds(header, seconds):
    assert seconds_to_wait(0, {"retry-after": header}, 0) == seconds


def test_retry_after_as_a_date():
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert 17 < seconds_to_wait(0, {"retry-after": later}, 0) <= 20
    assert seconds_to_wait(0, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0) == 0
    assert seconds_to_wait(0, {"retry-after": "Wed, 21 Oct 2015 07:28:00"}, 0) == 0


@pytest.mark.parametrize(
    ("status", "again"),
    [(400, False), (401, False), (404, False), (408, True), (429, True), (500, True), (503, True), (599, True)],
)
def test_which_statuses_may_pass(status, again):
    assert is_retried(status) is again
