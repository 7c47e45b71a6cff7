"""API keys: hashed, removable, in a file of the user's own."""

import stat

import pytest

from fonte.errors import SettingsError, UsageError
from fonte.serving.keys import KeyFile
from fonte.serving.run import is_loopback, require_key


@pytest.fixture
def keys(tmp_path):
    return KeyFile(tmp_path / "settings" / "keys.json")


def test_a_key_is_found_by_itself_only_and_not_kept(keys):
    key, made = keys.add("legal", ["legal", "hr"])
    assert keys.find(key) == made
    assert keys.find(key[:-1]) is None
    assert keys.find(made.hash) is None
    assert key not in keys.path.read_text("utf-8")
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_another_process_sees_changes_at_once(keys):
    other = KeyFile(keys.path)
    assert other.keys() == ()
    key, _ = keys.add("one")
    assert other.find(key)
    keys.remove("one")
    assert other.find(key) is None


def test_names_are_unique_and_removing_what_is_not_there_is_explained(keys):
    keys.add("one")
    with pytest.raises(UsageError, match="already"):
        keys.add("one")
    with pytest.raises(UsageError, match="key list"):
        keys.remove("two")
    with pytest.raises(UsageError, match="name"):
        keys.add(" ")


def test_a_damaged_file_closes_the_server_and_does_not_open_it(keys):
    keys.add("one")
    keys.path.write_text("{", "utf-8")
    with pytest.raises(SettingsError, match="cannot be read"):
        keys.keys()


def test_other_machines_need_a_key(keys):
    with pytest.raises(UsageError, match="fonte key add"):
        require_key("0.0.0.0", keys)
    require_key("127.0.0.1", keys)
    keys.add("one")
    require_key("0.0.0.0", keys)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.4", False), ("example.org", False)],
)  # fmt: skip
def test_what_is_loopback(host, loopback):
    assert is_loopback(host) is loopback
