"""The order of the rooms: a room imports only rooms above it, and importing fonte stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fonte"
FREE = {"values", "errors", "settings"}
ROOMS = [
    "records",
    "documents",
    "models",
    "chunking",
    "retrieval",
    "ranking",
    "likelihood",
    "citations",
    "generation",
    "attribution",
    "measures",
    "corpus",
    "evaluation",
    "training",
    "scaling",
    "adapters",
    "serving",
    "cli",
]


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        rooms |= {name.split(".")[1] for name in names if name.startswith("fonte.")}
    return rooms


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_above_it(path):
    room = room_of(path)
    if room == "__init__":
        return
    imported = imported_rooms(path) - FREE - {room}
    assert room not in FREE or not imported, f"{room} is free to all, so it may import no room: {imported}"
    below = {name for name in imported if room in ROOMS and ROOMS.index(name) >= ROOMS.index(room)}
    assert not below, f"{room} imports {below}, which lie below it"


def test_every_folder_is_a_known_room():
    found = {room_of(path) for path in SOURCE.rglob("*.py")} - {"__init__", "__main__"}
    assert found <= set(ROOMS) | FREE


@pytest.mark.parametrize("module", ["fonte", "fonte.cli"])
def test_importing_is_light(module):
    heavy = "{'torch', 'transformers', 'lancedb', 'pyarrow', 'sentence_transformers', 'fastapi'}"
    program = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
