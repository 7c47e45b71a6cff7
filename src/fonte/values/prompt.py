"""A prompt in parts, so that a passage can be taken out without touching the rest: as text, and as token ids."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """One source in a prompt, as two segments: `signature` (label line and identity, may be empty) and `text`.

    Dropping the text drops its signature; dropping the signature alone measures what the signature adds. Both
    end in a newline of their own where they are not empty, so that parts can be joined without glue.
    """

    label: str
    signature: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """`head`, `passages` and `tail` joined without glue are what the user says; `system` is the instruction.

    Labels never change when another passage is dropped. A prompt without passages is a plain prompt.
    """

    system: str = ""
    head: str = ""
    passages: tuple[PromptPassage, ...] = ()
    tail: str = ""

    @property
    def user(self) -> str:
        """The user's message as one string."""
        return self.head + "".join(passage.signature + passage.text for passage in self.passages) + self.tail


@dataclass(frozen=True, slots=True)
class SegmentedPrompt:
    """A prompt as token ids per part, after the model's chat template: what runs through a local model.

    `passages[i]` is `(signature ids, text ids)`. A prompt with passages left out is the concatenation of the parts
    that stay: no token is ever re-tokenised.
    """

    head: tuple[int, ...]
    passages: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    tail: tuple[int, ...]

    @property
    def token_ids(self) -> tuple[int, ...]:
        """All parts in order."""
        middle = tuple(token for signature, text in self.passages for token in (*signature, *text))
        return self.head + middle + self.tail
