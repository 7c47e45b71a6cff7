"""The card of a trained re-ranker: what it was trained on, how, what it reached, and under which licence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fonte
from fonte.training.reranker_targets import QuestionTargets

CARD = """---
library_name: sentence-transformers
pipeline_tag: text-ranking
base_model: {base}
tags: [cross-encoder, fonte, attribution]
---

# A re-ranker trained on measured effects

A cross-encoder that predicts how much a passage will move the answer of the language model **{model}**: the change of
the answer's log-likelihood when the passage is taken away ({method}, {unit}; targets {targets}). Made by fonte
{version}; loads in plain sentence-transformers: `CrossEncoder("<this folder>")`.

## Data

{questions} questions with {pairs} measured passages, {watched} further questions to stop the training by. Questions
that share a gold passage or a cited case were kept on one side. {gold}

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


def write_card(
    folder: Path, questions: Sequence[QuestionTargets], settings: Mapping[str, Any], report: Mapping[str, Any]
) -> None:
    """Write `README.md` and, for programs, `reranker.json` with the questions' ids."""
    first = questions[0]
    reached = report["concordance"]
    measures = (
        "No question was watched." if reached is None else f"Concordance on the watched questions: {reached:.3f}."
    )
    share = settings["gold_share"]
    text = CARD.format(
        base=Path(str(settings["base"])).name,
        model=first.model[0] or "unnamed",
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
        "questions": sorted(question.id for question in questions),
        "language_model": list(first.model),
        "settings": {name: value for name, value in settings.items() if name != "base"},
        "concordance": reached,
    }
    (folder / "reranker.json").write_text(json.dumps(note, indent=1), encoding="utf-8")
