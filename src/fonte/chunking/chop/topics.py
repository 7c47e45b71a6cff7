"""The third answer at a gap: a new topic of the same document, whose category and model stay while its nouns change.

The published method knows two answers, so a new topic loses the model that the first passage named, and a first
passage's nouns are handed to whatever follows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from fonte.chunking.chop.cohesion import cohesion
from fonte.chunking.chop.generic_words import GENERIC
from fonte.chunking.chop.words import words
from fonte.values import Chunk

LOW = 1.5  # standard deviations below a text's mean cohesion; lower depths find more topics that are none
NEAR = 2  # gaps on each side that have to be higher
SHORTEST_NOUN = 4  # letters
MOST_NOUNS = 2


def topics(chunks: Sequence[Chunk]) -> list[int]:
    """Return the number, from 0, of the topic that each chunk of one document belongs to.

    A document with headings says where its topics begin: where the heading path changes. One without has a new topic
    where its words change most (TextTiling, Hearst 1997, over windows of `windows.WINDOW` words): at gaps whose
    cohesion is lower than at any near gap and `LOW` standard deviations below the mean. No chunks give [].
    """
    if any(chunk.heading for chunk in chunks):
        changed = [at > 0 and chunk.heading != chunks[at - 1].heading for at, chunk in enumerate(chunks)]
    else:
        changed = _words_change([chunk.text for chunk in chunks])
    return np.cumsum(changed, dtype=np.int64).tolist() if chunks else []


def topic_nouns(chunks: Sequence[Chunk], numbers: Sequence[int]) -> list[str]:
    """Return, per chunk, the words that tell its topic from the others of the document, the most telling one first.

    At most `MOST_NOUNS`, joined by a comma; by frequency in the topic times the logarithm of the inverse share of
    chunks that have the word. Without a model a word is what nouns can be: no part of speech is known. "" where no
    word tells anything, as in a document of one chunk.
    """
    counted = [Counter(word for word in words(chunk.text) if _may_tell(word)) for chunk in chunks]
    spread = Counter(word for each in counted for word in each)
    found: list[str] = []
    for _, run in groupby(zip(numbers, counted, strict=True), key=lambda pair: pair[0]):
        own = [each for _, each in run]
        total: Counter[str] = Counter()
        for each in own:
            total.update(each)
        found += [_most_telling(total, spread, len(counted))] * len(own)
    return found


def _most_telling(counts: Counter[str], spread: Counter[str], chunks: int) -> str:
    weights = {word: count * math.log(chunks / spread[word]) for word, count in counts.items()}
    ranked = sorted((word for word in weights if weights[word] > 0), key=lambda word: (-weights[word], word))
    return ", ".join(ranked[:MOST_NOUNS])


def _words_change(texts: Sequence[str]) -> list[bool]:
    likeness = np.log(cohesion(texts) + 0.02)
    changed = [False] * len(texts)
    spread = float(likeness[1:].std()) if len(texts) > 2 * NEAR + 1 else 0.0
    if spread == 0.0:
        return changed
    depths = (likeness - likeness[1:].mean()) / spread
    for gap in range(1, len(texts)):
        before, after = depths[max(gap - NEAR, 1) : gap], depths[gap + 1 : gap + NEAR + 1]
        # Of gaps that are equally low, as between tables, the first one.
        lowest = depths[gap] < before.min(initial=np.inf) and depths[gap] <= after.min(initial=np.inf)
        changed[gap] = bool(depths[gap] < -LOW and lowest)
    return changed


def _may_tell(word: str) -> bool:
    return len(word) >= SHORTEST_NOUN and word not in GENERIC and not word.isdigit()
