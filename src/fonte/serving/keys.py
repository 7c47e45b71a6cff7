"""API keys: kept as hashes in the user's own configuration, never in a corpus, which may come from somebody else."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from fonte.errors import SettingsError, UsageError
from fonte.records.packing import timestamp
from fonte.settings import user_config_path

PREFIX = "fonte-"
FILE_NAME = "keys.json"


@dataclass(frozen=True)
class ApiKey:
    """What is known of a key; the key itself is not.

    `groups` are whose documents it shows beside those that are for everybody. `write` allows to upload and delete,
    `admin` shows everything, metrics too. `created` is UTC.
    """

    id: str
    name: str
    hash: str
    groups: tuple[str, ...] = ()
    write: bool = False
    admin: bool = False
    created: str = ""


class KeyFile:
    """The keys of this user's servers, in a JSON file that only the user may read; changes hold at once."""

    def __init__(self, path: Path | None = None) -> None:
        """`path` None takes `keys.json` beside the user's `fonte.toml`."""
        self.path = path or user_config_path().parent / FILE_NAME
        self._read_at: tuple[int, int] | None = None
        self._keys: dict[str, ApiKey] = {}

    def keys(self) -> tuple[ApiKey, ...]:
        """Return the keys, oldest first; none where there is no file.

        Errors: `SettingsError` for a file that cannot be read: who has keys must not become open to all by it.
        """
        return tuple(self._known().values())

    def find(self, key: str) -> ApiKey | None:
        """Return what is known of `key`, None for a key that was never given out, or was taken back."""
        return self._known().get(_hash(key))

    def add(
        self, name: str, groups: Collection[str] = (), *, write: bool = False, admin: bool = False
    ) -> tuple[str, ApiKey]:
        """Make a key of 256 random bits; return it, for the only time, with what is kept of it.

        Errors: `UsageError` for a name that is taken or empty.
        """
        if not name.strip() or any(not group.strip() for group in groups):
            raise UsageError("A key needs a name, and its groups must not be empty words.")
        key = PREFIX + secrets.token_urlsafe(32)
        digest = _hash(key)
        made = ApiKey(digest[:12], name, digest, tuple(sorted(set(groups))), write, admin, timestamp())
        with self._changing() as known:
            if any(other.name == name for other in known.values()):
                raise UsageError(f"There is a key {name!r} already. Remove it first, or choose another name.")
            self._write([*known.values(), made])
        return key, made

    def remove(self, name: str) -> ApiKey:
        """Take back the key with this name or id. Errors: `UsageError` when there is none."""
        with self._changing() as known:
            found = [key for key in known.values() if name in (key.name, key.id)]
            if not found:
                raise UsageError(f"There is no key {name!r}. `fonte key list` shows those there are.")
            self._write([key for key in known.values() if key != found[0]])
        return found[0]

    def _known(self) -> dict[str, ApiKey]:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._read_at, self._keys = None, {}
            return self._keys
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._read_at:
            self._keys = {key.hash: key for key in _read(self.path)}
            self._read_at = stamp
        return self._keys

    def _changing(self) -> _Changing:
        return _Changing(self)

    def _write(self, keys: Collection[ApiKey]) -> None:
        draft = self.path.with_suffix(f".{os.getpid()}")
        text = json.dumps({"keys": [asdict(key) for key in keys]}, indent=1)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)


class _Changing:
    """One change of the file at a time, by whichever process; gives the keys as they are now."""

    def __init__(self, file: KeyFile) -> None:
        self._file = file
        file.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(file.path.with_suffix(".lock"), timeout=30)

    def __enter__(self) -> dict[str, ApiKey]:
        self._lock.acquire()
        return dict(self._file._known())

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _read(path: Path) -> list[ApiKey]:
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return [ApiKey(**{**key, "groups": tuple(key["groups"])}) for key in found["keys"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SettingsError(
            f"The API keys in {path} cannot be read ({error}). Restore the file, or delete it and add keys anew."
        ) from None


def _hash(key: str) -> str:
    # The key holds 256 random bits, so that a slow hash would protect nothing more.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
