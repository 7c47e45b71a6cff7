"""`fonte ask`: answer a question from the corpus, with citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import fonte
from fonte.cli.explain import BudgetOption, effect_text, print_effects
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, PassagesOption, WhereOption, flags
from fonte.cli.output import print_json, printable, progress, warn
from fonte.errors import FonteError, UsageError

if TYPE_CHECKING:
    from fonte.corpus.explanation import Explanation
    from fonte.values import Answer, Citation

INCOMPLETE = 3


def ask(
    question: Annotated[str, typer.Argument(help="The question, in plain words.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    where: WhereOption = None,
    passages: PassagesOption = None,
    mode: Annotated[str | None, typer.Option("--mode", help="auto, quote (sentences of the sources) or write.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of labels and sampling.")] = None,
    record: Annotated[bool, typer.Option(help="Keep the answer, to replay and explain it later.")] = True,
    effects: Annotated[bool, typer.Option("--effects", help="Measure how much each passage moved the answer.")] = False,
    budget: BudgetOption = None,
    json: JsonOption = False,
) -> None:
    """Answer QUESTION from the documents of the corpus and cite the sentences that carry the answer.

    That the sources do not hold an answer is a result too (exit code 0). Exit code 3: the answer is incomplete, and
    the message says why.
    """
    chosen = flags(
        generation={"mode": mode, "seed": seed},
        retrieval={"passages": passages},
        records={"enabled": None if record else False},
    )
    settings = fonte.Settings.load(corpus, chosen)
    if effects and not settings.records.enabled:
        raise UsageError("Effects are measured on a recorded answer: leave out --no-record, or turn records on.")
    with fonte.Corpus.open(corpus, settings) as opened:
        answer = opened.ask(question, where=where, show=None if json else _show)
        if answer.text and not json:
            typer.echo("")  # ends the streamed line, before anything is said on stderr
        try:
            explained = _measure(opened, answer, budget) if effects and answer.status == "answered" else None
        except FonteError:
            _print(answer, None, json)  # the answer is there, whatever became of its effects
            raise
    _print(answer, explained, json)
    if answer.status == "incomplete":
        warn(f"Incomplete: {answer.reason}")
        raise typer.Exit(INCOMPLETE)


def _measure(opened: fonte.Corpus, answer: Answer, budget: float | None) -> Explanation:
    """Measure the effects after the answer has been shown; say first how long it will take."""
    from fonte.corpus.explaining import Wish

    with progress("Measuring") as advance:
        return opened.explain(answer.record, Wish(budget=budget, tell=warn), advance)


def _print(answer: Answer, explained: Explanation | None, json: bool) -> None:
    shown = explained.answer if explained else answer
    if json:
        from fonte.records.serialize import answer_json

        print_json(answer_json(shown))
        return
    if shown.text != answer.text:
        typer.echo(f"\n{printable(shown.text, keep=chr(10))}")  # with citations that the effects placed
    _print_sources(shown)
    if explained:
        typer.echo("")
        print_effects(explained)
    if answer.record:
        warn(f"Record {answer.record}: fonte explain shows what each source contributed.")


def _show(text: str) -> None:
    typer.echo(printable(text, keep="\n\t"), nl=False)


def _print_sources(answer: Answer) -> None:
    """Print what was cited below the streamed text: number, document, page, and the quote."""
    if answer.status == "not_in_sources":
        typer.echo(printable(f"The sources do not answer this. {answer.reason}".rstrip(), keep="\n"))
        return
    typer.echo("")
    told: set[tuple[str, int, int]] = set()
    for citation in answer.citations:
        key = (citation.passage_id, citation.source_start, citation.source_end)
        if key not in told:
            told.add(key)
            typer.echo(_source_line(answer, citation))
    if answer.status == "answered" and answer.reason:
        warn(answer.reason)
    if answer.invented_markers:
        warn(f"Removed citations of sources that do not exist: {', '.join(answer.invented_markers)}")
    if answer.dropped_passages:
        warn(f"{len(answer.dropped_passages)} passages did not fit the model's context window and were left out.")


def _source_line(answer: Answer, citation: Citation) -> str:
    marker = answer.text[citation.marker_start : citation.marker_end]
    page = f", page {citation.page}" if citation.page else ""
    quote = f": “{printable(' '.join(citation.quote.split()))}”" if citation.quote else ": no quote supports this"
    effect = f"; effect: {effect_text(citation.effect)}" if citation.effect else ""
    return f"{marker} {printable(citation.document)}{page} ({citation.origin}, {citation.status}{effect}){quote}"
