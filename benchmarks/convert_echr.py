"""Write judgments of the `echr` set as one plain text file each, paragraphs numbered as in the original.

    python benchmarks/convert_echr.py --data DIR --out FOLDER [--limit 200]

`--data` is the folder that holds the sets. The files are for measuring only and belong outside the project.
"""

from __future__ import annotations

import argparse
import gzip
import json
from itertools import groupby, islice
from pathlib import Path


def main() -> None:
    """Convert the first `--limit` judgments in the order of the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=200)
    arguments = parser.parse_args()
    source = arguments.data / "echr" / "paragraphs.jsonl.gz"
    if not source.is_file():
        raise SystemExit(f"developer data not found ({source}): nothing converted")
    arguments.out.mkdir(parents=True, exist_ok=True)
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        paragraphs = map(json.loads, lines)
        for case, rows in islice(groupby(paragraphs, key=lambda row: row["case_id"]), arguments.limit):
            listed = list(rows)
            body = "\n\n".join(f"{row['paragraph_number']}. {row['text']}" for row in listed)
            text = f"CASE OF {listed[0]['case_name']}\n\n{body}\n"
            (arguments.out / f"{case}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
