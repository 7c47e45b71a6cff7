"""Texts that say nothing about any question: what they do to an answer is what any text does.

Every token of a prompt moves every later probability a little: removing a passage that has nothing to do with the
answer still shifts it. So a few such texts are added after the last passage, one at a time, and how far they move the
answer is the least that a passage has to do to count. The place is the one where a text does most.
"""

from __future__ import annotations

from fonte.attribution.answer_spans import Tokenizer

TEXTS = (
    "Opening hours are listed at the entrance. Please hold the door for the person behind you and mind the step. Bags "
    "may be left at the desk and are given back on the way out.\n\n",
    "The path follows the river for a while and then turns towards the hills. On clear days the far shore can be seen "
    "from the bench. In the evening the wind usually drops.\n\n",
    "Stir the flour into the butter, add the milk little by little, and keep the heat low. When it thickens, take it "
    "off, cover it and let it rest. Salt comes last.\n\n",
    "Page left blank. This text is a placeholder and holds no information. It will be replaced when the final version "
    "is available. Thank you for your patience.\n\n",
)


def placebos(tokenizer: Tokenizer, before: str = "") -> tuple[tuple[int, ...], ...]:
    """Return the token ids of some texts without information, each after `before` (a label line, say)."""
    return tuple(tokenizer.encode(before + text) for text in TEXTS)
