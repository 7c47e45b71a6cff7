"""Markdown: the text is the source itself after the front matter; markdown-it says which lines belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

import yaml
from markdown_it import MarkdownIt

from fonte.documents.builder import HeadingPath, row_text
from fonte.documents.clean import clean
from fonte.documents.encoding import decode
from fonte.documents.metadata import flat_metadata
from fonte.documents.reading import Content, Parsed
from fonte.values import Block

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LARGEST_FRONT_MATTER, _LONGEST_HEADING = 65_536, 1_000
_INLINE = MarkdownIt("commonmark")
_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n]")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_KINDS = {
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "hr": "paragraph",
    "fence": "code",
    "code_block": "code",
}


class _Part(NamedTuple):
    """Lines `[first, last)` that make one block."""

    first: int
    last: int
    kind: str
    heading: tuple[str, ...]
    header: str = ""


def read(data: bytes) -> Parsed:
    """Read Markdown; YAML front matter becomes metadata and is not part of the text."""
    decoded = decode(data)
    text, front, skipped = split_front_matter(clean(decoded.text))
    title = front.pop("title", "")
    blocks = tuple(_blocks(text, skipped))
    return Parsed((Content(text, blocks, title=title, metadata=front | decoded.metadata),))


def split_front_matter(text: str) -> tuple[str, dict[str, str], int]:
    """Return the text after the front matter, the front matter as metadata, and how many lines it took.

    Values keep their spelling (`1.10` stays `1.10`). What is not a YAML mapping between two `---` lines stays text.
    """
    match = _FRONT_MATTER.match(text[:_LARGEST_FRONT_MATTER]) if text.startswith("---") else None
    if match is None:
        return text, {}, 0
    try:
        values = yaml.load(match[1] or "{}", Loader=yaml.BaseLoader)  # builds only text, lists and mappings
    except (yaml.YAMLError, RecursionError):
        return text, {}, 0
    if not isinstance(values, Mapping):
        return text, {}, 0
    given = {key: value for key, value in values.items() if value not in ("null", "~")}
    return text[match.end() :], flat_metadata(given), match[0].count("\n")


def _blocks(text: str, skipped: int) -> Iterator[Block]:
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    for part in _cover(lines, _parts(text, lines)):
        piece = text[starts[part.first] : starts[part.last]]
        before = piece[: len(piece) - len(piece.lstrip())]
        if len(before) < len(piece):
            start, end = starts[part.first] + len(before), starts[part.first] + len(piece.rstrip())
            line = skipped + 1 + part.first + before.count("\n")
            yield Block(start, end, part.kind, part.heading, part.header, line=line)


def _parts(text: str, lines: Sequence[str]) -> Iterator[_Part]:
    parser = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table")
    parser.core.ruler.disable(["inline", "text_join"])  # only headings need their inline markup read
    headings, header, depth = HeadingPath(), "", 0
    tokens = parser.parse(text)
    for token, following in zip_longest(tokens, tokens[1:]):
        depth += (token.type == "list_item_open") - (token.type == "list_item_close")
        if token.type == "table_open":
            header = ""
        elif token.map is None:
            continue
        elif token.type == "heading_open" and following is not None:
            path = headings.enter(int(token.tag[1:]), _plain(following.content))
            yield _Part(token.map[0], token.map[1], "heading", path)
        elif token.type == "tr_open" and not header:
            yield _Part(token.map[0], token.map[1] + 1, "table_row", headings.path)  # with the rule of dashes below it
            header = _cells(lines[token.map[0]])
        elif token.type == "tr_open":
            yield _Part(token.map[0], token.map[1], "table_row", headings.path, header)
        elif kind := _KINDS.get(token.type):
            yield _Part(
                token.map[0], token.map[1], "list_item" if depth and kind == "paragraph" else kind, headings.path
            )


def _cover(lines: Sequence[str], parts: Iterator[_Part]) -> Iterator[_Part]:
    """Give the parts in order without overlap, and as paragraphs what no token covers, such as link definitions."""
    position, heading = 0, tuple[str, ...]()
    for part in parts:
        if part.first > position:
            yield _Part(position, part.first, "paragraph", heading)
        if part.last > position:
            yield part._replace(first=max(part.first, position))
            position, heading = part.last, part.heading
    if position < len(lines):
        yield _Part(position, len(lines), "paragraph", heading)


def _plain(source: str) -> str:
    """Return the words of a heading without their markup."""
    source = source[:_LONGEST_HEADING]
    if not _MARKUP.search(source):
        return source
    tokens = _INLINE.parseInline(source)
    children = [child for token in tokens for child in token.children or ()]
    return "".join(" " if token.type in ("softbreak", "hardbreak") else token.content for token in children)


def _cells(line: str) -> str:
    cells = [cell.replace("\\|", "|") for cell in _CELL_BORDER.split(line.strip().strip(">").strip())]
    return row_text(cells[1 if not cells[0].strip() else 0 :])
