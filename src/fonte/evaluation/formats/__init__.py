"""Published question sets in their own formats, read from the user's path into the one shape."""

from collections.abc import Callable
from pathlib import Path

from fonte.evaluation.formats.alce import read_alce
from fonte.evaluation.formats.aquaechr import read_aquaechr
from fonte.evaluation.formats.hotpotqa import read_2wiki, read_hotpotqa
from fonte.evaluation.formats.legalbenchrag import read_legalbenchrag
from fonte.evaluation.formats.musique import read_musique
from fonte.evaluation.formats.popqa import read_popqa
from fonte.evaluation.formats.prgb import read_prgb
from fonte.evaluation.formats.pubmedqa import read_pubmedqa
from fonte.evaluation.formats.ragqaleaderboard import read_ragqaleaderboard
from fonte.evaluation.formats.triviaqa import read_triviaqa
from fonte.evaluation.questions import Question, read_questions

FORMATS: dict[str, Callable[[Path], list[Question]]] = {
    "fonte": read_questions,
    "2wiki": read_2wiki,
    "alce": read_alce,
    "aquaechr": read_aquaechr,
    "hotpotqa": read_hotpotqa,
    "legalbenchrag": read_legalbenchrag,
    "musique": read_musique,
    "popqa": read_popqa,
    "prgb": read_prgb,
    "pubmedqa": read_pubmedqa,
    "ragqaleaderboard": read_ragqaleaderboard,
    "triviaqa": read_triviaqa,
}
"""The formats by name; `fonte` is the one shape."""

__all__ = [
    "FORMATS",
    "read_2wiki",
    "read_alce",
    "read_aquaechr",
    "read_hotpotqa",
    "read_legalbenchrag",
    "read_musique",
    "read_popqa",
    "read_prgb",
    "read_pubmedqa",
    "read_ragqaleaderboard",
    "read_triviaqa",
]
