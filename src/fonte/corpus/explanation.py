"""What `explain` found for one answer, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from fonte.attribution import Attribution
from fonte.attribution.passage_sentences import OpenedPassage
from fonte.values import Answer, Effect


@dataclass(frozen=True)
class Explanation:
    """An answer with the measured effect of every passage on the whole of it, and on each cited sentence.

    `answer` carries the effects in its citations and in `effects`. `sentences[i]` is a sentence of the displayed answer
    (code points), `sentence_effects[i]` the effects on it in the order of `answer.passages`. `memory_share` as in
    `Attribution`, for the whole answer. `opened` are the passages whose sentences were measured too (level `sentence`).
    """

    answer: Answer
    sentences: tuple[tuple[int, int], ...]
    sentence_effects: tuple[tuple[Effect, ...], ...]
    memory_share: float | None
    attribution: Attribution
    opened: tuple[OpenedPassage, ...] = ()

    @property
    def uncited(self) -> tuple[Effect, ...]:
        """Effects of passages that mattered though no sentence cites them."""
        cited = {citation.passage_id for citation in self.answer.citations}
        return tuple(
            effect
            for effect in self.answer.effects
            if effect.status in ("measured", "interchangeable")
            and (effect.value or 0) > 0
            and effect.passage_id not in cited
        )

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte explain --json` prints."""
        found = self.attribution
        spans = zip(self.sentences, self.sentence_effects, strict=True)
        return {
            "record": self.answer.record,
            "question": self.answer.question,
            "answer": self.answer.text,
            "effects": [effect_json(effect) for effect in self.answer.effects],
            "sentences": [
                {"start": start, "end": end, "effects": [effect_json(effect) for effect in effects]}
                for (start, end), effects in spans
            ],
            "memory_share": self.memory_share,
            "noise": found.noise,
            "unit": self.answer.effects[0].unit if self.answer.effects else "nats",
            "method": found.method,
            "ablations": found.ablations,
            "tokens": asdict(found.tokens),
            "seconds": round(found.seconds, 3),
            "opened": [self._opened_json(each) for each in self.opened],
            "uncited": [effect.passage_id for effect in self.uncited],
        }

    def _opened_json(self, opened: OpenedPassage) -> dict[str, Any]:
        effects = opened.attribution.effects[0]
        spans = zip(opened.sentences, effects, strict=True)
        return {
            "passage_id": self.answer.effects[opened.passage].passage_id,
            "sentences": [{"start": start, "end": end, **effect_json(effect)} for (start, end), effect in spans],
        }


def effect_json(effect: Effect) -> Mapping[str, Any]:
    """Return the public shape of an effect."""
    return asdict(effect)


def with_effects(answer: Answer, effects: tuple[Effect, ...], by_citation: tuple[Effect | None, ...]) -> Answer:
    """Return `answer` with its effects: those on the whole, and each citation's on its sentence."""
    citations = tuple(
        replace(citation, effect=effect) for citation, effect in zip(answer.citations, by_citation, strict=True)
    )
    return replace(answer, citations=citations, effects=effects)
