"""The one place that decides what goes before a chunk's text where it is embedded, indexed or prompted."""

from __future__ import annotations

from collections.abc import Iterator

from fonte.values import Chunk

TEXT_VERSION = 1  # stored with every row: a change here changes every vector


def embedded_text(chunk: Chunk) -> str:
    """Return the text that is embedded: signature, title and heading path, table header, then the chunk's text.

    Each of the first three is one line and left out where it is empty, so a chunk without them gives `chunk.text`.
    """
    return "\n".join([*_identity(chunk, signature_line(chunk)), chunk.text])


def keyword_text(chunk: Chunk) -> str:
    """Return the text that the keyword index sees: as embedded, but with the signature's values only.

    Field names such as "category" would be words that every chunk has.
    """
    values = " ".join(_one_line(value) for _, value in chunk.signature.fields)
    return "\n".join([*_identity(chunk, values), chunk.text])


def prompt_signature(chunk: Chunk) -> str:
    """Return the identity lines that stand before the passage's text in a prompt, each with its newline; may be ""."""
    return "".join(f"{line}\n" for line in _identity(chunk, signature_line(chunk)))


def signature_line(chunk: Chunk) -> str:
    """Return the signature as one line, `[category: heat pump | model: 250]`, or "" where nothing is known."""
    pairs = [f"{_one_line(name)}: {_one_line(value)}" for name, value in chunk.signature.fields if _one_line(value)]
    return f"[{' | '.join(pairs)}]" if pairs else ""


def _identity(chunk: Chunk, signature: str) -> Iterator[str]:
    """Yield the lines before the text; a document cannot forge one, because each is reduced to a single line."""
    for line in (signature, _breadcrumb(chunk), _one_line(chunk.header)):
        if line:
            yield line


def _breadcrumb(chunk: Chunk) -> str:
    """Return title and heading path as one line, without repeating what the entry before or the text says already."""
    first_line = _key(chunk.text.lstrip().split("\n", 1)[0])
    entries: list[str] = []
    for entry in map(_one_line, (chunk.title, *chunk.heading)):
        repeated = entries and _key(entries[-1]) == _key(entry)
        if entry and not repeated and _key(entry) != first_line:
            entries.append(entry)
    return " > ".join(entries)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _key(text: str) -> str:
    return _one_line(text).strip("#*_= ").casefold()
