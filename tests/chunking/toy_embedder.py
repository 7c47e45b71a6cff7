"""An embedder by hand: a real tokenizer trained on the spot, and vectors that are hashes of the words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

TRAINING_TEXT = """The unit heats in winter, cools in summer and dries the air in the weeks between. Press the key.
The court held that there had been a violation of Article 6 § 1 of the Convention, see no. 4143/02, § 53.
Das Gericht hat die Klage abgewiesen, weil der Verkäufer den Mangel nicht kannte. La macchina non va lavata con acqua.
安全のため、電源を切ってください。今天天气很好。我们去公园吧！
هذا كتاب جديد. أين هو الكتاب؟ यह एक किताब है। 한국어 문장입니다. 👩‍👩‍👧 🇮🇹 😀
Code | Meaning | What to do. E1 | Room sensor interrupted | Replace sensor VA-2511. 0 1 2 3 4 5 6 7 8 9"""


def word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _train(tokenizer, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False))
    return tokenizer


def byte_pairs() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    _train(tokenizer, trainers.BpeTrainer(vocab_size=450, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


def unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    _train(
        tokenizer,
        trainers.UnigramTrainer(vocab_size=300, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False),
    )
    return tokenizer


TOKENIZERS: Mapping[str, Callable[[], Tokenizer]] = {
    "word_piece": cache(word_piece),
    "byte_pairs": cache(byte_pairs),
    "unigram": cache(unigram),
}


def _train(tokenizer: Tokenizer, trainer: trainers.Trainer) -> None:
    tokenizer.train_from_iterator(TRAINING_TEXT.split("\n"), trainer)


class ToyEmbedder:
    """Counts with a tokenizer; a text's vector is the normalised sum of one random unit vector per word."""

    def __init__(
        self, window: int = 64, tokenizer: str = "word_piece", special_tokens: int = 2, dimension: int = 256
    ) -> None:
        self.window, self.special_tokens, self.dimension = window, special_tokens, dimension
        self.fingerprint = f"toy {tokenizer} {dimension}"
        self.embedded: list[str] = []
        self._tokenizer = TOKENIZERS[tokenizer]()

    def count_tokens(self, texts):
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def token_offsets(self, text):
        return np.array(self._tokenizer.encode(text, add_special_tokens=False).offsets, dtype=np.int64).reshape(-1, 2)

    def embed_documents(self, texts):
        assert texts
        for text, count in zip(texts, self.count_tokens(texts), strict=True):
            assert count + self.special_tokens <= self.window, f"too long to embed: {count} tokens: {text[:80]!r}"
        self.embedded += texts
        vectors = np.stack(
            [sum(map(_word_vector, text.casefold().split()), np.zeros(self.dimension)) for text in texts]
        )
        return (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)).astype(np.float32)


@cache
def _word_vector(word: str, dimension: int = 256) -> np.ndarray:
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    vector = np.random.default_rng(seed).standard_normal(dimension)
    return vector / np.linalg.norm(vector)
