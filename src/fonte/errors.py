"""One error type per kind of mistake; every message says what, where, what was tried and what to do now."""

from __future__ import annotations


class FonteError(Exception):
    """Base of all errors that fonte raises on purpose; `exit_code` is what the command line returns for it."""

    exit_code = 2


class UsageError(FonteError):
    """The caller asked for something that cannot be: an option, a name, a value out of range."""


class SettingsError(UsageError):
    """A setting is unknown, of the wrong type, or may not come from where it was found."""


class MissingExtraError(UsageError):
    """A part of fonte needs a package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Say which `package` is missing and which `extra` brings it."""
        super().__init__(f"The package {package!r} is not installed. Run: pip install 'fonte[{extra}]'")


class ReadError(FonteError):
    """A file cannot be read as a document; the reason is shown to the person who added it."""

    exit_code = 3


class ModelError(FonteError):
    """A model cannot be found, loaded or trusted."""


class DownloadError(ModelError):
    """Weights cannot be fetched or do not have the expected content."""

    exit_code = 3


class EndpointError(FonteError):
    """A model server failed, timed out or answered something unusable, after the retries."""

    exit_code = 3


class ChunkingError(FonteError):
    """A chunker's settings cannot be met, for example a chunk size above the embedder's window."""


class StoreError(FonteError):
    """The index or the records cannot be opened, read or written."""

    exit_code = 3


class CorpusError(UsageError):
    """A corpus folder is missing, of another version, or does not fit the current settings."""


class RecordError(UsageError):
    """An answer record does not exist or cannot be replayed."""
