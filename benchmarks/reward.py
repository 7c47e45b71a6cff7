"""What the contrastive likelihood reward costs: groups scored with shared contexts against one batch per variant.

    python benchmarks/reward.py --quick --json     # 4 prompts, under 8 minutes on two cores
    python benchmarks/reward.py                    # 20 prompts, then the curves over group size and supporting passages
    python benchmarks/reward.py --prompts 1 --threads 1

Prompts of 640 tokens hold ten passages; the supporting ones stand at seeded random places. `group` completions of 48
tokens are scored with all passages and without each of `supporting`. `tokens_naive` and `seconds_naive` are one batch
of the whole group per variant, ungated, projected to the vocabulary at completion positions only, in the same dtype
and threads. `gated` rows score the `correct` completions only, which is what the hybrid reward needs; their naive side
is the same ungated one. Seconds and tokens are means over prompts; the scorer's self-check at first use is run before.
`max_abs_difference` is over sums of log-probabilities in nats. Seconds of a busy machine mean little, tokens are exact.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from fonte.models.local import LocalLanguageModel
from fonte.training.evidence import EvidenceScorer, leave_out
from fonte.values import SegmentedPrompt

MODEL = "smollm2-135m-instruct"
PROMPT, PASSAGES, PASSAGE, HEAD = 640, 10, 60, 20
COMPLETION = 48


@dataclass(frozen=True)
class Setting:
    """One row: completions in the group, supporting passages, and how many of the completions are scored."""

    group: int = 8
    supporting: int = 2
    correct: int = 8

    @property
    def gated(self) -> bool:
        """Whether wrong completions are left out."""
        return self.correct < self.group


@dataclass(frozen=True)
class Row:
    """Means over prompts."""

    group: int
    supporting: int
    correct: int
    gated: bool
    dtype: str
    tokens: float
    tokens_naive: float
    seconds: float
    seconds_naive: float
    max_abs_difference: float
    prompts: int


def settings(*, quick: bool) -> list[Setting]:
    """Return the rows, those that the goals are about first."""
    first = [Setting(), Setting(correct=4)]
    if quick:
        return first
    more = [Setting(group=size, correct=size) for size in (2, 4, 16, 32)]
    more += [Setting(supporting=count) for count in (1, 3, 4)]
    return first + more


def main() -> int:
    """Measure, print rows."""
    options = _options()
    if options.threads:
        torch.set_num_threads(options.threads)
    model = LocalLanguageModel.from_pretrained(options.model, dtype=options.dtype)
    scorer = EvidenceScorer(model.model, dtype="own")
    vocabulary = int(model.model.get_input_embeddings().weight.shape[0])
    warm = draw(Setting(group=2, correct=2), vocabulary, -1)
    scorer.score(warm[0], warm[1], warm[2])
    prompts = options.prompts or (4 if options.quick else 20)
    known: dict[tuple[int, int, int], tuple[float, np.ndarray]] = {}
    rows = []
    for setting in settings(quick=options.quick):
        rows.append(measure(setting, scorer, model.model, prompts, known))
        print(_line(rows[-1]), file=sys.stderr)
    report = {"rows": [asdict(row) for row in rows], "load": round(os.getloadavg()[0], 2), "cores": os.cpu_count()}
    if options.json:
        print(json.dumps(report))
    return 0


def measure(
    setting: Setting,
    scorer: EvidenceScorer,
    model: Any,
    prompts: int,
    known: dict[tuple[int, int, int], tuple[float, np.ndarray]],
) -> Row:
    """Score `prompts` groups both ways; `known` keeps the naive side, which does not depend on the gate."""
    tokens, seconds, tokens_naive, seconds_naive, worst = 0, 0.0, 0, 0.0, 0.0
    for seed in range(prompts):
        prompt, places, completions = draw(setting, int(model.get_input_embeddings().weight.shape[0]), seed)
        key = (setting.group, setting.supporting, seed)
        if key not in known:
            known[key] = naive(model, prompt, places, completions)
        scored = completions[: setting.correct]
        started = time.perf_counter()
        found = scorer.score(prompt, places, scored)
        seconds += time.perf_counter() - started
        tokens += found.cost.computed
        tokens_naive += naive_tokens(prompt, places, completions)
        seconds_naive += known[key][0]
        sums = np.array([[matrix.sum(axis=1, dtype=np.float64)] for matrix in found.tokens])[:, 0].T
        worst = max(worst, float(np.abs(sums - known[key][1][:, : setting.correct]).max()))
    return Row(
        setting.group,
        setting.supporting,
        setting.correct,
        setting.gated,
        str(model.dtype).removeprefix("torch."),
        tokens / prompts,
        tokens_naive / prompts,
        round(seconds / prompts, 3),
        round(seconds_naive / prompts, 3),
        worst,
        prompts,
    )


def draw(
    setting: Setting, vocabulary: int, seed: int
) -> tuple[SegmentedPrompt, tuple[int, ...], list[tuple[int, ...]]]:
    """Return a prompt of random tokens, the places of its supporting passages, and completions of random tokens.

    What the tokens are changes no count and no time.
    """
    rng = np.random.default_rng([seed + 1, setting.group, setting.supporting])

    def ids(count: int) -> tuple[int, ...]:
        return tuple(rng.integers(3, vocabulary, count).tolist())

    passages = tuple((ids(5), ids(PASSAGE - 5)) for _ in range(PASSAGES))
    prompt = SegmentedPrompt(ids(HEAD), passages, ids(PROMPT - HEAD - PASSAGES * PASSAGE))
    places = tuple(sorted(rng.choice(PASSAGES, setting.supporting, replace=False).tolist()))
    return prompt, places, [ids(COMPLETION) for _ in range(setting.group)]


def naive(
    model: Any, prompt: SegmentedPrompt, places: tuple[int, ...], completions: list[tuple[int, ...]]
) -> tuple[float, np.ndarray]:
    """Return seconds and sums [variant, completion] of one batch of all completions per variant."""
    started = time.perf_counter()
    sums = []
    targets = torch.tensor(completions, device=model.device)
    for keep in leave_out(PASSAGES, places):
        before = _kept(prompt, keep)
        batch = torch.tensor([[*before, *completion] for completion in completions], device=model.device)
        with torch.inference_mode():
            logits = model(batch, logits_to_keep=COMPLETION + 1, use_cache=False).logits[:, :-1].float()
            chosen = logits.gather(2, targets[:, :, None])[:, :, 0] - logits.logsumexp(dim=2)
        sums.append(chosen.double().sum(dim=1).cpu().numpy())
    return time.perf_counter() - started, np.array(sums)


def naive_tokens(prompt: SegmentedPrompt, places: tuple[int, ...], completions: list[tuple[int, ...]]) -> int:
    """Return the tokens that `naive` runs."""
    lengths = [len(_kept(prompt, keep)) for keep in leave_out(PASSAGES, places)]
    return sum(len(completions) * (length + COMPLETION) for length in lengths)


def _kept(prompt: SegmentedPrompt, keep: np.ndarray) -> list[int]:
    pairs = [pair for stays, pair in zip(keep, prompt.passages, strict=True) if stays]
    return [*prompt.head, *(token for pair in pairs for part in pair for token in part), *prompt.tail]


def _line(row: Row) -> str:
    return (
        f"group {row.group:2} supporting {row.supporting} correct {row.correct:2}  "
        f"tokens {row.tokens:7.0f} of {row.tokens_naive:7.0f} ({row.tokens_naive / row.tokens:.1f}x)  "
        f"seconds {row.seconds:6.2f} of {row.seconds_naive:6.2f} ({row.seconds_naive / row.seconds:.1f}x)  "
        f"largest difference {row.max_abs_difference:.1e}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 prompts, and only the rows of the goals")
    parser.add_argument("--prompts", type=int, help="prompts per row (default 20, quick 4)")
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, help="torch's threads (default: its own choice)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
