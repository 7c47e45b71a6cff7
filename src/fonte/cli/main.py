"""The `fonte` program: its commands, and how errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import typer

from fonte.cli.add import add
from fonte.cli.ask import ask
from fonte.cli.calibrate import calibrate
from fonte.cli.demo import demo
from fonte.cli.doctor import doctor
from fonte.cli.download import download
from fonte.cli.evidence import evidence
from fonte.cli.explain import explain
from fonte.cli.group import list_groups, set_groups
from fonte.cli.key import add_key, list_keys, remove_key
from fonte.cli.list import list_documents
from fonte.cli.measure import measure
from fonte.cli.output import print_anything, warn
from fonte.cli.reindex import reindex
from fonte.cli.remove import remove
from fonte.cli.search import search
from fonte.cli.serve import serve
from fonte.cli.show import show
from fonte.cli.status import status
from fonte.cli.train_generator import train_generator
from fonte.cli.train_reranker import train_reranker
from fonte.cli.train_support import train_support
from fonte.errors import FonteError

app = typer.Typer(
    name="fonte",
    help="Ask your documents; get answers that quote the sources they depend on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
INCOMPLETE, INTERRUPTED = 3, 130
COMMANDS: dict[str, Callable[..., None]] = {
    "add": add,
    "ask": ask,
    "search": search,
    "explain": explain,
    "list": list_documents,
    "show": show,
    "remove": remove,
    "reindex": reindex,
    "status": status,
    "measure": measure,
    "evidence": evidence,
    "calibrate": calibrate,
    "doctor": doctor,
    "serve": serve,
    "download": download,
    "demo": demo,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
training = typer.Typer(help="Train models from your own data.", no_args_is_help=True, rich_markup_mode=None)
training.command("support")(train_support)
training.command("generator")(train_generator)
training.command("reranker")(train_reranker)
app.add_typer(training, name="train")
keys = typer.Typer(help="API keys for fonte serve.", no_args_is_help=True, rich_markup_mode=None)
keys.command("add")(add_key)
keys.command("list")(list_keys)
keys.command("remove")(remove_key)
app.add_typer(keys, name="key")
groups = typer.Typer(help="Who may see which document.", no_args_is_help=True, rich_markup_mode=None)
groups.command("set")(set_groups)
groups.command("list")(list_groups)
app.add_typer(groups, name="group")


def main() -> None:
    """Run the program: exit 0 good, 1 gate failed, 2 usage, 3 incomplete, 130 interrupted."""
    print_anything()
    try:
        app()
    except FonteError as error:
        warn(f"Error: {error}")
        sys.exit(error.exit_code)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # what typer makes of Ctrl-C
            warn("Interrupted. What was finished is kept; run the same command again to go on.")
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        # A full disk, a folder without permission: what is finished is kept, and a stack of calls would not help.
        warn(f"Error: {error}. Correct that, then run the same command again.")
        sys.exit(INCOMPLETE)
