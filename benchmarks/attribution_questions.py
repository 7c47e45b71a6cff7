"""Questions with passages for the attribution benchmarks, as prompts that every compared program tokenises alike."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fonte.chunking import sentences
from fonte.models.local import LocalLanguageModel
from fonte.values import Prompt, PromptPassage, SegmentedPrompt

FILES = {
    "hotpotqa": ("hotpotqa/dev300.jsonl.gz", "hotpotqa/train300.jsonl.gz"),
    "musique": ("musique/dev_half.jsonl", "musique/train100.jsonl"),
    "aquaechr": ("aquaechr/questions.jsonl",),
}


@dataclass(frozen=True)
class Case:
    """A question with its passages; `gold[i]` says whether passage i holds evidence, `answers` are the right ones."""

    id: str
    question: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    gold: tuple[bool, ...]


def cases(data: Path, name: str, passages: int, words: int) -> Iterator[Case]:
    """Yield the cases of a data set.

    Of each at most `passages` passages are taken, gold ones before others, in their order; each is cut after the
    sentence with its `words`-th word. Errors: `FileNotFoundError` where the folder lacks the set.
    """
    for file in FILES[name]:
        for row in _rows(data / file):
            found = _pooled(row, data, passages) if "passages" not in row else row["passages"]
            chosen = _chosen(found, passages)
            texts = tuple(_short(f"{each['title']}: {each['text']}", words) for each in chosen)
            answers = tuple(row.get("answers") or [row["answer"]])
            identity = str(row.get("id", row.get("question_number")))
            yield Case(identity, row["question"], answers, texts, tuple(bool(each["gold"]) for each in chosen))


def prompt_of(case: Case) -> Prompt:
    """Return the prompt that ContextCite's template gives, one passage per line."""
    passages = tuple(PromptPassage("", "", f"{text}\n") for text in case.passages)
    return Prompt("", "Context: ", passages, f"\nQuery: {case.question}")


def answer_of(model: LocalLanguageModel, prompt: Prompt, most_tokens: int) -> tuple[int, ...]:
    """Return the model's own answer, greedily, as token ids."""
    return model.generate(prompt, max_tokens=most_tokens).token_ids


def segmented(model: LocalLanguageModel, case: Case) -> SegmentedPrompt:
    """Return the prompt in tokens."""
    return model.segment(prompt_of(case))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _chosen(passages: list[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    ranked = sorted(range(len(passages)), key=lambda number: not passages[number]["gold"])
    return [passages[number] for number in sorted(ranked[:most])]


def _short(text: str, words: int) -> str:
    text = " ".join(text.split())
    for start, end in sentences(text):
        if len(text[:end].split()) >= words or (start == 0 and end == len(text)):
            return text[:end]
    return text


def _pooled(row: Mapping[str, Any], data: Path, most: int) -> list[dict[str, Any]]:
    """Return the gold paragraphs of an AQuAECHR question among those of the pool that share most words with it."""
    wanted = {(gold["case_id"], gold["paragraph_number"]) for gold in row["gold"]}
    words = set(row["question"].casefold().split())
    pool = list(_rows(data / "aquaechr/paragraph_pool.jsonl"))
    gold = [each for each in pool if (each["case_id"], each["paragraph_number"]) in wanted]
    others = [each for each in pool if (each["case_id"], each["paragraph_number"]) not in wanted]
    others.sort(key=lambda each: -len(words & set(each["text"].casefold().split())) / len(each["text"].split()) ** 0.5)
    mixed = [(each, True) for each in gold[: most // 2]] + [(each, False) for each in others[:most]]
    mixed = sorted(mixed[:most], key=lambda pair: (pair[0]["case_id"], pair[0]["paragraph_number"]))
    return [{"title": each["case_name"], "text": each["text"], "gold": is_gold} for each, is_gold in mixed]
