"""Support by any entailment or hallucination model: long passages in windows, calibrated where it was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fonte.citations.support import Pair, SupportScore
from fonte.citations.support_calibration import Calibration, fit_calibration, read_calibration
from fonte.citations.support_heads import TRUE_TEMPLATE, Head, read_head
from fonte.citations.support_windows import relevant_text, text_windows
from fonte.citations.support_words import WordTrees
from fonte.errors import MissingExtraError, ModelError, UsageError
from fonte.models.folder import resolve
from fonte.models.loading import quiet
from fonte.models.plain_text import without_surrogates
from fonte.models.weights import model_fingerprint, require_safe

try:
    import torch
    from transformers import (
        AutoConfig,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "transformers"), "local") from None

WINDOW = 512  # tokens, where a model does not say how many it reads
WIDEST = 2048
SPARE = 4  # tokens: a window that begins inside a word can have more than it had in the whole


@dataclass(frozen=True, slots=True)
class _Reading:
    """A pair as the model reads it: a row per part of the claim, a column per window of the premise."""

    grid: tuple[tuple[Pair, ...], ...]
    status: str

    @property
    def windows(self) -> int:
        return len(self.grid[0]) if self.grid else 0


class EntailmentSupport:
    """A model that judges pairs; see `SupportScore` for what it gives.

    `window` is what the model reads at once, in tokens. Of the premise it reads the sentences that share a word with
    the claim, and their neighbours (`select`), so that a passage beside the point changes nothing; a rest over the
    window is read in windows, the best of which counts. A claim over half the window is read in parts, the worst of
    which counts. `most_windows` bounds the work per pair; what is left unread shows as status `truncated`.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        head: Head,
        name: str,
        *,
        fingerprint: str = "",
        calibration: Calibration | None = None,
        template: str | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.head = head
        self.name = name
        self.fingerprint = fingerprint
        self.calibration = calibration
        self.template = template or TRUE_TEMPLATE
        self.window = _window(model, tokenizer)
        self.select = True
        self.most_windows: int | None = None
        self.batch_tokens = 4096
        self._marks = _marks(self)

    @classmethod
    def from_pretrained(
        cls, model: str, *, label: str | None = None, template: str | None = None, device: str | None = None
    ) -> EntailmentSupport:
        """Load a downloaded model's name, a folder, or a hub id; see `read_head` for what is understood.

        `template` is the prompt of a generative model, with `{premise}` and `{hypothesis}` (the default is TRUE's).
        Errors: `ModelError`, `MissingExtraError`.
        """
        path = require_safe(resolve(model))
        if template and not ("{premise}" in template and "{hypothesis}" in template):
            raise ModelError("The template must hold {premise} and {hypothesis}.")
        loaded, tokenizer, head = _load(path, model, label)
        return cls(
            loaded.to(device) if device else loaded,
            tokenizer,
            head,
            model,
            fingerprint=model_fingerprint(path, "support"),
            calibration=read_calibration(path),
            template=template,
        )

    def score(self, pairs: Sequence[Pair]) -> list[SupportScore]:
        """Return the score of each (premise, hypothesis), in order; equal pairs are computed once."""
        distinct = list(dict.fromkeys(pairs))
        known = self._log_odds(distinct)
        calibration = self.calibration or Calibration()
        told = calibration.words.log_odds(distinct) if calibration.words else np.zeros(len(distinct))
        words = dict(zip(distinct, map(float, told), strict=True))
        return [
            SupportScore(
                0.0 if odds is None else calibration.probability(odds, words[pair]),
                reading.status,
                self.name,
                reading.windows,
                self.calibration is not None,
            )
            for pair, (reading, odds) in ((pair, known[pair]) for pair in pairs)
        ]

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the values of `score`."""
        return [score.value for score in self.score(pairs)]

    def log_odds(self, pairs: Sequence[Pair]) -> list[float]:
        """Return what calibration starts from; a blank premise or claim has the lowest possible. Errors: as above."""
        known = self._log_odds(list(dict.fromkeys(pairs)))
        return [-30.0 if (odds := known[pair][1]) is None else odds for pair in pairs]

    def calibrate(
        self, pairs: Sequence[Pair], labels: Sequence[int], trained_on: str = "", words: WordTrees | None = None
    ) -> Calibration:
        """Learn what the scores mean from labelled pairs (1 supported, 0 not), and use it from now on.

        With `words` both the model and the words judge, each as far as it is worth on these pairs.
        """
        self.calibration = None
        told = words.log_odds(pairs) if words else ()
        self.calibration = fit_calibration(self.log_odds(pairs), labels, trained_on, words, list(map(float, told)))
        return self.calibration

    def save_pretrained(self, folder: Path) -> None:
        """Write model, tokenizer, configuration and calibration as a folder that `from_pretrained` reads."""
        with quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
        if self.calibration:
            self.calibration.save(folder)

    def read(self, premise: str, claim: str) -> tuple[tuple[Pair, ...], ...]:
        """Return the pairs that the model is shown for one pair: a row per part of the claim."""
        return self._reading((premise, claim)).grid

    def _log_odds(self, pairs: Sequence[Pair]) -> dict[Pair, tuple[_Reading, float | None]]:
        readings = {pair: self._reading(pair) for pair in pairs}
        shown = list(dict.fromkeys(one for reading in readings.values() for row in reading.grid for one in row))
        odds = self._judge(shown)
        return {
            pair: (
                reading,
                min(max(odds[one] for one in row) for row in reading.grid) if reading.grid else None,
            )
            for pair, reading in readings.items()
        }

    def _reading(self, pair: Pair) -> _Reading:
        premise, claim = (without_surrogates(text) for text in pair)
        if not premise.strip() or not claim.strip():
            return _Reading((), "empty")
        room = self.window - self._marks - SPARE
        parts = text_windows(" ".join(claim.split()), max(room // 2, 1), self._offsets)
        rows = [self._row(premise, part, room) for part in parts]
        longest = max(map(len, rows))
        if self.most_windows and longest > self.most_windows:
            return _Reading(tuple(row[: self.most_windows] for row in rows), "truncated")
        return _Reading(tuple(rows), "windowed" if longest > 1 else "scored")

    def _row(self, premise: str, part: str, room: int) -> tuple[Pair, ...]:
        text = relevant_text(premise, part) if self.select else " ".join(premise.split())
        left = max(room - len(self._offsets(part)), 1)
        return tuple((window, part) for window in text_windows(text, left, self._offsets))

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return list(encoded["offset_mapping"])

    def _judge(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        ids = {pair: self._encoded(pair) for pair in pairs}
        found: dict[Pair, float] = {}
        for batch in _batches(sorted(pairs, key=lambda pair: (-len(ids[pair]["input_ids"]), pair)), ids, self):
            inputs = self.tokenizer.pad([ids[pair] for pair in batch], return_tensors="pt").to(self.model.device)
            with torch.inference_mode():
                found.update(zip(batch, self._outputs(inputs), strict=True))
        if broken := [value for value in found.values() if not math.isfinite(value)]:
            raise ModelError(f"{self.name} gave {broken[0]} for a pair; its weights are damaged.")
        return found

    def _encoded(self, pair: Pair) -> dict[str, list[int]]:
        options = {"truncation": True, "max_length": self.window, "verbose": False}
        if self.head.kind == "generative":
            filled = self.template.replace("{hypothesis}", pair[1]).replace("{premise}", pair[0])
            return dict(self.tokenizer(filled, **options))
        return dict(self.tokenizer(pair[0], pair[1], **{**options, "truncation": "only_first"}))

    def _outputs(self, inputs: Any) -> list[float]:
        """Return the log-odds of support of each row."""
        if self.head.kind == "generative":
            return self._first_token(inputs)
        logits = self.model(**inputs).logits.double()
        if self.head.kind == "sigmoid":
            return [float(value) for value in logits[:, 0]]
        others = [index for index in range(logits.shape[1]) if index != self.head.index]
        return [float(value) for value in logits[:, self.head.index] - logits[:, others].logsumexp(dim=1)]

    def _first_token(self, inputs: Any) -> list[float]:
        yes = self.tokenizer.convert_tokens_to_ids("▁1")
        if yes is None or yes == self.tokenizer.unk_token_id:
            yes = self.tokenizer("1", add_special_tokens=False)["input_ids"][-1]
        start = torch.full((len(inputs["input_ids"]), 1), self.model.config.decoder_start_token_id or 0)
        logits = self.model(**inputs, decoder_input_ids=start.to(self.model.device)).logits[:, 0].double()
        rest = logits.clone()
        rest[:, yes] = -math.inf
        return [float(value) for value in logits[:, yes] - rest.logsumexp(dim=1)]


def _batches(
    pairs: Sequence[Pair], ids: dict[Pair, dict[str, list[int]]], scorer: EntailmentSupport
) -> list[list[Pair]]:
    """Put pairs of like length together, up to `batch_tokens`; the longest come first."""
    batches: list[list[Pair]] = []
    width = 0
    for pair in pairs:
        if not batches or (len(batches[-1]) + 1) * width > scorer.batch_tokens:
            batches.append([])
            width = len(ids[pair]["input_ids"])
        batches[-1].append(pair)
    return batches


def _load(path: Path, name: str, label: str | None) -> tuple[Any, Any, Head]:
    try:
        with quiet():
            config = AutoConfig.from_pretrained(path, trust_remote_code=False)
            head = read_head(config, name, label)
            kind = AutoModelForSeq2SeqLM if head.kind == "generative" else AutoModelForSequenceClassification
            tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
            model = kind.from_pretrained(path, trust_remote_code=False, use_safetensors=True, dtype="float32").eval()
    except ImportError as error:
        raise ModelError(f"The support model {name} needs a package that is not installed: {error}") from None
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{name} ({path}) cannot be loaded as a support model: {error}") from None
    if not tokenizer.is_fast:
        raise ModelError(f"{name} has no fast tokenizer, which is needed to cut long passages into windows.")
    return model, tokenizer, head


def _window(model: Any, tokenizer: Any) -> int:
    config = model.config
    positions = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or WINDOW
    if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert"):
        positions -= 2  # their positions begin behind the padding id
    return int(min(positions, tokenizer.model_max_length or positions, WIDEST))


def _marks(scorer: EntailmentSupport) -> int:
    """Return how many tokens of the window are not the pair's own. Errors: `UsageError` where none is left."""
    if scorer.head.kind == "generative":
        filled = scorer.template.replace("{hypothesis}", "").replace("{premise}", "")
        marks = len(scorer.tokenizer(filled)["input_ids"]) + 2
    else:
        marks = int(scorer.tokenizer.num_special_tokens_to_add(pair=True))
    if scorer.window - marks - SPARE < 8:
        raise UsageError(f"{scorer.name} reads {scorer.window} tokens at once, too few for a passage and a sentence.")
    return marks
