"""Effects for models that give no log-probabilities: answer again without the passages, and compare the texts.

MExGen's text scalars (Paes et al. 2024): under every ablation the model writes a new answer, and the value is how
similar it is to the one that is explained. It costs a generation per ablation, and it says less: an answer can stay
the same while its likelihood falls. So the unit says what was compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.attribution.designs import BoolArray, FloatArray
from fonte.attribution.measurement import Cancelled, Progress, distinct_rows, segment_masks
from fonte.attribution.question import Span, Tokens
from fonte.errors import MissingExtraError, UsageError
from fonte.likelihood import PromptSegments
from fonte.models.language_model import LanguageModel
from fonte.values import Prompt, PromptPassage

# Longer than the answer by this factor may a new one be (as in icx360).
LONGER = 1.5
LEAST_TOKENS = 16
# How often the full prompt is answered again, to see what changes without any change.
REPEATS = 2


@dataclass(frozen=True)
class Similarity:
    """`of(texts, reference)` gives how similar each text is to the reference: float64 [text], 0 to 1."""

    name: str
    of: Callable[[Sequence[str], str], FloatArray]


class TextEmbedder(Protocol):
    """The part of an embedder that compares texts."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of length one for a text of any length."""
        ...


def embedding_similarity(embedder: TextEmbedder) -> Similarity:
    """Return the cosine of sentence embeddings, at least 0 (MExGen's "st"); an empty text is similar to nothing."""

    def compare(texts: Sequence[str], reference: str) -> FloatArray:
        vectors = {text: embedder.embed_query(text) for text in {*texts, reference} if text.strip()}
        target = vectors.get(reference)
        found = [
            float(vectors[text] @ target) if target is not None and text in vectors else float(text == reference)
            for text in texts
        ]
        return np.clip(np.array(found, dtype=np.float64), 0.0, 1.0)

    return Similarity("embedding", compare)


def rouge_l_similarity() -> Similarity:
    """Return ROUGE-L's F measure over words (Lin 2004). Errors: `MissingExtraError` where rouge-score is missing."""
    scorer = _rouge_scorer()

    def compare(texts: Sequence[str], reference: str) -> FloatArray:
        values = [1.0 if text == reference else scorer.score(reference, text)["rougeL"].fmeasure for text in texts]
        return np.array(values, dtype=np.float64)

    return Similarity("rouge_l", compare)


def entailment_similarity(entails: Callable[[Sequence[tuple[str, str]]], Sequence[float]]) -> Similarity:
    """Return MExGen's "nli": the geometric mean of the probabilities that each text entails the other.

    `entails` gives the probability, 0 to 1, of each (premise, hypothesis).
    """

    def compare(texts: Sequence[str], reference: str) -> FloatArray:
        forward = np.asarray(entails([(text, reference) for text in texts]), dtype=np.float64)
        backward = np.asarray(entails([(reference, text) for text in texts]), dtype=np.float64)
        mean: FloatArray = np.sqrt(np.clip(forward, 0, 1) * np.clip(backward, 0, 1))
        return mean

    return Similarity("entailment", compare)


class TextMeasurement:
    """What is known so far of one answer: the texts that the model writes instead, by mask. Implements `Measured`.

    Spans of a question are code points of `answer`; an empty span is the whole. The only scalar is the name of
    `similarity`. Answers are greedy; where a server is not deterministic, the full prompt is answered `REPEATS` times
    more, and what that changes is the noise.
    """

    def __init__(
        self, language_model: LanguageModel, prompt: Prompt, answer: str, similarity: Similarity, seed: int = 0
    ) -> None:
        """`answer` is the text that is explained, not empty. Errors: `UsageError`."""
        if not answer.strip():
            raise UsageError("An empty answer has no text to compare with. Effects need an answer.")
        self.model, self.prompt, self.answer, self.similarity, self.seed = (
            language_model,
            prompt,
            answer,
            similarity,
            seed,
        )
        self.own_scalar = similarity.name
        self.passages = len(prompt.passages)
        self.segments = _countable(prompt, language_model)
        self.tokens = Tokens()
        self.seconds = 0.0
        self._texts: dict[bytes, str] = {}
        self._again: list[str] = []

    @property
    def ablations(self) -> int:
        """Number of distinct ablations evaluated so far."""
        return len(self._texts)

    def evaluate(self, keep: BoolArray, progress: Progress | None = None, cancelled: Cancelled | None = None) -> bool:
        """See `Measured.evaluate`. Errors: those of the language model."""
        wanted = [row for row in distinct_rows(keep) if row.tobytes() not in self._texts]
        started = time.perf_counter()
        for done, row in enumerate(wanted):
            if cancelled is not None and cancelled():
                return False
            self._texts[row.tobytes()] = self._answer(row)
            if row.all() and not self._again:
                self._again = [self._answer(row) for _ in range(REPEATS)]
            if progress is not None:
                progress(done + 1, len(wanted))
        self.seconds += time.perf_counter() - started
        return True

    def known(self, keep: BoolArray) -> BoolArray:
        """See `Measured.known`."""
        return np.array([row.tobytes() in self._texts for row in keep], dtype=bool)

    def values(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """See `Measured.values`: how similar what is written then is to each span; of a sentence, its best match."""
        self.unit(scalar)
        texts = [self._texts[row.tobytes()] for row in keep]
        columns = [self._similar(texts, self.answer[start:end] or self.answer) for start, end in spans]
        return np.stack(columns, axis=1) if columns else np.zeros((len(texts), 0))

    def errors(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """See `Measured.errors`: the spread of answers to the same full prompt, the same for every ablation."""
        full = [text for row, text in self._texts.items() if np.frombuffer(row, bool).all()] + self._again
        spread = [
            float(np.std(self._similar(full, self.answer[start:end] or self.answer))) * np.sqrt(2) if full else 0.0
            for start, end in spans
        ]
        return np.tile(np.array(spread, dtype=np.float64), (len(keep), 1))

    def unit(self, scalar: str) -> str:
        """See `Measured.unit`; any other scalar than the similarity's name is an error."""
        if scalar != self.similarity.name:
            raise UsageError(
                f"There is no scalar {scalar!r} for a model without log-probabilities: it is {self.similarity.name!r}."
            )
        return f"similarity of the regenerated answer ({self.similarity.name})"

    def memory_shares(self, spans: Sequence[Span]) -> list[float | None]:
        """See `Measured.memory_shares`: similarity without passages over similarity with all of them, at most 1."""
        keep = segment_masks(
            np.array([[True] * self.passages, [False] * self.passages], bool), self.segments, self.passages
        )
        if not self.known(keep).all():
            return [None for _ in spans]
        values = self.values(keep, spans, self.similarity.name)
        return [float(min(1.0, column[1] / column[0])) if column[0] > 0 else None for column in values.T]

    def _answer(self, row: BoolArray) -> str:
        prompt = _ablated(self.prompt, self.segments, row)
        room = max(LEAST_TOKENS, int(LONGER * self.model.count_tokens(self.answer)))
        generation = self.model.generate(prompt, max_tokens=room, temperature=0.0, seed=self.seed)
        used = generation.prompt_tokens + generation.completion_tokens
        self.tokens += Tokens(computed=used, floor=used, naive=used)
        return generation.text

    def _similar(self, texts: Sequence[str], reference: str) -> FloatArray:
        known = dict.fromkeys(texts, 0.0)
        values = self.similarity.of(list(known), reference)
        found = dict(zip(known, values.tolist(), strict=True))
        return np.array([found[text] for text in texts], dtype=np.float64)


def _ablated(prompt: Prompt, segments: PromptSegments, row: BoolArray) -> Prompt:
    kept: list[PromptPassage] = []
    for number, passage in enumerate(prompt.passages):
        signature, text = (
            all(row[column] for column in segments.columns(number, signature=which)) for which in (True, False)
        )
        if text:
            kept.append(passage if signature else replace(passage, signature=""))
    return replace(prompt, passages=tuple(kept))


def _countable(prompt: Prompt, model: LanguageModel) -> PromptSegments:
    """Return segments of as many tokens as the parts have; the ids mean nothing."""
    counts = [
        (model.count_tokens(passage.signature) if passage.signature else 0, max(1, model.count_tokens(passage.text)))
        for passage in prompt.passages
    ]
    parts = tuple((number,) * count for number, pair in enumerate(counts) for count in pair)
    owners = tuple(number // 2 for number in range(len(parts)))
    head, tail = model.count_tokens(prompt.system + prompt.head), model.count_tokens(prompt.tail)
    return PromptSegments((0,) * head, parts, (0,) * tail, owners, tuple(n % 2 == 0 for n in range(len(parts))))


@cache
def _rouge_scorer() -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise MissingExtraError("rouge-score", "measures") from None
    return RougeScorer(["rougeL"], tokenizer=_Words())


class _Words:
    """A tokenizer in the shape that rouge-score asks for; its own drops whatever is not ASCII."""

    def tokenize(self, text: str) -> list[str]:
        """Return words in lower case; signs of scripts without spaces are words of their own."""
        spaced = "".join(f" {sign} " if _stands_alone(sign) else sign for sign in text.casefold())
        return [word for word in ("".join(filter(str.isalnum, each)) for each in spaced.split()) if word]


def _stands_alone(sign: str) -> bool:
    return "\u2e80" <= sign <= "\u9fff" or "\uf900" <= sign <= "\ufaff"
