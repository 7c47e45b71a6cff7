"""`fonte demo`: the sample documents, a question, and a cited answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import fonte
from fonte.cli.ask import ask
from fonte.cli.options import JsonOption
from fonte.cli.output import progress, warn
from fonte.errors import UsageError

QUESTION = "After how many hours of running does the dust filter of the Ventalba 230 have to be cleaned?"
PLACES = (Path(fonte.__file__).parent / "sample_documents", Path(fonte.__file__).parents[2] / "examples" / "documents")


def demo(
    question: Annotated[str, typer.Argument(help="The question to ask.")] = QUESTION,
    corpus: Annotated[Path, typer.Option("--corpus", help="Where it is kept.")] = Path(".cache/demo-corpus"),
    json: JsonOption = False,
) -> None:
    """Index the sample documents that come with fonte, ask a question about them, and print the cited answer."""
    samples = next((place for place in PLACES if place.is_dir()), None)
    if samples is None:
        raise UsageError(f"The sample documents are missing. Looked in: {', '.join(map(str, PLACES))}.")
    with fonte.Corpus.open(corpus, create=True) as opened, progress("Indexing") as advance:
        report = opened.add([samples], progress=advance)
    warn(", ".join(f"{count} {state}" for state, count in report.counts.items()) + f" from {samples}")
    warn(f"Question: {question}\n")
    ask(question, corpus=corpus, json=json)
