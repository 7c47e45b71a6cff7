"""`fonte measure`: measures over files of questions, answers and runs that any system wrote; no corpus needed."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, table, warn
from fonte.errors import UsageError

if TYPE_CHECKING:
    from fonte.evaluation import Choices, Measured, Question
    from fonte.measures import Comparison


def measure(
    questions: Annotated[Path | None, typer.Option("--questions", help="Question set (JSONL).")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Answers (JSONL): fonte ask --json plus id.")
    ] = None,
    run: Annotated[Path | None, typer.Option("--run", help="Run to measure: TREC, or ranx (.json).")] = None,
    qrels: Annotated[Path | None, typer.Option("--qrels", help="Judgments: TREC, BEIR (.tsv), ranx (.json).")] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Answers of another system to compare with.")
    ] = None,
    closed_book: Annotated[Path | None, typer.Option("--closed-book", help="Answers made without documents.")] = None,
    format_: Annotated[
        str, typer.Option("--format", help="Format of the question set: fonte, hotpotqa, alce, …")
    ] = "fonte",
    support: Annotated[
        str | None, typer.Option("--support", help="Model that judges support; without it, the overlap of the quote.")
    ] = None,
    encoder: Annotated[str | None, typer.Option("--bert-score", help="Encoder for BERTScore.")] = None,
    conventions: Annotated[
        list[str] | None, typer.Option("--conventions", help="How citations are counted: fonte, alce, aquaechr.")
    ] = None,
    items: Annotated[Path | None, typer.Option("--items", help="Write every item's scores here (JSONL).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the intervals.")] = 0,
    json: JsonOption = False,
) -> None:
    """Measure answers against a question set, a run against judgments, or both.

    Give --questions with --answers, --run with --qrels (or with a question set that marks its gold passages), or all.
    Every measure has its mean, a 95 % interval, how many items there are, and how many of them have a value.
    """
    if not answers and not run:
        raise UsageError("There is nothing to measure. Give --answers FILE with --questions FILE, or --run FILE.")
    from fonte.evaluation import FORMATS

    if format_ not in FORMATS:
        raise UsageError(f"There is no format {format_!r}; there are: {', '.join(FORMATS)}.")
    asked = FORMATS[format_](questions) if questions else None
    chosen = _choices(support, encoder, conventions or ["fonte"], seed)
    parts: list[Measured] = []
    comparison: Mapping[str, Comparison] = {}
    if answers:
        measured, comparison = _answers(asked, answers, chosen, (baseline, closed_book))
        parts.append(measured)
    if run:
        parts.append(_run(asked, run, qrels, seed))
    if items:
        _write_items(items, parts)
    _report(parts, comparison, json)


def _answers(
    questions: list[Question] | None, path: Path, choices: Choices, others: tuple[Path | None, Path | None]
) -> tuple[Measured, Mapping[str, Comparison]]:
    from fonte.evaluation import measure_answers, read_answers
    from fonte.measures import compare

    if questions is None:
        raise UsageError("Answers are measured against questions. Give --questions FILE.")
    baseline, closed_book = others
    without = read_answers(closed_book) if closed_book else None
    measured = measure_answers(questions, read_answers(path), choices, without)
    if baseline is None:
        return measured, {}
    before = measure_answers(questions, read_answers(baseline), choices)
    return measured, compare(before.measures, measured.measures, choices.seed)


def _run(questions: list[Question] | None, run: Path, qrels: Path | None, seed: int) -> Measured:
    from fonte.evaluation import measure_run, qrels_of, read_qrels, read_run

    judged = read_qrels(qrels) if qrels else qrels_of(questions or [])
    if not judged:
        raise UsageError(
            "A run is measured against judgments. Give --qrels FILE, or a question set with gold passages."
        )
    return measure_run(read_run(run), judged, seed=seed)


def _choices(support: str | None, encoder: str | None, conventions: Sequence[str], seed: int) -> Choices:
    from fonte.citations.support import load_support
    from fonte.evaluation import Choices, Scorer
    from fonte.measures import ALCE, AQUAECHR, FONTE

    known = {one.name: one for one in (FONTE, ALCE, AQUAECHR)}
    if unknown := [name for name in conventions if name not in known]:
        raise UsageError(f"There are no conventions {unknown[0]!r}; there are: {', '.join(known)}.")
    scorer = load_support(support)
    encode = None
    if encoder:
        from fonte.measures.token_encoder import TokenEncoder

        encode = TokenEncoder.from_pretrained(encoder)
    chosen = tuple(known[name] for name in dict.fromkeys(conventions))
    return Choices(Scorer(scorer.name, scorer), chosen, encode, encoder or "", seed)


def _write_items(path: Path, parts: Sequence[Measured]) -> None:
    from fonte.evaluation.files import write_text

    merged: dict[str, dict[str, Any]] = {}
    for part in parts:
        for item in part.items_json():
            merged.setdefault(item["id"], {"id": item["id"], "measures": {}})["measures"].update(item["measures"])
    write_text(path, (jsonlib.dumps(item, ensure_ascii=False, allow_nan=False) + "\n" for item in merged.values()))


def _report(parts: Sequence[Measured], comparison: Mapping[str, Comparison], json: bool) -> None:
    from dataclasses import asdict

    shapes = [part.to_json() for part in parts]
    measures = {name: shape for part in shapes for name, shape in part["measures"].items()}
    notes = [note for part in shapes for note in part["notes"]]
    if json:
        compared = {name: asdict(one) for name, one in comparison.items()}
        print_json({"measures": measures, "notes": notes, **({"comparison": compared} if comparison else {})})
        return
    rows = [
        (
            name,
            _number(one["mean"]),
            _number(one["low"]),
            _number(one["high"]),
            f"{one['n_scored']}/{one['n']}",
            _told(one),
        )
        for name, one in measures.items()
    ]
    table(("measure", "mean", "low", "high", "scored", "status"), rows)
    if comparison:
        typer.echo()
        lines = [
            (name, _number(one.difference), _number(one.low), _number(one.high), _number(one.p_holm), one.n)
            for name, one in comparison.items()
        ]
        table(("against the baseline", "difference", "low", "high", "p (Holm)", "n"), lines)
    for note in notes:
        warn(note)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _told(shape: Mapping[str, Any]) -> str:
    judged = f" by {shape['scorer']}" if "scorer" in shape else ""
    reason = f" ({shape['reason']})" if shape["status"] == "not_scored" else ""
    return f"{shape['status']}{judged}{reason}"
