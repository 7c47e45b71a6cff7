"""`fonte explain`: how much an answer depends on each of its passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable, progress, warn
from fonte.errors import UsageError

if TYPE_CHECKING:
    from fonte.corpus.explanation import Explanation
    from fonte.values import Effect, Passage

BAR = 24
MethodOption = Annotated[
    str,
    typer.Option(
        "--method", help="leave_one_out, balanced, clime, lasso, shapley or local_shapley.", show_default=True
    ),
]
BudgetOption = Annotated[float | None, typer.Option("--budget", min=0.0, help="Seconds to spend on measuring.")]


def explain(
    record: Annotated[str, typer.Argument(help="Id of the answer's record, or the start of it.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    method: MethodOption = "leave_one_out",
    budget: BudgetOption = None,
    level: Annotated[
        str, typer.Option("--level", help="passage, or sentence: also the sentences of passages that matter.")
    ] = "passage",
    html: Annotated[Path | None, typer.Option("--html", help="Also write a self-contained page to this file.")] = None,
    json: JsonOption = False,
) -> None:
    """Show what each passage contributed to a recorded answer.

    The effect of a passage is how much less likely the answer becomes without it, with a 95 % interval: in nats, or in
    the unit of the method. It is measured with the language model that answered; it is not the retrieval score, and not
    whether the passage supports the answer.
    """
    from fonte.corpus.explaining import Wish  # imports the models' libraries

    with fonte.Corpus.open(corpus) as opened, progress("Measuring") as advance:
        found = opened.explain(record, Wish(method, level, budget, warn), advance)
    if html is not None:
        from fonte.corpus.page import explanation_page

        try:
            html.write_text(explanation_page(found), encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(f"The page cannot be written to {html}: {error.strerror or error}.") from None
        warn(f"Wrote {html}")
    if json:
        print_json(found.to_json())
    else:
        print_explanation(found)


def print_explanation(found: Explanation) -> None:
    """Print the answer and its effects."""
    typer.echo(printable(found.answer.text, keep="\n") + "\n")
    print_effects(found)


def print_effects(found: Explanation) -> None:
    """Print the effects with bars, and what the model knew without sources."""
    answer = found.answer
    largest = max((abs(effect.value or 0) for effect in answer.effects), default=0.0)
    passages = {passage.id: passage for passage in answer.passages}
    for effect in answer.effects:
        typer.echo(printable(_line(effect, passages[effect.passage_id], largest)))
    for opened in found.opened:
        passage = passages[answer.effects[opened.passage].passage_id]
        typer.echo(printable(f"\nSentences of {passage.document}:"))
        for (start, end), effect in zip(opened.sentences, opened.attribution.effects[0], strict=True):
            words = " ".join(passage.chunk.text[start:end].split())
            typer.echo(printable(f"{effect_text(effect):<34} {words}"))
    typer.echo("")
    if found.memory_share is not None:
        share = f"{found.memory_share:.0%} of the answer's probability per token"
        typer.echo(f"Without any passage the model still has {share}.")
    for effect in found.uncited:
        typer.echo(printable(f"Not cited, but it mattered: {passages[effect.passage_id].document}"))
    tokens = found.attribution.tokens
    typer.echo(
        f"{found.attribution.method}, {found.attribution.ablations} ablations, {found.attribution.seconds:.1f} s; "
        f"tokens computed {tokens.computed:,}, shared {tokens.shared:,}; "
        f"noise ±{found.attribution.noise:.2f} {found.attribution.unit}"
    )


def effect_text(effect: Effect) -> str:
    """Return an effect in words: value with interval, or that there is none, or that it was not measured."""
    numbers = "" if effect.value is None else f"{effect.value:+.2f} {effect.unit} [{effect.low:.2f}, {effect.high:.2f}]"
    return {
        "not_measured": "not measured",
        "no_measurable_effect": "no measurable effect",
        "interchangeable": f"{numbers} together with its near-duplicates",
        "measured": numbers,
    }[effect.status]


def _line(effect: Effect, passage: Passage, largest: float) -> str:
    value = effect.value or 0.0
    bar = ("█" if value > 0 else "░") * round(BAR * abs(value) / largest) if largest else ""
    signature = "" if effect.signature_value is None else f", of which its signature {effect.signature_value:+.2f}"
    where = passage.document + (f" > {passage.chunk.heading[-1]}" if passage.chunk.heading else "")
    return f"{bar:<{BAR}} {effect_text(effect)}{signature}  {where} (retrieval score {passage.retrieval_score:.2f})"
