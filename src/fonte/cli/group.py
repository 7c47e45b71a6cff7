"""`fonte group`: who may see which document when the corpus is served."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, table


def set_groups(
    names: Annotated[list[str], typer.Argument(help="Documents by name, or files and folders by path.")],
    group: Annotated[list[str] | None, typer.Option("--group", help="A group that may see them; repeatable.")] = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    json: JsonOption = False,
) -> None:
    """Let only these groups see the documents NAMES; without --group everybody.

    Groups belong to files: a file keeps its groups when it changes. When it is moved or copied, the
    file at the new place gets them too, if it is added before the old place is pruned.
    """
    from fonte.corpus.wanted import wanted_documents

    with fonte.Corpus.open(corpus) as opened:
        records = opened.records
        found = {entry.document_id for name in names for entry in wanted_documents(records, name)}
        sources = sorted({source for document in found for source in records.ledger.of_document(document)})
        with records.transaction():
            for source in sources:
                records.groups.set(source, group or ())
    if json:
        print_json({"sources": sources, "groups": sorted(set(group or ()))})
    else:
        typer.echo(f"{len(sources)} files: {', '.join(sorted(set(group or ()))) or 'everybody'}")


def list_groups(corpus: CorpusOption = DEFAULT_CORPUS, json: JsonOption = False) -> None:
    """List the files that not everybody may see."""
    with fonte.Corpus.open(corpus) as opened:
        known = opened.records.groups.of_sources()
    if json:
        print_json({"sources": [{"source": source, "groups": sorted(groups)} for source, groups in known.items()]})
    else:
        table(("file", "groups"), [(source, ", ".join(sorted(groups))) for source, groups in known.items()])
