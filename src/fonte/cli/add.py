"""`fonte add`: index files and folders."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, flags
from fonte.cli.output import print_json, progress, table, warn

INCOMPLETE = 3


def add(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders to index.", exists=True, readable=False)],
    corpus: CorpusOption = DEFAULT_CORPUS,
    prune: Annotated[bool, typer.Option("--prune", help="Remove documents whose files are gone below PATHS.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Let --prune remove more than a fifth of the corpus.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Read files again that failed before.")] = False,
    chunker: Annotated[str | None, typer.Option("--chunker", help="heading, fixed, cosine or chop.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Most tokens in a chunk.")] = None,
    max_model_calls: Annotated[
        int | None,
        typer.Option("--max-model-calls", min=0, help="Most calls to the language model that --chunker chop makes."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost; index nothing.")] = False,
    json: JsonOption = False,
) -> None:
    """Index PATHS: new files are added, changed ones replaced, unchanged ones cost nothing.

    Every file ends in one state: indexed, replaced, unchanged, removed, no_text, skipped or failed, with a reason. A
    bad file never stops the run. An interrupted run is finished by running it again. Exit code 3 if a file failed or
    held no text. Options that say how documents are cut hold for this run; to keep them, write them into
    `fonte.toml` in the corpus, under [chunking].
    """
    chosen = flags(chunking={"chunker": chunker, "tokens": tokens}, chop={"max_model_calls": max_model_calls})
    settings = fonte.Settings.load(corpus, chosen)
    if dry_run:
        _estimate(paths, corpus, settings, json=json)
        return
    with fonte.Corpus.open(corpus, settings, create=True, tell=warn) as opened, progress("Indexing") as advance:
        report = opened.add(paths, prune=prune, force=force, retry=retry, progress=advance)
    if json:
        print_json(report.to_json())
    else:
        told = [file for file in report.files if file.state != "unchanged"]
        table(("state", "chunks", "file", "reason"), [(f.state, f.chunks, f.path, f.reason) for f in told])
        typer.echo(", ".join(f"{count} {state}" for state, count in report.counts.items()) or "Nothing to index.")
    for path in report.vanished:
        warn(f"Gone but still indexed: {path} (use --prune to remove it)")
    if report.incomplete:
        raise typer.Exit(INCOMPLETE)


def _estimate(paths: list[Path], corpus: Path, settings: fonte.Settings, *, json: bool) -> None:
    """Print what indexing would cost; where there is no corpus yet, none is made."""
    with TemporaryDirectory() as nowhere:
        folder = corpus if (corpus / "corpus.json").is_file() else Path(nowhere)
        with fonte.Corpus.open(folder, settings, create=True, tell=warn) as opened:
            cost = opened.estimate(paths)
    if json:
        print_json(cost.to_json())
        return
    typer.echo(f"{cost.files} files ({cost.unreadable} without text), {cost.documents} documents, {cost.chunks} chunks")
    typer.echo(
        f"at most {cost.model_calls} model calls ({cost.model_tokens:,} tokens), {cost.embed_tokens:,} tokens to "
        f"embed, about {cost.seconds:,.0f} seconds. Nothing was indexed."
    )
