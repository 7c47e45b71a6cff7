"""`fonte train generator`: train a language model to use its sources."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, progress, warn
from fonte.errors import UsageError
from fonte.training.processes import is_main

if TYPE_CHECKING:
    from fonte.evaluation import Question
    from fonte.training.generator import GeneratorReport
    from fonte.training.generator_settings import GeneratorTraining

GATE_FAILED = 1


DataOption = Annotated[
    Path | None,
    Option("--data", help="Question set (JSONL) with gold passages, or a corpus folder with its records."),
]
OutputOption = Annotated[Path | None, Option("--output", help="Folder for the model; must not exist.")]
UsingOption = Annotated[
    Path | None, Option("--corpus", help="Corpus that uses the model from then on, unless it is worse.")
]
ConfigOption = Annotated[Path | None, Option("--config", help="Settings (TOML), which the options override.")]
GoldOption = Annotated[
    Path | None, Option("--gold", help="Question set that marks the evidence of a corpus's recorded questions.")
]
HeldBackOption = Annotated[
    Path | None, Option("--held-back", help="Question set to watch; without it some of --data are set apart.")
]
BaseOption = Annotated[str | None, Option("--base", help="Model to start from: a name, folder or hub id.")]
MethodOption = Annotated[str | None, Option("--method", help="grpo, or sft: gold answers as start and baseline.")]
RewardOption = Annotated[
    str | None, Option("--reward", help="hybrid, clr, accuracy, citation or weighted.", show_default="hybrid")
]
SelectOption = Annotated[
    str | None, Option("--select", help="Train on questions that are right sometimes: pass@8 or pass@8,variance.")
]
BatchOption = Annotated[int | None, Option("--batch", min=1, help="Completions that go through the model at once.")]
RateOption = Annotated[float | None, Option("--learning-rate", min=0.0, help="Learning rate.")]
RankOption = Annotated[int | None, Option("--lora-rank", min=0, help="Rank of the adapter; 0 trains all.")]
PooledOption = Annotated[int | None, Option("--pooled", min=0, help="Distractors taken from other questions.")]
TokensOption = Annotated[int | None, Option("--max-tokens", min=1, help="Longest completion, in tokens.")]
ForceOption = Annotated[bool, Option("--force", help="Use it even if it is worse on held-back questions.")]
RollbackOption = Annotated[bool, Option("--rollback", help="Go back to the model before, with --corpus.")]


def train_generator(
    data: DataOption = None,
    output: OutputOption = None,
    corpus: UsingOption = None,
    config: ConfigOption = None,
    gold: GoldOption = None,
    held_back: HeldBackOption = None,
    base: BaseOption = None,
    method: MethodOption = None,
    reward: RewardOption = None,
    select: SelectOption = None,
    steps: Annotated[int | None, Option("--steps", min=1, help="Optimizer steps.")] = None,
    questions: Annotated[int | None, Option("--questions", min=1, help="Questions per step.")] = None,
    group: Annotated[int | None, Option("--group", min=2, help="Completions per question.")] = None,
    batch: BatchOption = None,
    learning_rate: RateOption = None,
    lora_rank: RankOption = None,
    passages: Annotated[int | None, Option("--passages", min=1, help="Passages per prompt.")] = None,
    pooled: PooledOption = None,
    words: Annotated[int | None, Option("--words", min=8, help="Cut passages to so many words.")] = None,
    prompt: Annotated[str | None, Option("--prompt", help="ask (as fonte ask) or brief.")] = None,
    max_tokens: TokensOption = None,
    seed: Annotated[int | None, Option("--seed", help="Seed of everything that is drawn.")] = None,
    force: ForceOption = False,
    rollback: RollbackOption = False,
    json: JsonOption = False,
) -> None:
    """Train with GRPO, rewarded for answers that depend on their evidence, or with supervised examples.

    An interrupted training goes on where it stopped when the command is given again. A run whose reward rises while
    held-back accuracy falls, or whose groups all have equal rewards, is stopped (exit code 1). For several processes:
    accelerate launch --config_file FILE "$(command -v fonte)" train generator ...
    """
    if rollback:
        _roll_back(corpus, json)
        return
    if data is None or output is None:
        raise UsageError("Say what to learn from, and where the model goes: --data FILE --output FOLDER.")
    size = {"steps": steps, "questions": questions, "group": group, "batch": batch, "max_tokens": max_tokens}
    how = {"base": base, "method": method, "select": select, "learning_rate": learning_rate, "lora_rank": lora_rank}
    shown = {"passages": passages, "pooled": pooled, "words": words, "style": prompt, "seed": seed}
    given = {**size, **how, "seed": seed, "reward": _given(reward=reward), "examples": _given(**shown)}
    report, refused = _train((data, gold, held_back), output, _training(config, given, corpus), corpus, force)
    _print(report, refused, corpus, json)
    if report.status == "stopped" or refused:
        raise typer.Exit(GATE_FAILED)


def _training(config: Path | None, given: dict[str, Any], corpus: Path | None) -> GeneratorTraining:
    """Return the settings: defaults, the corpus's model as the start, the file, the options."""
    from fonte.training.generator_settings import GeneratorTraining, read_training, with_values

    start = GeneratorTraining(base=_in_use(corpus)[1]) if corpus else GeneratorTraining()
    return with_values(read_training(config, start) if config else start, _given(**given), "the command line")


def _train(
    files: tuple[Path, Path | None, Path | None],
    output: Path,
    training: GeneratorTraining,
    corpus: Path | None,
    force: bool,
) -> tuple[GeneratorReport, str]:
    """Train; return the report, and why the corpus does not use the model ("" where it does, or none was named)."""
    from fonte.training.examples import split_by_hash
    from fonte.training.generator import train_generator as train
    from fonte.training.processes import of_main

    data, gold, held_back = files
    asked = _questions(data, gold)
    kept, learned = (_questions(held_back), asked) if held_back else split_by_hash(asked, training.held_back)
    with progress("Training") if is_main() else nullcontext(lambda done, total: None) as advance:
        report = train(learned, output, training, kept, warn, advance)
    if corpus is None:
        return report, ""
    place, refused = of_main(lambda: _adopt(report, corpus, training, kept, force))
    return report.moved_to(place), refused


def _adopt(
    report: GeneratorReport, folder: Path, training: GeneratorTraining, kept: list[Question], force: bool
) -> tuple[str, str]:
    """Let the corpus use the model, unless held-back questions speak against it; return where it lies, and what does.

    An adopted model moves into the model folder.
    """
    from fonte import Corpus
    from fonte.generation.trained import adopt_generator, install_generator
    from fonte.models.folder import model_folder
    from fonte.training.adoption import measured, reason_to_refuse

    model, used = _in_use(folder)
    if used != training.base and report.status != "stopped":
        report = replace(report, before=measured(used, kept, training))
    reason = reason_to_refuse(report)
    if report.status == "stopped" or (reason and not force):
        return report.folder, reason
    with Corpus.open(folder) as corpus:
        entry = install_generator(Path(report.folder), model)
        adopt_generator(corpus.records, entry)
    return str(model_folder() / entry.name), ""


def _in_use(folder: Path) -> tuple[str, str]:
    """Return the model of the corpus's settings, and the one that stands in its place now."""
    from fonte import Corpus
    from fonte.generation.trained import model_in_use

    with Corpus.open(folder) as corpus:
        model = corpus.settings.language_model.model
        return model, model_in_use(corpus.records, model)


def _roll_back(folder: Path | None, json: bool) -> None:
    from fonte import Corpus
    from fonte.generation.trained import roll_back_generator

    if folder is None:
        raise UsageError("Say which corpus goes back: --rollback --corpus FOLDER.")
    if not is_main():
        return
    with Corpus.open(folder) as corpus:
        now = roll_back_generator(corpus.records)
    name = None if now is None else now.name
    if json:
        print_json({"generator": name})
    else:
        typer.echo(f"The corpus uses {name or 'the language model of the settings'} now.")


def _questions(path: Path, gold: Path | None = None) -> list[Question]:
    from fonte.evaluation import read_questions

    if path.is_dir():
        from fonte import Corpus
        from fonte.training.record_questions import questions_from_records

        with Corpus.open(path) as corpus:
            return questions_from_records(corpus.records.answers, read_questions(gold) if gold else ())
    return read_questions(path)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _print(report: GeneratorReport, refused: str, corpus: Path | None, json: bool) -> None:
    """Print the report, once for all processes of a launch."""
    if not is_main():
        return
    if json:
        print_json({**asdict(report), "refused": refused})
    else:
        _print_values(report, adopted=corpus is not None and not refused and report.status != "stopped")
    if refused:
        warn(f"{corpus} does not use it: {refused}. --force uses it all the same.")


def _print_values(report: GeneratorReport, *, adopted: bool) -> None:
    for reason, count in report.left_out.items():
        warn(f"left out: {count} questions: {reason}")
    for name, value in report.after.items():
        before = report.before.get(name)
        typer.echo(f"{name:<28} {'' if before is None else f'{before:.3f}'} -> {value:.3f}")
    if report.status == "stopped":
        warn(f"Stopped after {report.steps} steps. {report.reason} The checkpoints are in {report.folder}.training.")
        return
    warn(f"{report.folder}: trained on {report.examples} questions for {report.steps} steps; {report.picture}")
    if adopted:
        warn("The corpus uses it from now on; --rollback goes back.")
        return
    warn(f"To use it, set language_model.model in your fonte.toml, or FONTE_LANGUAGE_MODEL__MODEL={report.folder}")
