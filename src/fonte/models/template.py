"""Chat templates, applied once around placeholders: what a prompt's parts are put between."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from fonte.errors import ModelError

# Templates that print today's date get the first of January 2025: the same prompt must be the same tokens tomorrow.
DATE_STRING = "01 Jan 2025"
DATE_FIELDS = {
    "%Y": "2025",
    "%y": "25",
    "%m": "01",
    "%-m": "1",
    "%d": "01",
    "%-d": "1",
    "%j": "001",
    "%B": "January",
    "%b": "Jan",
    "%A": "Wednesday",
    "%a": "Wed",
    "%H": "00",
    "%M": "00",
    "%S": "00",
}
# A macro of the template itself hides the library's function of that name; functions cannot be handed in.
FIXED_DATE = (
    "{% macro strftime_now(format) %}{{ format"
    + "".join(f" | replace('{field}', '{value}')" for field, value in DATE_FIELDS.items())
    + " }}{% endmacro %}\n"
)
PLAIN_BREAK = "\n\n"
PLAIN_CUE = "\n\nAnswer:"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before the system text, between it and the user's, and after it, up to where the answer begins."""

    before: str
    between: str
    after: str


class ChatFrames:
    """The frames of a tokenizer's chat template, with and without a system text.

    A template that takes no system text gets it as the first paragraph of the user's. A model without template (a base
    model) gets the plain one: system text, empty line, user text, empty line, `Answer:`. Reasoning is switched off
    where the template has the switch (`enable_thinking`). `end_text` is what the template puts after an answer.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.has_template = bool(tokenizer.chat_template)
        self._template = _with_fixed_date(tokenizer.get_chat_template()) if self.has_template else ""
        self.user_only = self._user_only()
        self.with_system = self._with_system()
        self.end_text = self._end_text()

    def frame(self, system: bool) -> tuple[Frame, bool]:
        """Return the frame to use, and whether the system text has to be merged into the user's."""
        if not system:
            return self.user_only, False
        return (self.with_system, False) if self.with_system else (self.user_only, True)

    @property
    def open_thinking_tag(self) -> str:
        """The tag that the template leaves open where the answer begins, else the empty string."""
        ending = self.user_only.after.rstrip()
        tags = ("think", "thinking", "thought", "reasoning")
        return next((tag for tag in tags if ending.endswith(f"<{tag}>")), "")

    def _user_only(self) -> Frame:
        if not self.has_template:
            return Frame("", "", PLAIN_CUE)
        mark = self._mark("user")
        text = self._render([{"role": "user", "content": mark}])
        if text is None or text.count(mark) != 1:
            raise ModelError(
                "The model's chat template does not show the user's message exactly once; it cannot be used."
            )
        before, after = text.split(mark)
        return Frame(before, "", after)

    def _with_system(self) -> Frame | None:
        if not self.has_template:
            return Frame("", PLAIN_BREAK, PLAIN_CUE)
        system, user = self._mark("system"), self._mark("user")
        text = self._render([{"role": "system", "content": system}, {"role": "user", "content": user}])
        if text is None or text.count(system) != 1 or text.count(user) != 1 or text.index(system) > text.index(user):
            return None
        before, rest = text.split(system)
        between, after = rest.split(user)
        return Frame(before, between, after)

    def _end_text(self) -> str:
        """Return what follows an answer in a finished conversation, such as `<|im_end|>`."""
        if not self.has_template:
            return ""
        mark = self._mark("assistant")
        conversation = [{"role": "user", "content": self._mark("user")}, {"role": "assistant", "content": mark}]
        text = self._render(conversation, add_generation_prompt=False)
        return text.rpartition(mark)[2] if text and mark in text else ""

    def _mark(self, role: str) -> str:
        """Return a placeholder that the template does not contain; the texts themselves are never rendered."""
        number = 0
        while True:
            mark = "placeholder" + hashlib.sha256(f"{role}{number}".encode()).hexdigest()
            if mark not in self._template:
                return mark
            number += 1

    def _render(self, messages: list[dict[str, str]], *, add_generation_prompt: bool = True) -> str | None:
        """Render; None where the template refuses this conversation (no system role, for example)."""
        from jinja2 import TemplateError

        try:
            return str(
                self._tokenizer.apply_chat_template(
                    messages,
                    chat_template=self._template,
                    tokenize=False,
                    add_generation_prompt=add_generation_prompt,
                    sanitize_control_tokens=False,  # only placeholders are rendered
                    enable_thinking=False,
                    date_string=DATE_STRING,
                )
            )
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return None


def _with_fixed_date(template: str) -> str:
    return FIXED_DATE + template if "strftime_now" in template else template
