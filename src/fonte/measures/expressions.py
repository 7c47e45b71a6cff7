"""Answers that are expressions over words: PRGB's `A & (B | C)`."""

from __future__ import annotations

import re

from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import visible_answer

_TOKEN = re.compile(r"[&|()]|[^&|()]+")


def expression_match(prediction: str, expression: str) -> Score:
    """Answer check of PRGB: 1 if the expression over substrings holds for `prediction` in lower case, else 0.

    `&` binds more tightly than `|`; parentheses group. What is not a well-formed expression (a gold answer that holds
    a bracket of its own, such as `f(x`) is looked for as it stands; the published code raises an error or misreads
    it. An empty expression is not applicable. Source: PRGB (arXiv 2507.22927), `core/eval.py`.
    """
    if not expression.strip():
        return not_applicable("the question has no gold answer")
    text = visible_answer(prediction).lower()
    tokens = [token.strip() for token in _TOKEN.findall(expression.lower()) if token.strip()]
    value, rest = _either(tokens, text)
    if value is None or rest:
        value = expression.strip().lower() in text
    return scored(value)


def _either(tokens: list[str], text: str) -> tuple[bool | None, list[str]]:
    """Read `both ("|" both)*`; the value is None where the tokens are not an expression."""
    value, rest = _both(tokens, text)
    while value is not None and rest[:1] == ["|"]:
        other, rest = _both(rest[1:], text)
        value = None if other is None else value or other
    return value, rest


def _both(tokens: list[str], text: str) -> tuple[bool | None, list[str]]:
    value, rest = _term(tokens, text)
    while value is not None and rest[:1] == ["&"]:
        other, rest = _term(rest[1:], text)
        value = None if other is None else value and other
    return value, rest


def _term(tokens: list[str], text: str) -> tuple[bool | None, list[str]]:
    if not tokens or tokens[0] in "&|)":
        return None, tokens
    if tokens[0] != "(":
        return tokens[0] in text, tokens[1:]
    value, rest = _either(tokens[1:], text)
    return (value, rest[1:]) if value is not None and rest[:1] == [")"] else (None, rest)
