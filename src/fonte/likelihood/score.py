"""`score`: log p(answer | prompt with segments left out), for every ablation and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from numpy.typing import ArrayLike

from fonte.errors import ModelError
from fonte.likelihood.evaluations import EvaluationStore
from fonte.likelihood.masks import PromptSegments
from fonte.likelihood.plan import Cancelled, FloatArray, Scorer
from fonte.likelihood.scores import Scores
from fonte.likelihood.work import Work
from fonte.values import SegmentedPrompt

if TYPE_CHECKING:
    from fonte.models.local import LocalLanguageModel

_scorers: WeakKeyDictionary[object, Scorer] = WeakKeyDictionary()  # so that a model is checked once, not at each call


def score(
    language_model: LocalLanguageModel | Scorer,
    prompt: SegmentedPrompt | PromptSegments,
    answers: Sequence[Sequence[int]],
    keep: ArrayLike,
    *,
    store: EvaluationStore | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Scores:
    """Score every answer after every ablated prompt.

    `language_model` is a local language model, or a scorer made for one (`LocalScorer`, `RemoteScorer`) where its
    options matter. `answers` are token ids (the sampled ones: nothing is tokenised again), with an end token or
    without, as the caller wants it counted. `keep` is bool [ablation, segment], in the order of
    `PromptSegments.from_prompt`; a signature goes with its text; equal ablations are computed once. `store` keeps every
    evaluation by hash. `progress(done, total)` counts distinct prompts. `cancelled` (an Event's `is_set`, say) is asked
    between forward passes; what is ready is then returned.

    No answers give sums [ablation, 0], no ablations [0, answer]. Errors: `UsageError` for masks of the wrong shape,
    token ids outside the vocabulary, a prompt without tokens, or prompt and answer above the context window (nothing is
    ever cut); `ModelError` where the model gives no finite numbers; `EndpointError` from servers.
    """
    started = time.perf_counter()
    scorer = scorer_for(language_model)
    work = Work.prepare(scorer, prompt, answers, keep)
    stored = work.recall(scorer, store) if store is not None else 0
    spent, status, reason = _run(scorer, work, store, progress, cancelled or (lambda: False))
    cost = work.cost(spent, scorer.check_tokens if spent[1] else 0, stored, time.perf_counter() - started)
    return work.scores(cost, scorer, status, reason)


def scorer_for(language_model: LocalLanguageModel | Scorer) -> Scorer:
    """Return the scorer of a language model: itself where it is one, else the same one at every call."""
    if isinstance(language_model, Scorer):
        return language_model
    if not hasattr(language_model, "model"):
        raise ModelError(
            f"{type(language_model).__name__} gives no log-probabilities of a given text. Use a local model, or a "
            "RemoteScorer for a server that returns log-probabilities of the prompt (vLLM, SGLang)."
        )
    if language_model not in _scorers:
        from fonte.likelihood.scorer import LocalScorer

        _scorers[language_model] = LocalScorer(
            language_model.model,
            fingerprint=language_model.fingerprint,
            context_window=language_model.context_window,
        )
    return _scorers[language_model]


def _run(
    scorer: Scorer,
    work: Work,
    store: EvaluationStore | None,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool],
) -> tuple[tuple[int, int], str, str]:
    """Compute what is missing; return (tokens, calls), status and reason."""
    plan = work.plan()
    done = total = len(work.paths) if work.distinct else 0
    done -= len(plan.wanted)
    tokens = calls = 0
    if progress:
        progress(done, total)
    if not plan.wanted:
        return (0, 0), "complete", ""
    try:
        with closing(scorer.evaluate(plan, cancelled)) as evaluations:
            for evaluation in evaluations:
                tokens, calls, done = tokens + evaluation.tokens, calls + evaluation.calls, done + 1
                _keep(scorer, work, store, evaluation.prompt, evaluation.answers)
                if progress:
                    progress(done, total)
    except Cancelled:
        return (tokens, calls), "cancelled", f"stopped by the caller after {done} of {total} distinct prompts"
    return (tokens, calls), "complete", ""


def _keep(
    scorer: Scorer, work: Work, store: EvaluationStore | None, prompt: int, answers: Mapping[int, FloatArray]
) -> None:
    if store is not None:
        store.put({work.key(scorer, prompt, answer): values for answer, values in answers.items()})
    work.known.update({(prompt, answer): values for answer, values in answers.items()})
