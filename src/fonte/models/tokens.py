"""Text to token ids so that text stays text: nothing in a document can become a mark of the chat protocol."""

from __future__ import annotations

from typing import Any

from fonte.errors import ModelError
from fonte.models.plain_text import without_surrogates

ANCHOR = "\n"


class PlainTokenizer:
    """Encodes text without special tokens, and templates with them.

    Special tokens spelled out in a text (`<|im_end|>`) are encoded as the characters they consist of. So are marks that
    the chat template uses although the tokenizer does not call them special (`<tool_call>`, `<think>`).
    """

    def __init__(self, tokenizer: Any, template: str = "") -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise ModelError("The model has no fast tokenizer, which is needed for offsets; convert it first.")
        self._tokenizer = tokenizer
        self._marks = _marks(tokenizer, template)
        self._anchored = _adds_space(tokenizer)
        self.bos = _automatic_bos(tokenizer)
        self.size = len(tokenizer)

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of `text` as plain characters, without special tokens; the empty text has none."""
        return tuple(self._plain(without_surrogates(text)))

    def encode_template(self, text: str) -> tuple[int, ...]:
        """Return the ids of a piece of a chat template, in which special tokens count as such."""
        return tuple(self._ids(text, split=False)[0]) if text else ()

    def decode(self, ids: Any) -> str:
        """Return the text of `ids`; special tokens are left out, marks that keep thinking apart are kept."""
        shown = [token for token in ids if token not in self._silent]
        return str(self._tokenizer.decode(shown, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    @property
    def _silent(self) -> frozenset[int]:
        return self._marks.silent

    def _plain(self, text: str) -> list[int]:
        if not text:
            return []
        ids, offsets = self._ids(text, split=True)
        for token, (start, end) in zip(ids, offsets, strict=True):
            if (
                token in self._marks.forbidden
                and end - start > 1
                and text[start:end].strip() == self._marks.forbidden[token]
            ):
                middle = start + text[start:end].index(self._marks.forbidden[token]) + 1
                return self._plain(text[:middle]) + self._plain(text[middle:])
        return ids

    def _ids(self, text: str, *, split: bool) -> tuple[list[int], list[tuple[int, int]]]:
        """Encode; a tokenizer that would put a space before the text sees it after a line break instead."""
        anchor = ANCHOR if self._anchored else ""
        encoded = self._tokenizer(
            anchor + text, add_special_tokens=False, split_special_tokens=split, return_offsets_mapping=True
        )
        pairs = list(zip(encoded["input_ids"], encoded["offset_mapping"], strict=True))
        if anchor:
            pairs = [(token, (start - 1, end - 1)) for token, (start, end) in pairs if end > 1]
        return [token for token, _ in pairs], [span for _, span in pairs]


class _Marks:
    def __init__(self, forbidden: dict[int, str], silent: frozenset[int]) -> None:
        self.forbidden = forbidden
        self.silent = silent


def _marks(tokenizer: Any, template: str) -> _Marks:
    added = dict(tokenizer.added_tokens_decoder.items())
    special = {number: token.content for number, token in added.items() if token.special}
    special |= {number: str(tokenizer.convert_ids_to_tokens(number)) for number in tokenizer.all_special_ids}
    in_template = {
        number: token.content
        for number, token in added.items()
        if token.content.strip() and not token.content.isalnum() and token.content in template
    }
    thoughts = ("think", "thought", "reason")
    silent = frozenset(number for number, text in special.items() if not any(word in text for word in thoughts))
    return _Marks({**special, **in_template}, silent)


def _adds_space(tokenizer: Any) -> bool:
    """Return whether the tokenizer puts a space before every text (SentencePiece's dummy prefix)."""
    first = tokenizer("a", add_special_tokens=False)["input_ids"][:1]
    return bool(first) and str(tokenizer.convert_ids_to_tokens(first)[0]).startswith("\u2581")


def _automatic_bos(tokenizer: Any) -> int | None:
    """Return the id that the tokenizer puts before every text by itself, if it is its beginning-of-text token."""
    first = tokenizer("a", add_special_tokens=True)["input_ids"][:1]
    return first[0] if first and first[0] == tokenizer.bos_token_id else None
