"""Text to token ids so that text stays text: nothing in a document can become a mark of the chat protocol."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from fonte.models.measuring import measuring_tokenizer
from fonte.models.plain_text import without_surrogates

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ANCHOR = "\n"


class PlainTokenizer:
    """Encodes text without special tokens, and templates with them.

    Special tokens spelled out in a text (`<|im_end|>`) are encoded as the characters they consist of. So are marks that
    the chat template uses although the tokenizer does not call them special (`<tool_call>`, `<think>`).
    """

    def __init__(self, tokenizer: Any, template: str = "") -> None:
        self._tokenizer = tokenizer
        self._templates = measuring_tokenizer(tokenizer, "The language model")
        self._texts = measuring_tokenizer(tokenizer, "The language model")
        self._texts.encode_special_tokens = True  # as what they are spelled, that is
        self._marks = _marks(tokenizer, template)
        self._silent = _silent(tokenizer)
        self._anchored = _adds_space(tokenizer)
        self.bos = _automatic_bos(tokenizer)
        self.size = len(tokenizer)

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of `text` as plain characters, without special tokens; the empty text has none."""
        return tuple(self._plain(without_surrogates(text)))

    def encode_template(self, text: str) -> tuple[int, ...]:
        """Return the ids of a piece of a chat template, in which special tokens count as such."""
        return tuple(_ids(self._templates, text, self._anchored)[0]) if text else ()

    def decode(self, ids: Any) -> str:
        """Return the text of `ids`; special tokens are left out, marks that keep thinking apart are kept."""
        shown = [token for token in ids if token not in self._silent]
        return str(self._tokenizer.decode(shown, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def _plain(self, text: str) -> list[int]:
        if not text:
            return []
        ids, offsets = _ids(self._texts, text, self._anchored)
        # A mark that became one token all the same is cut in two and encoded again in pieces.
        spans = [span for token, span in zip(ids, offsets, strict=True) if token in self._marks]
        cuts = [(start + end) // 2 for start, end in spans if end - start > 1]
        if not cuts:
            return ids
        pieces = itertools.pairwise([0, *cuts, len(text)])
        return [token for start, end in pieces for token in self._plain(text[start:end])]


def _special(tokenizer: Any) -> dict[int, str]:
    added = {number: token.content for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    return added | {number: str(tokenizer.convert_ids_to_tokens(number)) for number in tokenizer.all_special_ids}


def _marks(tokenizer: Any, template: str) -> frozenset[int]:
    """Return the ids that no text may become: special ones, and added ones that the chat template writes."""
    contents = {number: token.content for number, token in tokenizer.added_tokens_decoder.items()}
    written = {
        number
        for number, content in contents.items()
        if content.strip() and not content.isalnum() and content in template
    }
    return frozenset((set(_special(tokenizer)) | written) - {tokenizer.unk_token_id})


def _silent(tokenizer: Any) -> frozenset[int]:
    """Return the special ids that are no text, all but the tags that keep thinking apart."""
    thoughts = ("think", "thought", "reason")
    special = _special(tokenizer).items()
    return frozenset(number for number, content in special if not any(word in content for word in thoughts))


def _adds_space(tokenizer: Any) -> bool:
    """Return whether the tokenizer puts a space before every text (SentencePiece's dummy prefix)."""
    first = tokenizer("a", add_special_tokens=False)["input_ids"][:1]
    return bool(first) and str(tokenizer.convert_ids_to_tokens(first)[0]).startswith("\u2581")


def _automatic_bos(tokenizer: Any) -> int | None:
    """Return the id that the tokenizer puts before every text by itself, if it is its beginning-of-text token."""
    first = tokenizer("a", add_special_tokens=True)["input_ids"][:1]
    return first[0] if first and first[0] == tokenizer.bos_token_id else None


def _ids(tokenizer: Tokenizer, text: str, anchored: bool) -> tuple[list[int], list[tuple[int, int]]]:
    """Encode; a tokenizer that would put a space before the text sees it after a line break instead."""
    encoding = tokenizer.encode(ANCHOR + text if anchored else text, add_special_tokens=False)
    pairs = list(zip(encoding.ids, encoding.offsets, strict=True))
    if anchored:
        pairs = [(token, (start - 1, end - 1)) for token, (start, end) in pairs if end > 1]
    return [token for token, _ in pairs], [span for _, span in pairs]
