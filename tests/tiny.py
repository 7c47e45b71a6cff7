"""Tiny random models, made in a fraction of a second: real architectures, real tokenizers, no download.

Their answers mean nothing; their arithmetic is that of the large ones. The same arguments give the same weights.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PretrainedConfig

    from fonte.models.cross_encoder import Reranker
    from fonte.models.embedder import Embedder
    from fonte.models.local import LocalLanguageModel

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{{ message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
TRAINING_TEXT = """The manual says how the device is switched on and how the battery is charged. Press and hold the
power button for three seconds; the light turns green. The court of appeal held that the contract was not valid, because
one of the parties had not signed it. What is the width of the table? The table is 120 cm wide, 75 cm high, 18 kg.
Which judgment is cited in the second paragraph? It cites the case of Rossi against the Republic, decided in 1998. Clean
the filter every month, never use water above 40 degrees, and store the machine in a dry place. This document describes
the model, the version, the safety notes, the warranty and the technical data. A passage is found by its words."""


def tiny_language_model(
    config: PretrainedConfig | None = None, *, dtype: str = "float32", **options: Any
) -> LocalLanguageModel:
    """Load a tiny causal language model through `LocalLanguageModel.from_pretrained`; see the folder below."""
    from fonte.models.local import LocalLanguageModel

    return LocalLanguageModel.from_pretrained(
        str(tiny_language_model_folder(config, **options)), dtype=dtype, threads=1
    )


def tiny_embedder(*, window: int = 256, positions: int = 512, seed: int = 0, **options: Any) -> Embedder:
    """Load a tiny sentence embedder (32 dimensions, a word-piece tokenizer) through `Embedder.from_pretrained`."""
    from fonte.models.embedder import Embedder

    return Embedder.from_pretrained(str(tiny_embedder_folder(window, positions, seed)), **options)


def tiny_reranker(*, positions: int = 128, seed: int = 0, **options: Any) -> Reranker:
    """Load a tiny cross-encoder through `Reranker.from_pretrained`."""
    from fonte.models.cross_encoder import Reranker

    return Reranker.from_pretrained(str(tiny_reranker_folder(positions, seed)), **options)


def tiny_language_model_folder(
    config: PretrainedConfig | None = None,
    *,
    context_window: int = 4096,
    seed: int = 0,
    chat_template: str | None = CHAT_TEMPLATE,
    bos: bool = False,
) -> Path:
    """Save a random model of `config` (default: a two-layer Llama) and a byte-level tokenizer into a new folder.

    The vocabulary holds the 256 bytes, then `SPECIAL_TOKENS`; a config with a larger `vocab_size` pads it with ids that
    no text encodes to. `bos` makes the tokenizer put `<|endoftext|>` first, as Llama's does.
    """
    import torch
    from transformers import AutoModelForCausalLM

    folder = _new_folder()
    tokenizer = byte_tokenizer(chat_template, bos)
    torch.manual_seed(seed)
    config = config or tiny_llama_config(context_window)
    config.eos_token_id, config.bos_token_id, config.pad_token_id = 258, 256, 256
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_llama_config(context_window: int = 4096, **changes: Any) -> PretrainedConfig:
    """Return the default architecture; weights are large (`initializer_range`), so predictions are far from uniform."""
    from transformers import LlamaConfig

    shape = {
        "vocab_size": 264,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": context_window,
        "initializer_range": 0.2,
    }
    return LlamaConfig(**{**shape, **changes})


def byte_tokenizer(chat_template: str | None = CHAT_TEMPLATE, bos: bool = False) -> Any:
    """Make a tokenizer with one token per UTF-8 byte (the id is the byte) and `SPECIAL_TOKENS` (256, 257, 258)."""
    from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers, processors
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in printable}
    others = [byte for byte in range(256) if byte not in letters]
    letters |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    backend = Tokenizer(BPE(vocab={letter: byte for byte, letter in letters.items()}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
    if bos:
        backend.post_processor = processors.TemplateProcessing(
            single="<|endoftext|> $A", pair="<|endoftext|> $A $B", special_tokens=[("<|endoftext|>", 256)]
        )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<|endoftext|>", eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = chat_template
    return tokenizer


@lru_cache
def tiny_embedder_folder(window: int = 256, positions: int = 512, seed: int = 0) -> Path:
    """Save a random BERT with mean pooling as a sentence-transformers folder whose window is set to `window`."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertModel

    source, folder = _new_folder(), _new_folder()
    torch.manual_seed(seed)
    BertModel(_bert_config(positions)).save_pretrained(source)
    word_piece_tokenizer(positions).save_pretrained(source)
    body = Transformer(str(source), max_seq_length=window)
    SentenceTransformer(modules=[body, Pooling(body.get_embedding_dimension())], device="cpu").save(str(folder))
    return folder


@lru_cache
def tiny_reranker_folder(positions: int = 128, seed: int = 0) -> Path:
    """Save a random BERT with one relevance score as a cross-encoder folder."""
    import torch
    from transformers import BertForSequenceClassification

    folder = _new_folder()
    torch.manual_seed(seed)
    BertForSequenceClassification(_bert_config(positions)).save_pretrained(folder)
    word_piece_tokenizer(positions).save_pretrained(folder)
    return folder


def word_piece_tokenizer(positions: int = 512) -> Any:
    """Train a small word-piece tokenizer on `TRAINING_TEXT`; letters outside ASCII become `[UNK]`."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=_word_piece(),
        model_max_length=positions,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
    )


def _bert_config(positions: int) -> PretrainedConfig:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=_word_piece().get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=positions,
        initializer_range=0.2,
        num_labels=1,
    )


@cache
def _word_piece() -> Any:
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece
    from tokenizers.trainers import WordPieceTrainer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    backend = Tokenizer(WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    letters = [chr(code) for code in range(33, 127)]
    everything = " ".join(letters) + " " + "".join(letters)
    trainer = WordPieceTrainer(vocab_size=600, special_tokens=special, initial_alphabet=letters, show_progress=False)
    backend.train_from_iterator([TRAINING_TEXT, everything], trainer)
    backend.decoder = decoders.WordPiece()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return backend


def _new_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fonte-tiny-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
