"""The settings as an answer record keeps them: all that decides an answer, nothing that opens a door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretBytes, SecretStr

from fonte.settings import Settings


def settings_snapshot(settings: Settings) -> dict[str, Any]:
    """Return `settings` as plain JSON values without secrets: keys left out, addresses without user and query."""
    return _without_secrets(settings.model_dump(exclude={"serving"}))


def _without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if not isinstance(value, SecretStr | SecretBytes)}
    return {key: _plain(value) for key, value in kept.items()}


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return _without_secrets(value)
        case list() | tuple():
            return [_plain(part) for part in value]
        case str() if "://" in value:
            return _without_credentials(value)
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)


def _without_credentials(address: str) -> str:
    """Cut user, password, query and fragment from an address: any of them may be a key."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
