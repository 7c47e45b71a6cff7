r"""The few changes that every text goes through: line ends, control characters, lone surrogates. Nothing else.

* `\r\n` and `\r` become `\n`. U+2028 and U+2029 stay: they are characters of the text, no line of it to an editor.
* Every other control character (C0 without tab and newline, DEL, C1) becomes one space, so that no words are joined and
  offsets before and after stay comparable with the original.
* A lone surrogate, which no UTF-8 file can hold, becomes U+FFFD.

Unicode is never normalised: the stored text is what a citation is compared with.
"""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SPACES = re.compile(r"\s+")
_VISIBLE = re.compile(
    r"[^\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """Return `text` with newlines normalised, control characters as spaces and lone surrogates as U+FFFD."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text):
        text = _CONTROL.sub(" ", text)
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text


def one_line(text: str, limit: int = 300) -> str:
    """Return `text` cleaned, white space collapsed, at most `limit` code points long (then ending in an ellipsis)."""
    line = _SPACES.sub(" ", clean(text)).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def has_text(text: str) -> bool:
    """Return whether anything visible is in `text`: white space and zero-width characters do not count."""
    return _VISIBLE.search(text) is not None


def control_share(text: str) -> float:
    """Return the share of control characters in `text`, 0 for an empty one: binary data shows by it."""
    return len(_CONTROL.findall(text.replace("\r", ""))) / len(text) if text else 0.0


def readable_name(name: str) -> str:
    r"""Return a file name that can be printed and stored anywhere, on one line.

    Undecodable bytes, control characters and those that turn the direction of text become escapes such as `\xe9` and
    `\n`; all else stays as it is on disk, also decomposed (NFD) letters.
    """
    return "".join(map(_visible_character, name))


def storable(path: str) -> str:
    r"""Return `path` with undecodable bytes as escapes such as `\xe9`, so that it can be written as UTF-8."""
    return "".join(_escape_byte(character) if "\ud800" <= character <= "\udfff" else character for character in path)


def _visible_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return _escape_byte(character)
    if category in ("Cc", "Zl", "Zp") or character in _DIRECTION_CONTROLS:
        return ascii(character)[1:-1]
    return character


def _escape_byte(character: str) -> str:
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
