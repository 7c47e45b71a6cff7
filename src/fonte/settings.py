"""The one settings tree: defaults < corpus `fonte.toml` < user's `fonte.toml` < environment < flags.

A corpus may come from somebody else. So the `fonte.toml` inside it is read for the sections of `CORPUS_SECTIONS` only;
what names endpoints, keys, models or code is taken from the user's own file, environment or flags.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as UnreadableVariableError

from fonte.errors import SettingsError

CORPUS_SECTIONS = ("chunking", "chop", "retrieval", "generation", "records")
DEFAULT_EMBEDDER = "all-minilm-l6-v2"
DEFAULT_LANGUAGE_MODEL = "smollm2-135m-instruct"


class Section(BaseModel):
    """A frozen group of settings; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ChunkingSettings(Section):
    """How documents are cut. Token counts are those of the embedder's own tokenizer.

    `tokens` None means: as many as fit the embedder's window beside the context. `context` puts title and heading
    path before the embedded, indexed and prompted text (never into `chunk.text`). `overlap` is used by `fixed`,
    `threshold` (cosine similarity below which a new chunk starts; CHOP's second baseline has .35) by `cosine`. `chop`
    cuts as `heading` does and signs the chunks, see `ChopSettings`.
    """

    chunker: Literal["heading", "fixed", "cosine", "chop"] = "heading"
    tokens: int | None = Field(default=None, ge=16)
    overlap: int = Field(default=0, ge=0)
    threshold: float = Field(default=0.35, ge=-1, le=1)
    context: bool = True


class ChopSettings(Section):
    """How chunks are signed where `chunking.chunker` is `chop`.

    Recipe `cascade` decides for free what it can; `faithful` is CHOP as published, which asks a language model about
    every gap. `schema_name` says which fields a signature has: category, nouns and model of a `product`, court, parties
    and article (`legal`), service, operation and version (`api`); `leave_out` names fields that are not wanted.
    `nouns` adds the two words that tell a topic from the others of its document (product only): good for a search by
    vectors alone, without effect on the hybrid one.
    `max_model_calls` bounds the calls to the language model of one run (0: none is asked). `streams`: a file that
    is several documents becomes those documents. `reserve` tokens of the embedder's window are kept for the signature.
    `slope` and `shift` calibrate how probable another document is: p = 1 / (1 + exp(-(slope * odds + shift))); `fonte
    calibrate` fits them to a person's own files.
    """

    recipe: Literal["cascade", "faithful"] = "cascade"
    schema_name: Literal["product", "legal", "api"] = "product"
    leave_out: tuple[str, ...] = ()
    nouns: bool = False
    max_model_calls: int = Field(default=0, ge=0)
    streams: bool = True
    reserve: int = Field(default=32, ge=8)
    slope: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    shift: float = Field(default=0.0, allow_inf_nan=False)


class EmbedderSettings(Section):
    """Which embedder: a downloaded model's name, a folder, or a hub id. `window` in tokens overrides the model's.

    `dtype` is the number format it computes in; bfloat16 is faster on processors that multiply it, and moves cosines
    by less than .01, so an index made in one format is searched in the other.
    """

    model: str = DEFAULT_EMBEDDER
    window: int | None = Field(default=None, ge=16)
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "float32"
    batch_size: int = Field(default=32, ge=1)
    threads: int | None = Field(default=None, ge=1)


class RerankerSettings(Section):
    """Which cross-encoder re-ranks what retrieval found; None: the one trained for the corpus, if there is one.

    With `trained` False a corpus's trained re-ranker is not used, and the order of retrieval stays. `dtype` `int8`
    (extra `onnx`) computes in eight bits on the CPU: about twice as fast, in almost the same order.
    """

    model: str | None = None
    trained: bool = True
    dtype: Literal["float32", "int8"] = "float32"
    batch_size: int = Field(default=16, ge=1)


class LanguageModelSettings(Section):
    """Which language model answers: a downloaded model's name, a folder, a GGUF file or a hub id; or a server.

    With `endpoint` (the base URL of an OpenAI-compatible API, such as `http://localhost:8000/v1`) `model` is the
    server's name for the model. With `trained`, a model that was trained from this one for a corpus stands in its place
    there. `timeout` is in seconds, per attempt; `retries` counts attempts after the first.
    """

    model: str = DEFAULT_LANGUAGE_MODEL
    trained: bool = True
    endpoint: str | None = None
    api_key: SecretStr | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: str = "auto"
    threads: int | None = Field(default=None, ge=1)
    context_window: int | None = Field(default=None, ge=128)
    timeout: float = Field(default=60.0, gt=0)
    retries: int = Field(default=3, ge=0, le=20)


class RetrievalSettings(Section):
    """How passages are found. `candidates` per index are fused by reciprocal rank with constant `rank_constant`."""

    candidates: int = Field(default=50, ge=1, le=1000)
    passages: int = Field(default=10, ge=1, le=200)
    rank_constant: int = Field(default=60, ge=1)
    mode: Literal["hybrid", "dense", "lexical"] = "hybrid"


class GenerationSettings(Section):
    """How answers are written. `auto` takes `quote` or `write` by the language model's probe."""

    mode: Literal["auto", "quote", "write"] = "auto"
    max_tokens: int = Field(default=300, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int = 0


class RecordsSettings(Section):
    """Whether answers are recorded for replay, and for how many days; `keep_days` None keeps them until purged."""

    enabled: bool = True
    keep_days: int | None = Field(default=None, ge=1)


class ServingSettings(Section):
    """How `fonte serve` answers the network.

    `hosts` are names under which the server may be addressed, beside loopback and `host` itself; `origins` are web
    pages elsewhere (`https://app.example.org`) whose scripts may use it, none by default. At most `queue` requests wait
    for a model; `answers_at_once` holds for a model behind an endpoint, a local one answers one at a time.
    `body_bytes` and `upload_bytes` bound what a request may carry, `request_seconds` how long it may take to arrive
    and `answer_seconds` how long an answer may take. `uploads` False refuses every change of the documents. `support`
    names the model that judges whether passages support an answer; None: by quotes, without a model.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    queue: int = Field(default=256, ge=1)
    answers_at_once: int = Field(default=64, ge=1, le=1000)
    body_bytes: int = Field(default=2_000_000, ge=1000)
    upload_bytes: int = Field(default=50_000_000, ge=1000)
    request_seconds: float = Field(default=60.0, gt=0)
    answer_seconds: float = Field(default=300.0, gt=0)
    uploads: bool = True
    support: str | None = None


class Settings(BaseSettings):
    """All settings. `Settings.load` reads every source; constructing it directly reads the environment only."""

    model_config = SettingsConfigDict(env_prefix="FONTE_", env_nested_delimiter="__", frozen=True, extra="forbid")

    chunking: ChunkingSettings = ChunkingSettings()
    chop: ChopSettings = ChopSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    language_model: LanguageModelSettings = LanguageModelSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    generation: GenerationSettings = GenerationSettings()
    records: RecordsSettings = RecordsSettings()
    serving: ServingSettings = ServingSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the files that `load` passes in; `.env` files are never read."""
        return env_settings, init_settings

    @classmethod
    def load(cls, corpus: Path | None = None, flags: Mapping[str, Any] | None = None) -> Settings:
        """Read every source in order of strength.

        `corpus` is the corpus folder (its `fonte.toml` is optional), `flags` a nested mapping of what the command line
        set, such as `{"generation": {"mode": "quote"}}`; None values count as not set. Errors: `SettingsError` with
        the file or variable, the key and what is allowed.
        """
        trusted = _read_toml(user_config_path())
        received = _corpus_sections(corpus / "fonte.toml") if corpus else {}
        try:
            environment = cls(**_merge(received, trusted)).model_dump()
            return cls.model_construct(None, **_sections(cls, _merge(environment, flags or {})))
        except ValidationError as error:
            raise SettingsError(_explain(error)) from None
        except UnreadableVariableError as error:
            raise SettingsError(f"A FONTE_… variable of the environment is not valid JSON: {error}.") from None


def user_config_path() -> Path:
    """Return the user's own settings file: `$FONTE_CONFIG`, else `fonte.toml` in the user's configuration folder."""
    if chosen := os.environ.get("FONTE_CONFIG"):
        return Path(chosen)
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or str(Path.home() / ".config")
    return Path(base) / "fonte" / "fonte.toml"


def refused_corpus_keys(corpus: Path) -> tuple[str, ...]:
    """Return the sections of the corpus's `fonte.toml` that are not read, because a corpus may not decide them."""
    return tuple(sorted(set(_read_toml(corpus / "fonte.toml")) - set(CORPUS_SECTIONS)))


def _sections(cls: type[Settings], values: Mapping[str, Any]) -> dict[str, Section]:
    unknown = set(values) - set(cls.model_fields)
    if unknown:
        raise SettingsError(f"Unknown settings {sorted(unknown)}. There are: {', '.join(cls.model_fields)}.")
    return {name: type(info.default).model_validate(values[name]) for name, info in cls.model_fields.items()}


def _corpus_sections(path: Path) -> dict[str, Any]:
    return {key: value for key, value in _read_toml(path).items() if key in CORPUS_SECTIONS}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"Cannot read the settings file {path}: {error}. Correct it or move it away.") from None


def _merge(weak: Mapping[str, Any], strong: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(weak)
    for key, value in strong.items():
        if isinstance(value, Mapping):
            below = merged.get(key)
            merged[key] = _merge(below if isinstance(below, Mapping) else {}, value)
        elif value is not None:
            merged[key] = value
    return merged


def _explain(error: ValidationError) -> str:
    lines = [f"  {'.'.join(map(str, item['loc']))}{_shown(item)}: {item['msg']}" for item in error.errors()]
    advice = "Correct them in fonte.toml, environment (FONTE_…) or flags."
    return "\n".join(["Settings are not valid:", *lines, advice])


def _shown(item: ErrorDetails) -> str:
    """Return what was given, unless it may be a key under whatever name: a misspelt one is still secret."""
    if item["type"] == "extra_forbidden" or "api_key" in item["loc"] or isinstance(item["input"], Mapping):
        return ""
    return f" = {item['input']!r}"
