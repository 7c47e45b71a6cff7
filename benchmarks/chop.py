"""Chunks that keep their context: every way of cutting and signing, over manuals that hardly differ but for their name.

    python benchmarks/chop.py --data DIR --set galaxy [--quick] [--limit N] [--model NAME] [--cache DIR] [--json]
    python benchmarks/chop.py --data DIR --set smart_tv|contractnli|anthropic_contextual [--model NAME] ...

Set-ups of `galaxy`: `files` (a file per manual, named by its file name and cover line), `streams` (all manuals in one
text, each beginning with a cover and no other mark; order and cover wording by `--seed`), `streams_similar` (each
followed by the most similar one), and beside the goal `streams_codes` (covers that hold a part code only).

`fixed` with overlap is the baseline of CHOP at the window of the default embedder, `cosine` (.35) and `heading` are the
project's; the other rows share one chunking: each paragraph, cut where it exceeds the window. `fixed` without overlap
is that chunking unsigned, `chop` the paper's method with `--model`, `cascade` this project's, `true_identity` the name
of the device before each chunk, `shuffled` the name of another one. Nothing else goes before a chunk.

A chunk is gold that covers half of the gold section or 80 tokens of it. `--quick`: the ten documents with questions
whose sha256 of the name comes first. `--cache` keeps vectors and outputs of language models between runs.

The other sets have the set-up `files`, a document for each file, and rows `chop` only with `--model`:

- `smart_tv`: one manual, so that nothing can be mistaken for another document and nothing be shuffled. True identity is
  the name of the device. Gold is the section that the annotated path names; questions whose answer the section covers
  to less than .8 are left out.
- `contractnli`: 61 confidentiality agreements. True identity is the file's name: there is no other label. A question is
  one of 17 hypotheses about one contract, gold are the spans that decide it there, each of them enough. No question
  names its contract.
- `anthropic_contextual`: 90 code files without names (no true identity, nothing to shuffle; file names are numbers),
  cut as the vendor's chunks; gold are the vendor's golden chunks. Beside it `pages`: 45 documentation pages cut at
  their headings, true identity is the last part of the address, gold are the sections that the vendor lists.

`identity_in_questions` is the share of questions that say the true identity of a document that answers them (null: the
set has none): where it is 0, a name before a chunk can help no question. `hit@1_most` is what the best index could
reach, because equal questions with other answers get one ranking.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import chop_streams as streams
from chop_grid import Grid, Wish
from chop_sets import SETS, load_set

GALAXY_MODEL = "smollm2-135m-instruct"
QUICK_CALLS = 60  # of `chop` per set-up: all of them would take an hour with the small model


def main() -> int:
    """Measure, and print the report."""
    options = _options()
    if not (options.data / options.set).is_dir():
        raise SystemExit(f"developer data not found ({options.data}/{options.set}): skipping")
    galaxy = options.set == "galaxy"
    sets = load_set(options.set, options.data, options.quick, options.limit)
    wish = Wish(
        tuple(options.setups.split(",")) if options.setups else streams.SETUPS if galaxy else tuple(sets),
        tuple(options.chunkers.split(",")),
        tuple(options.indices.split(",")),
        options.model or (GALAXY_MODEL if galaxy else "none"),
        options.seed,
        options.dtype,
        options.cache,
        QUICK_CALLS if options.quick and options.calls is None else options.calls,
        options.ablations,
    )
    report = Grid(sets, wish).report()
    print(json.dumps(report, indent=None if options.json else 1))
    return 0


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", default="galaxy", choices=SETS)
    parser.add_argument("--limit", type=int, help="only the first N questions")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--setups", help="separated by commas (default: all, of galaxy those of the goal)")
    parser.add_argument("--chunkers", default="fixed,cosine,heading,chop,cascade,true_identity,shuffled")
    parser.add_argument("--indices", default="dense,lexical,hybrid")
    parser.add_argument(
        "--model", help="of the rows `chop`; `none` leaves them out (default: galaxy only, the small one)"
    )
    parser.add_argument("--calls", type=int, help="at most so many model calls of `chop` per set-up (quick: 60)")
    parser.add_argument("--dtype", default="bfloat16", choices=["float32", "bfloat16"], help="of the embedder")
    parser.add_argument("--ablations", action="store_true", help="also measure parts of the cascade alone")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
