"""The command line: one file per command; answers on stdout, everything else on stderr."""

from fonte.cli.main import main

__all__ = ["main"]
