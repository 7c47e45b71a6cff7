"""How citations are counted: published ways with the quirks they are known for, each by name, and ours without them.

| | `FONTE` | `ALCE` | `AQUAECHR` |
|---|---|---|---|
| sentence without a citation | counts 0 | counts 0 | is left out |
| answer without any citation | counts 0 | counts 0 | counts 0 |
| invented citation | wrong, in every count | its sentence counts 0, its citations in no count | ignored |
| sentence with many citations | all | the first three | all |
| a passage cited twice by a sentence | once | twice | once per case |
| two paragraphs of one case | two citations | two | one, with the support of the last |
| premise | title and text | `Title: …`, newline, text | text |
| joined by | blank line | newline | space |

Never compare figures of two conventions. Sources: ALCE (Gao et al. 2023), `eval.py`; AQuAECHR, `eval.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fonte.measures.cited import CitedPassage


@dataclass(frozen=True, slots=True)
class Conventions:
    """One way to count citations; see the table above. `at_most` None counts all citations of a sentence."""

    name: str
    uncited: Literal["zero", "left_out"] = "zero"
    invented: Literal["wrong", "zero_sentence", "ignored"] = "wrong"
    at_most: int | None = None
    repeated: Literal["once", "kept"] = "once"
    unit: Literal["passage", "group"] = "passage"
    premise: Literal["title_and_text", "alce", "text"] = "title_and_text"
    separator: str = "\n\n"

    def join(self, passages: Sequence[CitedPassage]) -> str:
        """Return the premise that `passages` are together."""
        return self.separator.join(self._premise(passage) for passage in passages)

    def _premise(self, passage: CitedPassage) -> str:
        if self.premise == "alce":
            return f"Title: {passage.title}\n{passage.text}"
        titled = self.premise == "title_and_text" and passage.title
        return f"{passage.title}\n{passage.text}" if titled else passage.text


FONTE = Conventions("fonte")
ALCE = Conventions("alce", invented="zero_sentence", at_most=3, repeated="kept", premise="alce", separator="\n")
AQUAECHR = Conventions(
    "aquaechr", uncited="left_out", invented="ignored", repeated="kept", unit="group", premise="text", separator=" "
)
