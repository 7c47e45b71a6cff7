"""`fonte show`: one document as fonte reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable

if TYPE_CHECKING:
    from fonte.corpus.signatures import SegmentView


def show(
    document: Annotated[str, typer.Argument(help="The document's name as `fonte list` prints it, or the end of it.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    chunks: Annotated[bool, typer.Option("--chunks", help="Show the chunks with their offsets instead.")] = False,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Show what each part belongs to, and how that was found.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="With --signatures: print a page for a browser.")] = False,
    json: JsonOption = False,
) -> None:
    """Show DOCUMENT: its canonical text, to which all offsets refer, its chunks, or its signatures.

    With --signatures DOCUMENT may be a file that holds several documents; all of them are shown.
    """
    with fonte.Corpus.open(corpus) as opened:
        if signatures:
            _signatures(document, opened.signatures(document), html=html, json=json)
            return
        view = opened.show(document)
    if json:
        print_json(view.to_json())
    elif not chunks:
        typer.echo(printable(view.document.text, keep="\n\t"))
    else:
        for chunk in view.chunks:
            heading = " > ".join(chunk.heading)
            typer.echo(printable(f"[{chunk.ordinal}] {chunk.start}-{chunk.end}  {heading}"))
            typer.echo(printable(chunk.text, keep="\n\t") + "\n")


def _signatures(name: str, segments: list[SegmentView], *, html: bool, json: bool) -> None:
    if html:
        from fonte.corpus.signature_page import signature_page

        typer.echo(signature_page(name, segments))
        return
    if json:
        print_json({"document": name, "segments": [segment.to_json() for segment in segments]})
        return
    for segment in segments:
        chunks = f"chunks {segment.gaps[0].chunk}-{segment.gaps[-1].chunk}"
        status = segment.signature.status or "unsigned"
        begun = f"{segment.gaps[0].decision}, continuity {segment.continuity:.2f}, {status}"
        typer.echo(printable(f"{segment.document}  {segment.start}-{segment.end}  {chunks}  {begun}"))
        for field, value in segment.signature.fields:
            typer.echo(printable(f"  {field}: {value}  (from {segment.sources[field]})"))
        for gap in segment.gaps[1:]:
            topic = ", new topic" if gap.decision == "new topic" else ""
            typer.echo(f"  chunk {gap.chunk}: continuity {gap.continuity:.2f} ({gap.decided_by}){topic}")
