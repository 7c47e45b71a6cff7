"""What is printed, on terminals that cannot say everything."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
from fonte.cli.output import print_anything, print_json, warn
import typer
print_anything()
print_json({"text": "“quote” █ \\udcff"})
typer.echo("“quote” █")
warn("█")
"""


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1"])
def test_no_encoding_stops_an_answer_and_json_stays_json(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, env=environment, check=True)
    first, second = run.stdout.decode(encoding).splitlines()
    assert json.loads(first) == {"text": "“quote” █ \udcff"}
    assert "quote" in second
    assert (second == "“quote” █") == (encoding == "utf-8")
