"""Follow-up questions on their own feet: rewritten by the language model, or kept as they are, and always shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fonte.citations.words import alike, read_words
from fonte.errors import FonteError
from fonte.models import LanguageModel
from fonte.values import Prompt

TURNS = 6
CHARACTERS = 1500
TOKENS = 96
LONGEST = 400
# Content words with which a question can be searched alone.
ENOUGH = 3
_ASKING = ("?", "？", "؟")
# Words that a rewriting may add though nobody said them: they carry no claim.
_GLUE = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at by can did do does for from had has have how i in is it its many much of on or that the
        their there this to was were what when where which who whose why will with you
        der die das ein eine einen und ist sind wie was wann wo wer warum von zu im mit hat haben
        il lo la gli un una di del della e che come quando dove chi perche con ha hanno
        le les une des du de et est sont que quoi quand qui pourquoi avec
        """,
    )
)
SYSTEM = """You rewrite the last question of a conversation so that it can be understood alone. Replace words such as \
it, they or that by what they stand for. Add nothing, answer nothing. Write the question only, in its language."""
EXAMPLE = """Conversation:
User: How long does the lamp of the Mirel 8 burn?
Assistant: It burns for 400 hours.
Last question: And how heavy is it?
Rewritten: How heavy is the Mirel 8?

"""


@dataclass(frozen=True)
class Turn:
    """One message of a conversation; `role` is `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True)
class Rewriting:
    """What the user said last, and the `question` that is asked instead.

    `by` is `none` (nothing went before), `model`, or, where the model's rewriting was not usable for `reason`: `joined`
    (the user's question before, and this one) or `kept` (the question as it is, since it says enough).
    """

    original: str
    question: str
    by: str
    reason: str = ""


def rewrite(history: Sequence[Turn], question: str, model: LanguageModel) -> Rewriting:
    """Return `question` so that it can be searched without `history`.

    A rewriting is taken only if all its words and numbers were said before, by anybody, and it keeps a word of the
    question: neither a model that wanders off nor a document quoted in the history can put another question there.
    """
    if not history:
        return Rewriting(question, question, "none")
    try:
        reply = model.generate(_prompt(history, question), max_tokens=TOKENS, stop=("\n",)).text
    except FonteError as error:
        return _in_own_words(history, question, f"The language model failed: {error}")
    rewritten = " ".join(reply.split()).removeprefix("Rewritten:").strip().strip('"“”')
    reason = _unusable(rewritten, history, question)
    return _in_own_words(history, question, reason) if reason else Rewriting(question, rewritten, "model")


def _in_own_words(history: Sequence[Turn], question: str, reason: str) -> Rewriting:
    """Put the user's last question before one that says too little to be searched alone."""
    before = [turn.text for turn in history if turn.role == "user"]
    if not before or len(_content(question)) >= ENOUGH:
        return Rewriting(question, question, "kept", reason)
    return Rewriting(question, f"{_short(before[-1])} {question}", "joined", reason)


def _prompt(history: Sequence[Turn], question: str) -> Prompt:
    names = {"user": "User", "assistant": "Assistant"}
    told = "".join(f"{names[turn.role]}: {_short(turn.text)}\n" for turn in history[-TURNS:])
    return Prompt(SYSTEM, f"{EXAMPLE}Conversation:\n{told}", (), f"Last question: {_short(question)}\nRewritten:")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= CHARACTERS else line[:CHARACTERS] + " …"


def _unusable(rewritten: str, history: Sequence[Turn], question: str) -> str:
    """Return why a rewriting is not taken, "" where it is."""
    if not rewritten:
        return "The model wrote nothing."
    if len(rewritten) > LONGEST:
        return "The model wrote more than a question."
    if question.rstrip().endswith(_ASKING) and not rewritten.endswith(_ASKING):
        return "The model wrote no question."
    said = {word.text for text in (*(turn.text for turn in history), question) for word in read_words(text)}
    words = [word.text for word in read_words(rewritten)]
    own = _content(question)
    strange = [word for word in words if word not in _GLUE and not any(alike(word, known) for known in said)]
    if strange:
        return f"The model added words that nobody said: {', '.join(strange[:5])}."
    if own and not any(alike(word, known) for word in words for known in own):
        return "The model asked something else."
    if all(any(alike(word, known) for known in own) for word in _content(rewritten)):
        return "The model added nothing."
    return ""


def _content(text: str) -> list[str]:
    return [word.text for word in read_words(text) if word.text not in _GLUE]
