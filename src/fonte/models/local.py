"""A causal language model on this machine, through transformers."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fonte.errors import MissingExtraError, ModelError, UsageError
from fonte.models.choose import option_log_probabilities
from fonte.models.decode import Decoder, PromptMemory, Sampling
from fonte.models.folder import resolve
from fonte.models.gguf import dequantised
from fonte.models.grammar import GrammarTokenizer
from fonte.models.hardware import choose_device, choose_dtype, use_threads
from fonte.models.language_model import Delta, Generation, Schema, fold
from fonte.models.loading import loading
from fonte.models.reply import ReplyReader, TokenText
from fonte.models.template import PLAIN_BREAK, ChatFrames
from fonte.models.tokens import PlainTokenizer
from fonte.models.weights import model_fingerprint, require_safe
from fonte.values import Prompt, SegmentedPrompt

try:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "transformers"), "local") from None

WANTED = "a causal language model with tokenizer and safetensors weights, without code of its own"


class LocalLanguageModel:
    """A transformers model with its tokenizer; `model`, `tokenizer`, `device` and `dtype` are open to the engine.

    `fingerprint` changes with weights, tokenizer, chat template and number format: whatever can change an answer.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str, fingerprint: str, context_window: int) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.fingerprint = fingerprint
        self.context_window = context_window
        self._frames = ChatFrames(tokenizer)
        self._plain = PlainTokenizer(tokenizer, str(tokenizer.chat_template or ""))
        self._ends = _end_tokens(model, tokenizer, self._plain.encode_template(self._frames.end_text))
        self._memory: PromptMemory | None = None

    @classmethod
    def from_pretrained(
        cls,
        model: str,
        *,
        dtype: str = "auto",
        device: str = "auto",
        threads: int | None = None,
        context_window: int | None = None,
        revision: str | None = None,
    ) -> LocalLanguageModel:
        """Load a downloaded model's name, a folder, a GGUF file, or a hub id (at `revision`).

        `dtype` is auto, float32, bfloat16 or float16; auto is bfloat16 where the hardware multiplies it. A GGUF file is
        de-quantised on first use and kept, so the second load is fast. `context_window` (tokens) can only be lowered
        below the model's. `threads` sets torch's threads for the whole process. Errors: `ModelError`.
        """
        use_threads(threads)
        place = choose_device(device)
        number_format = choose_dtype(dtype, place)
        path = require_safe(resolve(model, revision))
        path = path if path.is_dir() else dequantised(path)
        loaded, tokenizer = _load(path, model, number_format, place)
        fingerprint = model_fingerprint(path, str(number_format))
        return cls(loaded, tokenizer, model, fingerprint, _context_window(loaded, model, context_window))

    def remembering(self) -> LocalLanguageModel:
        """Return this model with a memory of the last prompt it read, for several questions about one prompt.

        It answers as this one does, and keeps one key-value cache as long as it lives. The weights must not change
        meanwhile, and one thread at a time may use it.
        """
        other = copy.copy(self)
        other._memory = PromptMemory()
        return other

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return torch.device(self.model.device)

    @property
    def dtype(self) -> torch.dtype:
        """The number format of the weights."""
        return torch.empty(0, dtype=self.model.dtype).dtype

    @property
    def ends(self) -> frozenset[int]:
        """The ids that end an answer."""
        return self._ends

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of `text` as plain characters: no special token, whatever the text says."""
        return self._plain.encode(text)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of ids; special tokens are left out."""
        return self._plain.decode(token_ids)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` takes, without special tokens."""
        return len(self.encode(text))

    def segment(self, prompt: Prompt) -> SegmentedPrompt:
        """Apply the chat template around the prompt and encode every part apart: what `generate` runs.

        The head holds the template's beginning, the system text and the prompt's head; the tail the prompt's tail and
        the template's end up to where the answer begins. A beginning-of-text token stands there once, where the
        tokenizer or the template puts one.
        """
        frame, merge = self._frames.frame(bool(prompt.system))
        system = self.encode(prompt.system) + (self.encode(PLAIN_BREAK) if merge else ())
        template, encode = self._plain.encode_template, self.encode
        around = template(frame.before) + system if merge or prompt.system else template(frame.before)
        head = self._with_bos(around + template(frame.between) + encode(prompt.head))
        passages = tuple((encode(passage.signature), encode(passage.text)) for passage in prompt.passages)
        return SegmentedPrompt(head, passages, encode(prompt.tail) + template(frame.after))

    def generate(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Sequence[str] = (),
        schema: Schema | None = None,
    ) -> Generation:
        """Answer `prompt`; see `LanguageModel.generate`."""
        return fold(
            self.stream(prompt, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop, schema=schema)
        )

    def stream(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Sequence[str] = (),
        schema: Schema | None = None,
    ) -> Iterator[Delta]:
        """Answer `prompt` piece by piece; arguments are checked when this is called, not when it is first read."""
        if max_tokens < 1:
            raise UsageError(f"max_tokens must be at least 1, not {max_tokens}.")
        ids = self.segment(prompt).token_ids
        room = min(max_tokens, self._room(len(ids)))
        grammar = self._grammars.matcher(schema) if schema is not None else None
        reader = ReplyReader(stop, self._frames.open_thinking_tag, thinks=schema is None)
        decoder = Decoder(self.model, self._plain.size, self._ends, Sampling(temperature, seed), grammar)
        return self._pieces(decoder, ids, room, reader)

    def choose(self, prompts: Sequence[Prompt], options: Sequence[str], *, prefix: str = "") -> npt.NDArray[np.float64]:
        """Return how probable each option is after each prompt and `prefix`: float64 [prompt, option], rows sum to 1.

        An option's weight is exp of the sum of its tokens' log-probabilities (float32 log-softmax over the whole
        vocabulary), teacher-forced; rows are normalised over the options. Options are encoded as plain text, so a
        leading space counts. Errors: `UsageError` for no or empty options, `ModelError` for what exceeds the window.
        """
        encoded = [self.encode(option) for option in options]
        if not encoded or not all(encoded):
            raise UsageError("choose needs at least one option, and each needs at least one character.")
        said = self.encode(prefix)
        parts = [self._split(self.segment(prompt), said) for prompt in prompts]
        for head, rest in parts:
            self._room(len(head) + len(rest) + max(map(len, encoded)) - 1)
        scores = option_log_probabilities(self.model, parts, encoded, self._memory)
        scores -= scores.max(axis=1, keepdims=True, initial=-np.inf)
        weights = np.exp(scores)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def _grammars(self) -> GrammarTokenizer:
        vocabulary = int(self.model.get_output_embeddings().weight.shape[0])
        return GrammarTokenizer(self.tokenizer, vocabulary, self._ends)

    def _pieces(self, decoder: Decoder, ids: tuple[int, ...], room: int, reader: ReplyReader) -> Iterator[Delta]:
        text = TokenText(self.decode)
        count = 0
        for token in decoder.tokens(ids, room, self._memory):
            count += 1
            if token in self._ends:
                break
            piece = reader.feed(text.feed(token))
            yield Delta(piece.text, piece.thinking, (token,))
            if reader.stopped:
                break
        last, rest = reader.feed(text.finish()), reader.finish()
        reason = "stop" if decoder.ended or reader.stopped else "length"
        yield Delta(last.text + rest.text, last.thinking + rest.thinking, (), reason, len(ids), count)

    def _room(self, tokens: int) -> int:
        if tokens >= self.context_window:
            raise ModelError(
                f"The prompt has {tokens} tokens, but {self.name} has a context window of {self.context_window}, "
                "answer included. Use fewer or shorter passages, or a model with a larger window."
            )
        return self.context_window - tokens

    def _with_bos(self, head: tuple[int, ...]) -> tuple[int, ...]:
        bos = self._plain.bos
        return head if bos is None or head[:1] == (bos,) else (bos, *head)

    def _split(self, prompt: SegmentedPrompt, said: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what prompts may have in common (the head) and the rest, which is never empty.

        With something `said` that is the whole prompt, since one prompt is asked about many beginnings of its answer.
        """
        if said:
            return prompt.token_ids, said
        rest = prompt.token_ids[len(prompt.head) :]
        return (prompt.head, rest) if rest else (prompt.head[:-1], prompt.head[-1:])


def _load(path: Path, name: str, dtype: torch.dtype, device: torch.device) -> tuple[Any, Any]:
    options = {"trust_remote_code": False, "local_files_only": True}
    with loading(f"{name} ({path})", WANTED):
        tokenizer = AutoTokenizer.from_pretrained(str(path), **options)
        model = AutoModelForCausalLM.from_pretrained(str(path), dtype=dtype, use_safetensors=True, **options)
        model = model.to(device).eval()
    if "cache" not in inspect.signature(type(model).forward).parameters or getattr(
        model.config, "is_encoder_decoder", False
    ):
        raise ModelError(
            f"{name} ({model.config.model_type}) is not a decoder with a key-value cache; serve it instead."
        )
    return model, tokenizer


def _context_window(model: Any, name: str, asked: int | None) -> int:
    config = model.config.get_text_config(decoder=True)
    limits = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    own = next((int(value) for limit in limits if isinstance(value := getattr(config, limit, None), int)), None)
    if own and asked and asked > own:
        raise ModelError(f"A context window of {asked} tokens was asked for, but {name} has {own}.")
    return asked or own or 2048


def _end_tokens(model: Any, tokenizer: Any, end_of_turn: tuple[int, ...]) -> frozenset[int]:
    """Return the ids that end an answer: by the configurations, and by what the chat template puts after one."""
    declared = [model.generation_config.eos_token_id, model.config.eos_token_id, tokenizer.eos_token_id]
    ends = {
        token for value in declared if value is not None for token in (value if isinstance(value, list) else [value])
    }
    special = set(tokenizer.all_special_ids) | {
        number for number, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    return frozenset(ends | {token for token in end_of_turn[:1] if token in special})
