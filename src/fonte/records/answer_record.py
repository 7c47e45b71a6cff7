"""All that is needed to give an answer a second time, or to check it without the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fonte.values import Answer, Prompt, SegmentedPrompt


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """A model by the name it was asked for and the fingerprint of its weights and configuration."""

    name: str = ""
    fingerprint: str = ""


@dataclass(frozen=True)
class AnswerRecord:
    """An answer with the exact prompt, what the model put out, and everything that decided it.

    `answer` holds the question, the passages with their scores, the displayed text and the citations. `segments` is
    the prompt as token ids, None where only a server knows them. `raw_text`, `thinking` and `token_ids` are the
    model's own output. `index_generation` names the state of the index, `settings` is a snapshot without secrets (see
    `settings_snapshot`). `created` (UTC) and `fonte_version` are filled in when the record is saved.
    """

    answer: Answer
    prompt: Prompt = field(default_factory=Prompt)
    segments: SegmentedPrompt | None = None
    raw_text: str = ""
    thinking: str = ""
    token_ids: tuple[int, ...] = ()
    finish_reason: str = ""
    language_model: ModelIdentity = field(default_factory=ModelIdentity)
    embedder: ModelIdentity = field(default_factory=ModelIdentity)
    reranker: ModelIdentity | None = None
    index_generation: str = ""
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""
    fonte_version: str = ""

    def __post_init__(self) -> None:
        """Freeze the settings."""
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def id(self) -> str:
        """The record's id, "" until it is saved."""
        return self.answer.record
