"""HTML: the visible text block by block; script, style, navigation and hidden parts are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fonte.documents.builder import TextBuilder
from fonte.documents.clean import clean, one_line
from fonte.documents.encoding import decode
from fonte.documents.metadata import flat_metadata
from fonte.documents.reading import Content, Parsed, UnreadableError

_SKIPPED = frozenset(
    """head script style template noscript nav svg math iframe object embed canvas audio video select button input
    textarea datalist dialog menu""".split()  # noqa: SIM905 - readable as a list of words
)
_BLOCKS = frozenset(
    """html body address article aside blockquote center details dd div dl dt fieldset figcaption figure footer form
    header hgroup hr legend li main ol p pre section summary table caption thead tbody tfoot tr td th ul
    option""".split()  # noqa: SIM905
)
_NOT_NESTING = frozenset(
    """p li dt dd tr td th thead tbody tfoot colgroup option optgroup area base br col embed hr img input link meta
    source track wbr html head body""".split()  # noqa: SIM905
)
_NESTING_TAG, _DEEPEST = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)"), 5_000
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_KINDS = {"li": "list_item", "pre": "code"}
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\f\r]+")
_AROUND_BREAK = re.compile(r" *\n *")
_NAMES = (
    "author",
    "description",
    "keywords",
    "date",
    "subject",
    "generator",
    "version",
    "dc.title",
    "dc.creator",
    "dc.date",
)


def read(data: bytes) -> Parsed:
    """Read HTML; `<title>` is the title, `<meta name content>` and `<html lang>` become metadata."""
    match = _DECLARED.search(data[:4096])
    decoded = decode(data, match[1].decode("ascii") if match else None)
    text = clean(decoded.text)
    _check_depth(text)
    parser = LexborHTMLParser(text)
    builder = TextBuilder()
    if parser.root is not None:
        _Walk(builder).run(parser.root)
    title = parser.css_first("head title")
    return Parsed(
        (
            Content(
                builder.text,
                tuple(builder.blocks),
                title=one_line(title.text()) if title else "",
                metadata=_metadata(parser) | decoded.metadata,
            ),
        )
    )


def _check_depth(text: str) -> None:
    """Refuse a page that would take the parser, whose time grows with the square of the depth, minutes or hours."""
    if text.count("<") <= _DEEPEST:
        return
    depth = 0
    for closing, name in _NESTING_TAG.findall(text):
        if name.lower() not in _NOT_NESTING:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > _DEEPEST:
                raise UnreadableError(f"More than {_DEEPEST} elements inside one another: not a page to be read.")


def _metadata(parser: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    language = parser.root.attributes.get("lang") if parser.root is not None else None
    for node in parser.css("meta[name][content]"):
        name, content = node.attributes.get("name") or "", node.attributes.get("content") or ""
        if name.lower() in _NAMES:
            found.setdefault(name.lower(), content)
    return flat_metadata(({"language": language} if language else {}) | found)


class _Walk:
    """One pass over the tree, without recursion: nesting may be as deep as the file likes."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._line: list[str] = []
        self._kinds: list[str] = []
        self._preserved = 0

    def run(self, root: LexborNode) -> None:
        """Walk everything below `root`."""
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, left = stack.pop()
            if left:
                self._leave(node.tag or "")
                continue
            child = self._enter(node)
            following = node.next
            if following is not None:
                stack.append((following, False))
            if child is not None:
                stack.append((node, True))
                stack.append((child, False))

    def _enter(self, node: LexborNode) -> LexborNode | None:
        """Take in what opens here; return the first child if the walk goes down."""
        tag = node.tag or ""
        if tag == "-text":
            self._line.append(self._space(node.text_content or ""))
        elif tag == "br":
            self._line.append("\n")
        elif tag in _SKIPPED or tag.startswith(("-", "!")) or _hidden(node):
            return None
        elif tag in _HEADINGS:
            self._flush()
            self._builder.heading(_inline(node), _HEADINGS[tag])
        elif tag == "table" and _is_data(node):
            self._flush()
            self._table(node)
        else:
            return self._open(node, tag)
        return None

    def _open(self, node: LexborNode, tag: str) -> LexborNode | None:
        if tag in _BLOCKS:
            self._flush()
        if node.child is None:
            return None
        if tag in _KINDS:
            self._kinds.append(_KINDS[tag])
            self._preserved += tag == "pre"
        return node.child

    def _leave(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._flush()
        if tag in _KINDS:
            self._kinds.pop()
            self._preserved -= tag == "pre"

    def _space(self, text: str) -> str:
        return text if self._preserved else _SPACES.sub(" ", text)

    def _flush(self) -> None:
        """Close the block that the text so far belongs to."""
        if not self._line:
            return
        text = "".join(self._line)
        self._line.clear()
        kind = self._kinds[-1] if self._kinds else "paragraph"
        self._builder.add(text.strip("\n") if self._preserved else _folded(text), kind)

    def _table(self, table: LexborNode) -> None:
        rows = list(_rows(table))
        for caption in table.css("caption"):
            self._builder.add(_inline(caption))
        has_header = bool(rows) and all(cell.tag == "th" for cell in rows[0])
        has_header = has_header or (bool(rows) and _parent_tag(rows[0][0], 2) == "thead")
        self._builder.table([[_inline(cell) for cell in row] for row in rows], has_header=has_header)


def _hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes
        or attributes.get("role") == "navigation"
        or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None
    )


def _is_data(table: LexborNode) -> bool:
    """Tell a table of values from one that only lays out a page: headings, lists or tables inside make it a layout."""
    return table.css_first("tr") is not None and table.css_first("table table, h1, h2, h3, h4, ul, ol, pre") is None


def _rows(table: LexborNode) -> Iterator[list[LexborNode]]:
    for row in table.css("tr"):
        if cells := [cell for cell in row.iter() if cell.tag in ("td", "th")]:
            yield cells


def _parent_tag(node: LexborNode, steps: int) -> str:
    for _ in range(steps):
        if node.parent is None:
            return ""
        node = node.parent
    return node.tag or ""


def _inline(node: LexborNode) -> str:
    """Return the visible text below `node` on lines as `<br>` and inner blocks ask for."""
    parts: list[str] = []
    stack = [node.child] if node.child is not None else []
    while stack:
        current = stack.pop()
        if current.next is not None:
            stack.append(current.next)
        tag = current.tag or ""
        if tag == "-text":
            parts.append(_SPACES.sub(" ", current.text_content or ""))
        elif tag == "br":
            parts.append("\n")
        elif tag not in _SKIPPED and not tag.startswith(("-", "!")) and not _hidden(current):
            parts.append(" " if tag in _BLOCKS else "")
            if current.child is not None:
                stack.append(current.child)
    return _folded("".join(parts))


def _folded(text: str) -> str:
    return _AROUND_BREAK.sub("\n", re.sub(" {2,}", " ", text)).strip(" \n")
