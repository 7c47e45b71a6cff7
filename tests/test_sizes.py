"""One file, one idea: no function is longer than a screen, and no file longer than can be read in one go."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "fonte"
LONGEST_FUNCTION, LONGEST_FILE = 60, 400


def test_functions_and_files_stay_short():
    texts = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    long_files = [name for name, text in texts.items() if text.count("\n") > LONGEST_FILE]
    long_functions = [
        f"{name}: {node.name}"
        for name, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long_files
    assert not long_functions
