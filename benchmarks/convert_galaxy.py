"""Write the manuals of the `galaxy` set as one Markdown file each, headings from the section paths.

    python benchmarks/convert_galaxy.py --data DIR --out FOLDER

`--data` is the folder that holds the sets. The files are for measuring only and belong outside the project.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any


def sections(data: Path) -> list[dict[str, Any]]:
    """Return the sections of all manuals in their order."""
    with gzip.open(data / "galaxy" / "sections.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def manual(name: str, parts: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the Markdown blocks of one manual: its cover line, then heading and text of each section."""
    yield f"# Samsung {name.replace('_', ' ')} user manual"
    for part in parts:
        level = min(part["path"].count(">") + 2, 6)
        yield f"{'#' * level} {part['title']}"
        if text := part["text"].removeprefix(part["title"]).strip():
            yield text


def main() -> None:
    """Convert every manual."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    if not (arguments.data / "galaxy").is_dir():
        raise SystemExit(f"developer data not found ({arguments.data}/galaxy): nothing converted")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, parts in groupby(sections(arguments.data), key=lambda part: part["doc"]):
        (arguments.out / f"{name}.md").write_text("\n\n".join(manual(name, parts)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
