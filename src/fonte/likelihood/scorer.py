"""Scoring with a model in this process: chooses the walk, and checks it against the naive oracle at first use."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import torch

from fonte.likelihood.architecture import architecture
from fonte.likelihood.breadth import BreadthFirst
from fonte.likelihood.depth import Bounds, DepthFirst
from fonte.likelihood.forward import Forward, scoring
from fonte.likelihood.noise import Noise, noise_between, worse
from fonte.likelihood.oracle import evaluate_naively, naive_evaluation
from fonte.likelihood.plan import Evaluation, Plan, Stop
from fonte.likelihood.state import continues_from_state

Engine = Literal["auto", "depth", "breadth", "naive"]
TOLERANCE = {torch.float64: 1e-4, torch.float32: 5e-4, torch.float16: 0.05, torch.bfloat16: 0.25}


class LocalScorer:
    """log p(answer | ablated prompt) from `model`, a transformers causal language model; implements `Scorer`.

    `fingerprint` names the weights; evaluations are stored only where it is given. `context_window` in tokens overrides
    the configuration's. `engine`: `auto` walks depth first on a CPU and breadth first on an accelerator. `bounds` limit
    what one forward pass holds. `check`: at first use, one evaluation is computed naively too; where the two differ by
    more than the dtype explains (`TOLERANCE`, nats per token, root mean square), everything is computed naively and
    `reason` says so; where they agree, the difference is the first measurement of `noise`. The model may be in
    training: it is scored in evaluation mode and given back as it was. One thread at a time.
    """

    def __init__(
        self,
        model: Any,
        *,
        fingerprint: str = "",
        context_window: int | None = None,
        engine: Engine = "auto",
        bounds: Bounds | None = None,
        check: bool = True,
    ) -> None:
        self.model = model
        self.fingerprint = fingerprint
        self.architecture = architecture(model)
        self.context_window = context_window or self.architecture.context_window
        self.forward = Forward(model)
        self.engine: str = ""
        self.reason: str = ""
        self.noise = Noise(self.dtype)
        self.check_tokens = 0
        self._asked = engine
        self._accelerated = self.forward.device.type != "cpu"
        self.bounds = bounds or (Bounds(8192, 1 << 29, 0.25) if self._accelerated else Bounds())
        self._unchecked = check
        self._unprobed = self.architecture.stateful and not self.architecture.reason
        self._distrust = ""

    @property
    def dtype(self) -> str:
        """Name of the model's floating-point format."""
        return str(self.model.dtype).removeprefix("torch.")

    @property
    def vocabulary(self) -> int:
        """Token ids are below it."""
        return self.forward.vocabulary

    def evaluate(self, plan: Plan, stop: Stop) -> Generator[Evaluation, None, None]:
        """Score every visit of `plan`; see `Scorer.evaluate`."""
        self.check_tokens = 0
        self.engine, self.reason = self._choose(plan)
        walk = self._checked(plan, stop) if self.engine != "naive" and self._unchecked else self._walk(plan, stop)
        while True:  # the model's mode and torch's are the caller's own again while an evaluation is handed over
            with scoring(self.model):
                evaluation = next(walk, None)
            if evaluation is None:
                return
            yield evaluation

    def measure_noise(self, prompt: Sequence[int], answers: Sequence[Sequence[int]]) -> Noise:
        """Score `answers` after one whole `prompt` (token ids) in several shapes; remember and return the differences.

        The shapes: in one pass each; all answers as one batch; the prompt cut in two; in pieces of 33 tokens. Reduced
        precision is noisier for unlikely answers, and mixtures of experts for batches that route differently, so
        measure with the answers that matter. Costs about four passes over the prompt, and one per answer.
        """
        ids, given = tuple(prompt), [tuple(answer) for answer in answers if answer]
        if not given:
            return self.noise
        plan = Plan([(ids,)], (), given, {0: tuple(range(len(given)))})
        shareable = self._choose(plan)[0] != "naive"
        shapes = [max(self.bounds.tokens, len(ids) + sum(map(len, given))), max(1, (len(ids) + 1) // 2), 33]
        with scoring(self.model):
            reference = next(evaluate_naively(Forward(self.model), plan, _never)).answers
            for tokens in shapes if shareable else []:
                bounds = Bounds(tokens, self.bounds.logits, 1.0)
                other = next(iter(DepthFirst(Forward(self.model), plan, bounds, _never))).answers
                pairs = [reference[number] for number in other], list(other.values())
                self.noise = worse(self.noise, noise_between(self.dtype, *pairs))
        return self.noise

    def _choose(self, plan: Plan) -> tuple[str, str]:
        """Return the engine for `plan`, and why it is not the one that was asked for."""
        if self._unprobed:
            self._probe_state()
        built, limit = self.architecture, self.architecture.rotary_limit
        if self._asked == "naive":
            return "naive", "asked for"
        if self._distrust or built.reason:
            return "naive", self._distrust or built.reason
        if limit is not None and plan.longest() >= limit:
            reason = f"rotary factors depend on the input's length from {limit} tokens on, so prefixes differ"
            return "naive", reason
        wide = self._asked == "breadth" or (self._asked == "auto" and self._accelerated)
        if wide and built.stateful:
            return "depth", "layers with a running state cannot batch different prefixes"
        return ("breadth" if wide else "depth"), ""

    def _probe_state(self) -> None:
        """Distrust a model that forgets its running state between pieces; asked once, whether `check` is on or not."""
        self._unprobed = False
        with scoring(self.model):
            if not continues_from_state(self.forward):
                name = type(self.model).__name__
                self._distrust = f"{name} does not go on from its running state, so every prompt is computed in full"

    def _walk(self, plan: Plan, stop: Stop) -> Iterator[Evaluation]:
        forward = Forward(self.model)
        if self.engine == "naive":
            return evaluate_naively(forward, plan, stop, reset_rotary=self.architecture.growing)
        walk = BreadthFirst if self.engine == "breadth" else DepthFirst
        return iter(walk(forward, plan, self.bounds, stop))

    def _checked(self, plan: Plan, stop: Stop) -> Iterator[Evaluation]:
        """Hold results back until one that shares a prefix has been computed both ways; start again if they differ."""
        held: list[Evaluation] = []
        subject = _subject(plan)
        walk = self._walk(plan, stop)
        for evaluation in walk:
            held.append(evaluation)
            if evaluation.prompt == subject:
                break
        if not self._agrees(plan, held[-1]):
            self.engine, self.reason = "naive", self._distrust
            self.check_tokens += sum(evaluation.tokens for evaluation in held)
            yield from self._walk(plan, stop)
            return
        self._unchecked = False
        yield from held
        yield from walk

    def _agrees(self, plan: Plan, evaluation: Evaluation) -> bool:
        forward = Forward(self.model)
        number = next(iter(evaluation.answers))
        answer = plan.answers[number]
        reference = naive_evaluation(forward, plan.prompt(evaluation.prompt), answer)
        self.check_tokens = forward.tokens
        difference = noise_between(self.dtype, [reference], [evaluation.answers[number]])
        allowed = TOLERANCE.get(self.model.dtype, 0.25)
        if difference.token <= allowed:
            self.noise = worse(self.noise, difference)
            return True
        self._distrust = (
            f"the self-check failed: shared prefixes gave log-probabilities {difference.token:.2g} nats per token away "
            f"from a full pass ({allowed:g} is what {self.dtype} explains), so every prompt is computed in full"
        )
        return False


def _subject(plan: Plan) -> int:
    """Choose the prompt of the self-check: the first one after a cut, which depends on all that sharing does."""
    for before, visit in pairwise(plan.visits):
        if 0 < visit.shared < before.length:
            return visit.prompt
    return plan.visits[-1].prompt


def _never() -> bool:
    return False
