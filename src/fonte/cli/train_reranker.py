"""`fonte train reranker`: learn from measured effects which passages the model will really use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable, progress, warn
from fonte.errors import UsageError

if TYPE_CHECKING:
    from fonte.training.reranker_corpus import CorpusTraining

QuestionsOption = Annotated[
    Path | None,
    typer.Option("--questions", help="Questions (JSONL): {id, question, answers, gold: [{document, start, end}]}."),
]
RecordsOption = Annotated[bool, typer.Option("--from-records", help="Learn from the answers that the corpus gave.")]
RecipeOption = Annotated[Path | None, typer.Option("--recipe", help="TOML with models, [targets] and [training].")]
AnswerOption = Annotated[
    str | None, typer.Option("--answer", help="Attribute the model's own answer (model) or the file's (gold).")
]
MethodOption = Annotated[
    str | None, typer.Option("--method", help="pairs, leave_one_out, alone, first_and_last or clime.")
]
TargetsOption = Annotated[str | None, typer.Option("--targets", help="raw, standardised or ranks.")]
LossOption = Annotated[
    str | None, typer.Option("--loss", help="mse, weighted_mse, margin_mse, list_net or cross_entropy (ranks).")
]
GoldOption = Annotated[
    float | None, typer.Option("--gold-share", min=0, max=1, help="Share of gold in the target, where gold is known.")
]
FoldsOption = Annotated[
    int, typer.Option("--folds", min=0, help="Further trainings, crosswise, that choose its weight (0: none).")
]
RollbackOption = Annotated[bool, typer.Option("--rollback", help="Go back to the re-ranker before the present one.")]


def train_reranker(
    questions: QuestionsOption = None,
    from_records: RecordsOption = False,
    corpus: CorpusOption = DEFAULT_CORPUS,
    recipe: RecipeOption = None,
    base: Annotated[str | None, typer.Option("--base", help="Model to start from: a cross-encoder is best.")] = None,
    answer: AnswerOption = None,
    method: MethodOption = None,
    targets: TargetsOption = None,
    loss: LossOption = None,
    gold_share: GoldOption = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="At most so many rounds.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many questions.")] = None,
    folds: FoldsOption = 5,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of designs, sides and training.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Use it even if it is clearly worse on held-back questions.")
    ] = False,
    rollback: RollbackOption = False,
    json: JsonOption = False,
) -> None:
    """Train a small cross-encoder to predict how much each passage moves the model's answer.

    Every question is answered from the corpus, and the answer attributed to its passages. The corpus uses the result,
    fused with the order of retrieval, from then on: unless it is clearly worse on held-back questions (exit code 1).
    An interrupted run goes on where it stopped when the command is given again.
    """
    if rollback:
        _roll_back(corpus, json)
        return
    if (questions is None) == (not from_records):
        raise UsageError("Say what to learn from: --questions FILE, or --from-records.")
    if folds == 1:
        raise UsageError("--folds 1: one fold cannot choose a weight; use 0, or at least 2.")
    given = {"answer": answer, "method": method, "limit": limit, "seed": seed}
    how = {"base": base, "targets": targets, "loss": loss, "gold_share": gold_share, "epochs": epochs, "seed": seed}
    report = _train(corpus, questions, recipe, _set(given), _set(how), folds, force)
    if json:
        print_json(report.to_json())
    else:
        _print(report)
    if not report.accepted:
        raise typer.Exit(1)


def _train(
    folder: Path,
    file: Path | None,
    recipe: Path | None,
    collection: dict[str, Any],
    training: dict[str, Any],
    folds: int,
    force: bool,
) -> CorpusTraining:
    from fonte.evaluation.questions import read_questions
    from fonte.training.reranker_collect import Collector
    from fonte.training.reranker_corpus import FOLDER, train_for_corpus
    from fonte.training.reranker_recipe import read_recipe
    from fonte.training.reranker_targets import TargetFile

    chosen = read_recipe(recipe)
    settings_of_training = replace(chosen.training, **training)
    settings_of_training.require_base()
    known = read_questions(file) if file is not None else []
    settings = fonte.Settings.load(folder, chosen.settings)
    with fonte.Corpus.open(folder, settings, tell=warn) as corpus, progress("Measuring") as advance:
        targets = TargetFile(folder / FOLDER / "targets.jsonl")
        collector = Collector(corpus, targets, replace(chosen.targets, **collection), warn, advance)
        collected = collector.from_questions(known) if file is not None else collector.from_records()
        for reason, count in collected.without:
            warn(f"{count} questions give no targets: {reason}")
        return train_for_corpus(corpus, collected, settings_of_training, known, force=force, folds=folds, tell=warn)


def _roll_back(folder: Path, json: bool) -> None:
    from fonte.ranking.trained import roll_back

    with fonte.Corpus.open(folder) as corpus:
        now = roll_back(corpus.records)
    name = None if now is None else now.name
    if json:
        print_json({"reranker": name})
    else:
        typer.echo(f"The corpus uses {name or 'the order of retrieval'} now.")


def _print(report: CorpusTraining) -> None:
    held = report.held_back
    interval = "" if held.low is None else f" [{held.low:+.3f}, {held.high:+.3f}] (95 %)"
    typer.echo(printable(report.path))
    typer.echo(f"Trained on {report.questions} questions, {report.pairs} passages; weight {report.weight:.1f}.")
    typer.echo(
        f"{held.measure} on {held.questions} held-back questions: retrieval {held.retrieval:.3f}, in use until now "
        f"{held.current:.3f}, new {held.new:.3f}; difference {held.difference:+.3f}{interval}"
    )
    if held.note:
        warn(held.note)
    shown = {"early place": report.bias.position, "length": report.bias.length}
    parts = [f"{name} {value:+.2f}" for name, value in shown.items() if value is not None]
    if parts:
        typer.echo(f"Rank correlation of the new order with: {', '.join(parts)}.")
    if report.bias.source is not None:
        typer.echo(f"Share of its ten best that one document has, beside retrieval's: {report.bias.source:+.2f}.")
    if report.accepted:
        typer.echo("The corpus uses it from now on." + (" (forced)" if report.forced else ""))
    else:
        warn(f"Not used: {held.reason}. --force uses it all the same.")


def _set(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
