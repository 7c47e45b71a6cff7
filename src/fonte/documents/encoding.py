"""Bytes to text, decided on the whole file.

Order: byte order marks; UTF-16 without a mark; ISO-2022-JP; UTF-8 (strict); what the file declares (HTML); else a
legacy encoding. Among those, Latin-script ones are told apart by which language's letters explain the non-ASCII
characters (charset-normalizer takes French for cp1250), all others by charset-normalizer.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from fonte.documents.clean import control_share
from fonte.documents.reading import UnreadableError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODECS = [
    "cp932",
    "gb18030",
    "big5",
    "euc_jp",
    "cp949",
    "cp1251",
    "koi8_r",
    "cp866",
    "cp1253",
    "cp1255",
    "cp1256",
    "cp874",
]
_LATIN_CODECS = ("cp1252", "latin-1", "cp1250", "cp1254", "cp1257", "cp850", "mac_roman")
_LATIN_LETTERS = (
    "äöüß",  # German
    "éèêàâçùûîïôœëæ",  # French
    "áéíóúñü",  # Spanish
    "àèéìòùî",  # Italian
    "ãõçáéíóúâêôà",  # Portuguese
    "åäöé",  # Swedish, Finnish
    "æøåé",  # Danish, Norwegian
    "áðéíóúýþæö",  # Icelandic
    "àèéëïíóöü",  # Dutch, Catalan
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "ąćęłńóśźż",  # Polish
    "áéíóöőúüű",  # Hungarian
    "čćđšž",  # Croatian, Slovenian
    "ăâîşţ",  # Romanian
    "çğıöşüâî",  # Turkish
    "āčēģīķļņšūž",  # Latvian
    "ąčęėįšųūž",  # Lithuanian
)
_TYPOGRAPHY = frozenset("–—‘’‚“”„…€°§«»‹›©®™·•²³½¼¾µ×÷±¿¡ºª£\u00a0")
_HIGH_RUN, _ASCII_LETTER = re.compile(rb"[\x80-\xff]+"), re.compile(rb"[A-Za-z]")
_LINE_WITH_HIGH_BYTE = re.compile(rb"[^\n\r]*[\x80-\xff][^\n\r]*")
_SAMPLE_BYTES = 200_000
_BINARY_SHARE_UNICODE, _BINARY_SHARE_LEGACY = 0.3, 0.02
_BINARY = "This is not text but binary data (or text in an encoding that cannot be recognised; save it as UTF-8)."


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the Python name of its `encoding`; `guessed` lists all encodings that explain the bytes equally well."""

    text: str
    encoding: str
    guessed: tuple[str, ...] = ()

    @property
    def metadata(self) -> dict[str, str]:
        """What a document says about its encoding: nothing for UTF-8, the candidates where it was a close guess."""
        if self.encoding in ("utf-8", "utf-8-sig"):
            return {}
        others = [name for name in self.guessed if name != self.encoding]
        return {"encoding": self.encoding} | ({"encoding_alternatives": ", ".join(others)} if others else {})


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode all of `data`; `declared` is what the file says about itself.

    Errors: `UnreadableError` for binary data.
    """
    decoded = _unicode(data) or (_strictly(data, declared) if declared else None)
    limit = _BINARY_SHARE_UNICODE
    if decoded is None:
        decoded, limit = _legacy(data), _BINARY_SHARE_LEGACY
    if decoded is None or control_share(decoded.text) > limit:
        raise UnreadableError(_BINARY)
    return decoded


def _unicode(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding)
    if wide := _unmarked_utf16(data):
        return _strictly(data, wide)
    if b"\x1b$" in data and (japanese := _strictly(data, "iso2022_jp")):
        return japanese
    return _strictly(data, "utf-8")


def _unmarked_utf16(data: bytes) -> str | None:
    """Tell UTF-16 without a mark by its zero bytes, nearly all of them on one side."""
    even, odd = data[0:4000:2].count(0), data[1:4000:2].count(0)
    pairs = min(len(data), 4000) / 2
    if pairs >= 2 and max(even, odd) > 0.4 * pairs and min(even, odd) < 0.02 * pairs:
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def _legacy(data: bytes) -> Decoded | None:
    sample = _sample(data)
    if _is_latin(sample):
        return _latin(data, sample)
    matches = list(from_bytes(sample, cp_isolation=_CODECS, threshold=0.4))
    names = [match.encoding for match in matches if match.chaos <= matches[0].chaos + 0.02]
    for name in [match.encoding for match in matches]:
        if decoded := _strictly(data, name, tuple(names)):
            return decoded
    return _latin(data, sample)


def _is_latin(sample: bytes) -> bool:
    """Tell Latin script by its accents: one or two at a time, among at least as many plain letters."""
    high = sum(map(len, _HIGH_RUN.findall(sample)))
    short = sum(len(run) for run in _HIGH_RUN.findall(sample) if len(run) <= 2)
    return short >= 0.6 * high and len(_ASCII_LETTER.findall(sample)) >= high


def _sample(data: bytes) -> bytes:
    """Return the lines that need a decision, spread over the whole file and at most `_SAMPLE_BYTES` long."""
    lines = _LINE_WITH_HIGH_BYTE.findall(data)
    step = max(1, sum(map(len, lines)) // _SAMPLE_BYTES)
    return b"\n".join(lines[::step])[: 2 * _SAMPLE_BYTES]


def _latin(data: bytes, sample: bytes) -> Decoded | None:
    """Take the encoding under which one language's letters explain most; the earlier one on a tie."""
    scores: dict[str, float] = {}
    for codec in _LATIN_CODECS:
        try:
            scores[codec] = _explained(sample.decode(codec))
        except UnicodeDecodeError:
            continue
    ranked = sorted(scores, key=lambda codec: -scores[codec])
    close = tuple(codec for codec in ranked if scores[codec] == scores[ranked[0]] and codec != "latin-1")
    for codec in ranked:
        if decoded := _strictly(data, codec, close):
            return decoded
    return None


def _explained(text: str) -> float:
    """Return the largest share of the non-ASCII characters that one language and typography explain."""
    characters = [character for character in text.lower() if character > "\x7f"]
    if not characters:
        return 0.0
    return max(
        sum(character in letters or character in _TYPOGRAPHY for character in characters) for letters in _LATIN_LETTERS
    ) / len(characters)


def _strictly(data: bytes, encoding: str, guessed: tuple[str, ...] = ()) -> Decoded | None:
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return Decoded(text, encoding, guessed) if isinstance(text, str) else None
