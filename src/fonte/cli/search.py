"""`fonte search`: find passages without answering."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, PassagesOption, WhereOption, flags
from fonte.cli.output import print_json, printable


def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    where: WhereOption = None,
    passages: PassagesOption = None,
    mode: Annotated[str | None, typer.Option("--index", help="hybrid, dense or lexical.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the order before and after re-ranking.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the passages of the corpus that fit QUESTION best, without asking a language model."""
    settings = fonte.Settings.load(corpus, flags(retrieval={"passages": passages, "mode": mode}))
    with fonte.Corpus.open(corpus, settings) as opened:
        orders = opened.orders(question, where) if explain else None
        found = list(orders.passages) if orders else opened.search(question, where=where)
    if json:
        from fonte.records.serialize import passages_json

        print_json({"passages": passages_json(found), **({"orders": orders.to_json()} if orders else {})})
        return
    if orders:
        typer.echo(printable(orders.in_words()))
    for rank, passage in enumerate(found, start=1):
        heading = " > ".join(passage.chunk.heading)
        before = f", {orders.places(passage)}" if orders else ""
        typer.echo(printable(f"{rank}. {passage.document}  {heading}  (score {passage.retrieval_score:.4f}{before})"))
        typer.echo(printable(f"   {' '.join(passage.chunk.text.split())[:300]}"))
    if not found:
        typer.echo("Nothing found.")
