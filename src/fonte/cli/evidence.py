"""`fonte evidence`: how much existing answers depend on their evidence, for any model's answers, without training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, progress, table, warn
from fonte.errors import UsageError

if TYPE_CHECKING:
    from fonte.training.judging import Judged


def evidence(
    file: Annotated[
        Path,
        typer.Option(
            "--file",
            help="Answers (JSONL): {question, passages: [{id, text, gold}], answer, answers, closed_book_answer}.",
        ),
    ],
    model: Annotated[
        str, typer.Option("--model", help="Model that scores: a name, folder or hub id; without it the bundled one.")
    ] = "",
    contribution: Annotated[
        str, typer.Option("--contribution", help="Leave out: min, mean (one at a time), all, or max of min and all.")
    ] = "min",
    threshold: Annotated[float, typer.Option("--threshold", min=0.0, help="Least contribution, in nats.")] = 1.0,
    length: Annotated[str, typer.Option("--length", help="Divide by: none, tokens or sqrt (of the tokens).")] = "sqrt",
    span: Annotated[str, typer.Option("--span", help="Tokens that count: full, after_thinking or answer.")] = "answer",
    accuracy: Annotated[
        str, typer.Option("--accuracy", help="containment, exact_match, token_f1, substring or entailment.")
    ] = "containment",
    support: Annotated[str | None, typer.Option("--support", help="Model for accuracy by entailment.")] = None,
    prompt: Annotated[str, typer.Option("--prompt", help="Prompt around the passages: ask or brief.")] = "ask",
    dtype: Annotated[
        str, typer.Option("--dtype", help="Number format; shorter ones move contributions by tenths of a nat.")
    ] = "float32",
    json: JsonOption = False,
) -> None:
    """Score how much less likely each answer becomes without the passages that support it.

    E is the fall of its log-likelihood, in nats, when the supporting passage that matters most is left out; CLR is what
    CTRL-RAG pays for it. Supporting passages are those marked gold.
    """
    name, judged = _judged(
        file,
        {"contribution": contribution, "threshold": threshold, "length": length, "span": span, "accuracy": accuracy},
        (model, dtype, prompt, support),
    )
    if json:
        print_json({"model": name, **judged.to_json()})
    else:
        _print(judged)


def _judged(file: Path, reward: dict[str, Any], choices: tuple[str | None, str, str, str | None]) -> tuple[str, Judged]:
    model, dtype, prompt, support = choices
    if prompt not in ("ask", "brief"):
        raise UsageError(f"The prompt is ask or brief, not {prompt!r}.")
    from fonte.models.local import LocalLanguageModel
    from fonte.settings import DEFAULT_LANGUAGE_MODEL
    from fonte.training.answered import read_answered
    from fonte.training.judging import AnswerJudge
    from fonte.training.reward_settings import RewardSettings

    settings = RewardSettings(**reward)
    items = read_answered(file)
    entails = None
    if support:
        from fonte.citations.support import load_support

        entails = load_support(support)
    name = model or DEFAULT_LANGUAGE_MODEL
    loaded = LocalLanguageModel.from_pretrained(name, dtype=dtype)
    judge = AnswerJudge(loaded, settings, style=prompt, support=entails)  # type: ignore[arg-type]  # checked above
    with progress("Scoring") as advance:
        return name, judge.judge(items, advance)


def _print(judged: Judged) -> None:
    rows = [row.to_json() for row in judged.rows]
    names = ("id", "E", "critical", "clr", "accuracy", "hybrid", "tokens", "status")
    table(names, [[_shown(row[name]) for name in names] for row in rows])
    typer.echo()
    lines = [
        (name, _shown(one.mean), _shown(one.low), _shown(one.high), f"{one.n_scored}/{one.n}", one.reason)
        for name, one in judged.summary.items()
    ]
    table(("summary", "mean", "low", "high", "scored", "reason"), lines)
    near = sum(bool(row["near_threshold"]) for row in rows)
    warn(f"{judged.tokens:,} tokens through the model; {near} contributions within numeric noise of the threshold.")


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)
