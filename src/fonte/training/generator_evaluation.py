"""What a generator does with its sources: right with and without them, following changed ones, silent without any."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from fonte.evaluation.questions import Question
from fonte.generation.sentinel import says_not_in_sources
from fonte.measures.abstention import Attempt, right_silence, wrong_silence
from fonte.measures.containment import substring_accuracy
from fonte.measures.counterfactual import counterfactual, counterfactual_outcome
from fonte.measures.expressions import expression_match
from fonte.measures.reliance import Reliance, reliance
from fonte.measures.score import Score, Summary, scored, summarise
from fonte.models.local import LocalLanguageModel
from fonte.training.alteration import SUBSTITUTED, counterfactual_question, placeholder_question, without_evidence
from fonte.training.citing import spoken
from fonte.training.correctness import Accuracy, accuracy
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example, ExampleSettings, build_examples
from fonte.training.judging import geometric_summary
from fonte.training.prompting import prompt_without_sources
from fonte.training.reward import Completion, EvidenceReward, Rewarded
from fonte.training.reward_settings import RewardSettings
from fonte.training.sampling import greedy

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How to ask.

    `noise` distractors are added for the noise test and `variants` invented values per question are tried; 0 leaves the
    test out. Batches of `batch` prompts run together; completions have at most `max_tokens`.
    """

    examples: ExampleSettings = field(default_factory=ExampleSettings)
    accuracy: Accuracy = "containment"
    max_tokens: int = 48
    batch: int = 8
    noise: int = 4
    variants: int = 3
    seed: int = 0


@dataclass(frozen=True)
class GeneratorEvaluation:
    """One model on one set.

    `reliance` holds Acc(Q), Acc(Q, D), RR and the two-by-two table. `contribution` E in nats, `length` in tokens,
    perplexities over the greedy answers with documents. `following` is the share of answers that say what changed
    documents say, `memorisation` M_R among those that decided. `silence` is the share of unanswerable questions on
    which the model abstains, `wrong_silence` that of answerable ones. `noise` is accuracy with more distractors.
    `placeholder` is accuracy on invented values (mean over variants, then over questions; not PRGB), by words, and
    `placeholder_substring` by PRGB's own substring check. `substring` is Acc(Q, D) as RAGQALeaderboard counts it.
    """

    reliance: Reliance
    contribution: Summary
    length: Summary
    perplexity: Summary
    perplexity_without: Summary
    citation: Summary
    following: Summary
    memorisation: Summary
    silence: Summary
    wrong_silence: Summary
    noise: Summary
    placeholder: Summary
    placeholder_substring: Summary
    substring: Summary
    left_out: Mapping[str, int]


class GeneratorEvaluator:
    """Evaluates one model; every answer is greedy, so the same model gives the same numbers."""

    def __init__(self, model: LocalLanguageModel, settings: EvaluationSettings, tell: Tell = lambda _: None) -> None:
        self._model, self._settings, self._tell = model, settings, tell
        self._scorer = EvidenceScorer(model.model, dtype="own")
        rewards = RewardSettings(accuracy=settings.accuracy, threshold=0.0)
        self._reward = EvidenceReward(rewards, self._scorer, model.decode, score_all=True)

    def __call__(self, questions: Sequence[Question]) -> GeneratorEvaluation:
        """Ask all questions in all ways. Distractors and substitutes come from the set itself."""
        answerable = [one for one in questions if one.answerable is not False and one.answers]
        made = build_examples(answerable, self._model, self._settings.examples)
        used = {example.id for example in made.examples}
        kept = [one for one in answerable if one.id in used]
        judged, said = self._with_documents(made.examples)
        correct = {name: one.accuracy for name, one in judged.items()}
        outcomes = self._outcomes(kept, questions)
        changed = counterfactual(outcomes, self._settings.seed)
        silence = self._silence(questions)
        words, letters = self._placeholders(kept)
        return GeneratorEvaluation(
            reliance=reliance(self._closed_book(kept), correct, self._settings.seed),
            contribution=self._summary({name: one.contribution for name, one in judged.items()}, None),
            length=self._summary({name: scored(one.tokens) for name, one in judged.items()}, None),
            perplexity=geometric_summary({name: one.perplexity for name, one in judged.items()}),
            perplexity_without=geometric_summary({name: one.perplexity_without for name, one in judged.items()}),
            citation=self._summary({name: one.citation for name, one in judged.items()}),
            following=changed.following,
            memorisation=changed.memorisation,
            silence=self._summary(silence),
            wrong_silence=self._summary({name: wrong_silence(_attempt(text, True)) for name, text in said.items()}),
            noise=self._summary(self._noise(kept)),
            placeholder=self._summary(words),
            placeholder_substring=self._summary(letters),
            substring=self._summary({one.id: substring_accuracy(said[one.id], one.answers) for one in kept}),
            left_out=made.left_out,
        )

    def _with_documents(self, examples: Sequence[Example]) -> tuple[dict[str, Rewarded], dict[str, str]]:
        completions = self._ask(examples, "with documents")
        judged = {
            example.id: self._reward(example.case, [one])[0] for example, one in zip(examples, completions, strict=True)
        }
        texts = {one.id: _words(one, said) for one, said in zip(examples, completions, strict=True)}
        return judged, texts

    def _closed_book(self, questions: Sequence[Question]) -> dict[str, Score]:
        self._tell(f"{len(questions)} questions without documents")
        prompts = [self._model.segment(prompt_without_sources(one.question)).token_ids for one in questions]
        said = self._greedy(prompts)
        return {
            one.id: accuracy(spoken(text.text, ()).text, one.answers, self._settings.accuracy)
            for one, text in zip(questions, said, strict=True)
        }

    def _outcomes(self, kept: Sequence[Question], questions: Sequence[Question]) -> dict[str, Any]:
        changed = [made for one in kept if (made := self._counterfactual(one, questions)) is not None]
        examples = build_examples(changed, self._model, self._settings.examples).examples
        said = self._ask(examples, "with changed documents")
        by_id = {one.id: one for one in changed}
        return {
            example.id: counterfactual_outcome(
                _words(example, text), by_id[example.id].extra[SUBSTITUTED], by_id[example.id].answers
            )
            for example, text in zip(examples, said, strict=True)
        }

    def _counterfactual(self, question: Question, questions: Sequence[Question]) -> Question | None:
        """Take the set's own changed documents where it has them."""
        if SUBSTITUTED in question.extra:
            return replace(question, passages=question.extra["changed"])
        return counterfactual_question(question, questions, self._settings.seed)

    def _silence(self, questions: Sequence[Question]) -> dict[str, Score]:
        """Ask the set's unanswerable questions; where it has none, its answerable ones without their evidence."""
        stated = [one for one in questions if one.answerable is False]
        asked = stated or [made for one in questions if (made := self._robbed(one)) is not None]
        examples = build_examples(asked, self._model, self._settings.examples).examples
        said = self._ask(examples, "that the sources do not answer")
        return {
            example.id: right_silence(_attempt(_words(example, text), False))
            for example, text in zip(examples, said, strict=True)
        }

    def _robbed(self, question: Question) -> Question | None:
        made = without_evidence(question)
        if made is None and self._settings.examples.pooled:
            return replace(question, passages=(), answerable=False)  # distractors are pooled
        return made

    def _noise(self, kept: Sequence[Question]) -> dict[str, Score]:
        settings, added = self._settings.examples, self._settings.noise
        if not added:
            return {}
        noisy = replace(settings, passages=settings.passages + added, pooled=settings.pooled + added)
        examples = build_examples(kept, self._model, noisy).examples
        said = self._ask(examples, "with more distractors")
        return {
            example.id: accuracy(_words(example, text), example.case.answers, self._settings.accuracy)
            for example, text in zip(examples, said, strict=True)
        }

    def _placeholders(self, kept: Sequence[Question]) -> tuple[dict[str, Score], dict[str, Score]]:
        words: dict[str, list[float]] = {}
        letters: dict[str, list[float]] = {}
        for variant in range(self._settings.variants):
            changed = [made for one in kept if (made := placeholder_question(one, variant, self._settings.seed))]
            values = {one.id: one.extra[SUBSTITUTED] for one in changed}
            examples = build_examples(changed, self._model, self._settings.examples).examples
            said = self._ask(examples, f"with invented values, variant {variant + 1}")
            for example, completion in zip(examples, said, strict=True):
                text, value = _words(example, completion), values[example.id]
                words.setdefault(example.id, []).append(accuracy(text, value).value or 0.0)
                letters.setdefault(example.id, []).append(expression_match(text, value[0]).value or 0.0)
        return {name: scored(fmean(all_)) for name, all_ in words.items()}, {
            name: scored(fmean(all_)) for name, all_ in letters.items()
        }

    def _ask(self, examples: Sequence[Example], what: str) -> list[Completion]:
        self._tell(f"{len(examples)} questions {what}")
        return self._greedy([example.prompt_ids for example in examples])

    def _greedy(self, prompts: Sequence[Sequence[int]]) -> list[Completion]:
        model, settings = self._model, self._settings
        return greedy(
            model.model, prompts, model.ends, model.decode, max_tokens=settings.max_tokens, batch=settings.batch
        )

    def _summary(self, items: Mapping[str, Score], bounds: tuple[float, float] | None = (0.0, 1.0)) -> Summary:
        return summarise(items, bounds=bounds, seed=self._settings.seed)


def _words(example: Example, completion: Completion) -> str:
    return spoken(completion.text, example.case.labels).text


def _attempt(text: str, answerable: bool) -> Attempt:
    return Attempt(answered=bool(text.strip()) and not says_not_in_sources(text), answerable=answerable)
