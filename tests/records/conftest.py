"""Records in a fresh folder for each test, and one for all examples of a property, which clean up after themselves."""

import pytest

from fonte.records import Records


@pytest.fixture
def records(tmp_path):
    with Records.open(tmp_path / "records.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_records(tmp_path_factory):
    with Records.open(tmp_path_factory.mktemp("shared") / "records.sqlite") as opened:
        yield opened
