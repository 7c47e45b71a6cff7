"""`fonte key`: API keys for `fonte serve`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, table, warn

if TYPE_CHECKING:
    from fonte.serving.keys import ApiKey, KeyFile


def add_key(
    name: Annotated[str, typer.Argument(help="Whose key it is, or for what.")],
    group: Annotated[list[str] | None, typer.Option("--group", help="Show this group's documents; repeatable.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Allow to upload, replace and delete documents.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="Show everything, also metrics; implies --write.")] = False,
    json: JsonOption = False,
) -> None:
    """Make a key and print it, for the only time: fonte keeps its hash.

    From the first key on every request needs one.
    """
    key, made = _keys().add(name, group or (), write=write, admin=admin)
    if json:
        print_json({"key": key, **_shown(made)})
        return
    typer.echo(key)
    warn("Keep it now; it cannot be shown again.")


def list_keys(json: JsonOption = False) -> None:
    """List the keys: names and rights, never the keys themselves."""
    keys = _keys().keys()
    if json:
        print_json({"keys": [_shown(key) for key in keys]})
        return
    rows = [(key.id, key.name, ", ".join(key.groups), _rights(key), key.created[:19]) for key in keys]
    table(("id", "name", "groups", "rights", "created"), rows)


def remove_key(name: Annotated[str, typer.Argument(help="Name or id of the key.")], json: JsonOption = False) -> None:
    """Take a key back; requests with it are refused from now on."""
    removed = _keys().remove(name)
    if json:
        print_json({"removed": removed.id})
    else:
        typer.echo(f"Removed {removed.name} ({removed.id}).")


def _keys() -> KeyFile:
    from fonte.serving.keys import KeyFile

    return KeyFile()


def _shown(key: ApiKey) -> dict[str, Any]:
    return {name: value for name, value in asdict(key).items() if name != "hash"}


def _rights(key: ApiKey) -> str:
    return "admin" if key.admin else "read, write" if key.write else "read"
