"""Which parts of a prompt stay: the boolean array that designs, engines and estimators share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fonte.errors import UsageError
from fonte.values import SegmentedPrompt

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class PromptSegments:
    """A prompt as `head`, droppable `segments` in order, and `tail`, all token ids; the columns of a mask.

    `passage[j]` is the passage that segment j belongs to, `signature[j]` whether it is that passage's signature (else
    a piece of its text). Head and tail always stay. A passage has one text segment, or several after `open_passage`.
    """

    head: tuple[int, ...]
    segments: tuple[tuple[int, ...], ...]
    tail: tuple[int, ...]
    passage: tuple[int, ...]
    signature: tuple[bool, ...]

    def __post_init__(self) -> None:
        """Refuse lists of different lengths."""
        if not len(self.segments) == len(self.passage) == len(self.signature):
            lengths = f"{len(self.segments)}, {len(self.passage)} and {len(self.signature)}"
            raise UsageError(f"segments, passage and signature must be equally long, they have {lengths} entries.")

    @classmethod
    def from_prompt(cls, prompt: SegmentedPrompt) -> PromptSegments:
        """Return 2n segments for n passages: signature 0, text 0, signature 1, text 1, … (empty ones included)."""
        segments = tuple(part for passage in prompt.passages for part in passage)
        passage = tuple(position // 2 for position in range(len(segments)))
        return cls(prompt.head, segments, prompt.tail, passage, tuple(j % 2 == 0 for j in range(len(segments))))

    @property
    def passages(self) -> int:
        """Number of passages."""
        return max(self.passage, default=-1) + 1

    def columns(self, passage: int, *, signature: bool) -> list[int]:
        """Return the mask's columns of a passage's signature, or of its text (several after `open_passage`)."""
        return [j for j, owner in enumerate(self.passage) if owner == passage and self.signature[j] == signature]

    def open_passage(self, passage: int, pieces: Sequence[Sequence[int]]) -> PromptSegments:
        """Replace the text of `passage` by `pieces` (its sentences, say), which can then be dropped one by one.

        `pieces` are token ids; where they join to the ids of the text, the full prompt does not change. The signature
        stays as long as any piece does. Errors: `UsageError` for a passage that does not exist or no pieces.
        """
        old = self.columns(passage, signature=False)
        if not old or not pieces:
            raise UsageError(f"Passage {passage} of {self.passages} cannot be opened into {len(pieces)} pieces.")
        first, last = old[0], old[-1] + 1
        new = tuple(tuple(int(token) for token in piece) for piece in pieces)
        return PromptSegments(
            self.head,
            self.segments[:first] + new + self.segments[last:],
            self.tail,
            self.passage[:first] + (passage,) * len(new) + self.passage[last:],
            self.signature[:first] + (False,) * len(new) + self.signature[last:],
        )

    def kept(self, row: ArrayLike) -> tuple[int, ...]:
        """Return the token ids of the prompt with only the segments that `row` (bool [segment]) keeps."""
        chosen = [segment for segment, stays in zip(self.segments, np.asarray(row), strict=True) if stays]
        return self.head + tuple(token for segment in chosen for token in segment) + self.tail


def normalise_keep(keep: ArrayLike, segments: PromptSegments) -> BoolArray:
    """Check a mask and drop every signature whose passage keeps no text.

    `keep` is bool [ablation, segment] (integers 0 and 1 are taken too). Returns a copy of the same shape; no ablations
    give [0, segment]. Errors: `UsageError` for another shape or other values.
    """
    wanted = f"[ablation, {len(segments.segments)}] (one column per segment)"
    array = _as_bool(keep, len(segments.segments), wanted)
    for passage in range(segments.passages):
        text = segments.columns(passage, signature=False)
        array[:, segments.columns(passage, signature=True)] &= array[:, text].any(axis=1, keepdims=True)
    return array


def expand_passages(keep: ArrayLike, segments: PromptSegments) -> BoolArray:
    """Turn a mask over passages, bool [ablation, passage], into one over segments: a passage stays or goes whole."""
    array = _as_bool(keep, segments.passages, f"[ablation, {segments.passages}] (one column per passage)")
    return array[:, list(segments.passage)]


def _as_bool(keep: ArrayLike, columns: int, wanted: str) -> BoolArray:
    array = np.asarray(keep)
    if array.ndim != 2 or array.shape[1] != columns:
        raise UsageError(f"The mask has shape {list(array.shape)}; expected {wanted}.")
    if array.size and array.dtype != np.bool_ and not (array.dtype.kind in "iu" and np.isin(array, (0, 1)).all()):
        raise UsageError(f"The mask must hold booleans (or 0 and 1), it holds {array.dtype} values.")
    return array.astype(np.bool_, copy=True)
