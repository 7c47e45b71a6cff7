"""The card of a trained re-ranker: what it was trained on, how, what it reached, and under which licence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fonte
from fonte.ranking.trained import NOTE
from fonte.training.reranker_targets import QuestionTargets
from fonte.values import content_id

CARD = """---
library_name: sentence-transformers
pipeline_tag: text-ranking
base_model: {base}
tags: [cross-encoder, fonte, attribution]
---

# A re-ranker trained on measured effects

A cross-encoder that predicts how much a passage will move the answer of the language model **{model}**: the change of
the answer's log-likelihood {change} ({method}, {unit}; targets {targets}). Made by fonte
{version}; loads in plain sentence-transformers: `CrossEncoder("<this folder>")`.

## Data

{questions} questions with {pairs} measured passages, {watched} further questions to stop the training by. Questions
that share a gold passage or a cited case were kept on one side. {gold} `reranker.json` lists what was learnt from and
watched, as hashes of wordings, gold passages and cited cases.

## Training

{settings}

## Measures

{measures}

## Limits

Trained on a language model's behaviour, it also learns that model's habits; `fonte train reranker` prints how its order
depends on position, length and source. It is meant for the language model named above and for documents like those it
was trained on.

## Licence

The weights come from `{base}` under that model's licence. The questions and passages stay under their owners' terms:
what may be done with a model trained on them is for those who hold them to say.
"""


COMPARISON = """
## Comparison before it was used

{measure} on {questions} held-back questions: retrieval {retrieval:.3f}, in use until then {current:.3f}, this one
{new:.3f}; difference {difference:+.3f}{interval}.
"""

CHANGES = {
    "alone": "when the passage alone is shown instead of none",
    "first_and_last": "when the passage alone is shown, and when it is taken away from all, in the mean",
}
SEEN = "seen"


def write_card(
    folder: Path,
    questions: Sequence[QuestionTargets],
    watched: Sequence[QuestionTargets],
    settings: Mapping[str, Any],
    report: Mapping[str, Any],
) -> None:
    """Write `README.md` and, for programs, `reranker.json`.

    There `questions` are the hashed ids of what was learnt from, `seen` the marks of that and of what was watched: a
    later re-ranker is compared to this one on other questions only.
    """
    first = questions[0]
    reached = report["concordance"]
    measures = (
        "No question was watched." if reached is None else f"Concordance on the watched questions: {reached:.3f}."
    )
    share = settings["gold_share"]
    text = CARD.format(
        base=Path(str(settings["base"])).name,
        model=first.model[0] or "unnamed",
        change=CHANGES.get(first.method, "when the passage is taken away"),
        method=first.method or "unnamed method",
        unit=first.unit,
        targets=settings["targets"],
        version=fonte.__version__,
        questions=report["questions"],
        pairs=report["pairs"],
        watched=report["watched"],
        gold=f"Judged passages make {share:.0%} of the target." if share else "No judgment of relevance was used.",
        settings="\n".join(f"- {name}: {value}" for name, value in settings.items() if name != "base"),
        measures=measures,
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    note = {
        "questions": sorted(content_id(question.id) for question in questions),
        SEEN: sorted({mark for question in (*questions, *watched) for mark in question.marks}),
        "language_model": list(first.model),
        "settings": {name: value for name, value in settings.items() if name != "base"},
        "concordance": reached,
    }
    (folder / NOTE).write_text(json.dumps(note, indent=1), encoding="utf-8")


def add_comparison(folder: Path, verdict: Mapping[str, Any], left_out: Sequence[QuestionTargets]) -> None:
    """Write into `README.md` how the re-ranker compared, and on which held-back questions it was not, by hashed id.

    What an earlier comparison said there is replaced.
    """
    low, high = verdict["low"], verdict["high"]
    interval = "" if low is None else f" (95 % interval {low:+.3f} to {high:+.3f})"
    text = COMPARISON.format(**{**verdict, "interval": interval})
    if verdict["note"]:
        text += f"\n{verdict['note']}\n"
    text += "".join(f"- `{content_id(question.id)}`\n" for question in left_out)
    path = folder / "README.md"
    before, _, _ = path.read_text(encoding="utf-8").partition(COMPARISON.partition("{")[0])
    path.write_text(before + text, encoding="utf-8")
