"""Rebuild the PDF and DOCX sample documents from their text sources.

Every file in ``examples/sources/`` is Markdown with a small front matter whose
``output`` key says which document it becomes. The results are committed, so
only someone who edits a source needs this script::

    pip install reportlab python-docx
    python examples/make_documents.py

The output is reproducible: the same sources give the same bytes (for the same
versions of the two libraries).
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from docx import Document
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
DOCUMENTS = HERE / "documents"

SOFT_HYPHEN = "\u00ad"

# Where a long word may be broken at the end of a PDF line.
BREAKS = """
ac-cu-ra-cy ca-pac-i-tors car-tridge cer-ti-fied cir-cuit clean-ing com-pres-sor con-den-sate con-duc-tors
con-nected de-con-tam-i-na-tion de-livered de-liv-ery de-vi-a-tion dif-fer-ence dis-play down-stream
elec-tri-cal ex-ceed ex-plo-sive fac-tory hous-ing in-de-pen-dent-ly in-door in-fu-sion in-spec-tion
in-stal-la-tion in-sulated in-tended in-ten-sive li-brary lim-ited main-te-nance ma-son-ry ma-chine
ma-te-ri-al min-utes ni-tro-gen op-er-a-tion out-door pa-tient phar-ma-cy pres-sure pro-grammed pro-tect-ed
pro-vid-ed re-frig-er-ant re-frig-er-a-tion re-mote re-placed sen-sor ser-vice skirt-ing so-di-um so-lu-tion
start-ing tech-ni-cian tem-per-a-ture un-der ver-ti-cal vol-ume war-ran-ty with-out work-man-ship work-shop
""".split()  # noqa: SIM905 - a list of them is one line of 900 characters
HYPHENATION = {word.replace("-", ""): word.replace("-", SOFT_HYPHEN) for word in BREAKS}


@dataclass
class Block:
    """One block of a source: a heading, paragraph, list item or table."""

    kind: str
    text: str = ""
    rows: list[list[str]] = field(default_factory=list)


def split_front_matter(source: str) -> tuple[dict[str, str], str]:
    """Return the front matter as a dictionary, and the text after it."""
    _, head, body = source.split("---\n", 2)
    pairs = (line.split(": ", 1) for line in head.splitlines())
    return {key: value.strip('"') for key, value in pairs}, body


def table_cells(line: str) -> list[str]:
    """Return the cells of one Markdown table line."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def parse_line(line: str) -> Block:
    """Return the block that one line outside a table stands for."""
    patterns = {
        "title": r"# (.*)",
        "heading1": r"## (.*)",
        "heading2": r"### (.*)",
        "bullet": r"- (.*)",
        "number": r"\d+\. (.*)",
        "paragraph": r"(.*)",
    }
    for kind, pattern in patterns.items():
        if match := re.fullmatch(pattern, line):
            return Block(kind, match.group(1))
    raise ValueError(f"not a line of a source: {line!r}")


def parse_blocks(body: str) -> list[Block]:
    """Return the blocks of a source; a paragraph is always a single line."""
    blocks: list[Block] = []
    for line in filter(None, body.splitlines()):
        if not line.startswith("|"):
            blocks.append(parse_line(line))
            continue
        if not blocks or blocks[-1].kind != "table":
            blocks.append(Block("table"))
        if not set(line) <= set("|- "):
            blocks[-1].rows.append(table_cells(line))
    return blocks


def hyphenate(text: str) -> str:
    """Put soft hyphens into the words of ``text`` that the list above knows."""
    return re.sub(r"[a-z]+", lambda m: HYPHENATION.get(m.group(), m.group()), text)


def pdf_styles() -> dict[str, ParagraphStyle]:
    """Return the paragraph style of every kind of block."""
    base = ParagraphStyle("paragraph", fontName="Times-Roman", fontSize=9, leading=11.3)
    body = {"alignment": TA_JUSTIFY, "spaceAfter": 4}
    bold = {"fontName": "Helvetica-Bold", "keepWithNext": 1}
    item = body | {"leftIndent": 12, "bulletIndent": 2, "spaceAfter": 2}
    specs = {
        "paragraph": body,
        "title": bold | {"fontSize": 16, "leading": 20, "spaceAfter": 6},
        "heading1": bold | {"fontSize": 11, "leading": 14, "spaceBefore": 7, "spaceAfter": 3},
        "heading2": bold | {"spaceBefore": 3, "spaceAfter": 2},
        "bullet": item,
        "number": item,
        "cell": {"fontSize": 8, "leading": 9.5},
        "head": {"fontName": "Times-Bold", "fontSize": 8, "leading": 9.5},
    }
    return {kind: ParagraphStyle(kind, base, **spec) for kind, spec in specs.items()}


def column_widths(columns: int, width: float) -> list[float]:
    """Return the widths of a table's columns; a long text column gets the most."""
    shares = {2: (6, 4), 3: (2, 5, 6), 4: (1.2, 1.4, 4.5, 5)}[columns]
    return [width * share / sum(shares) for share in shares]


def pdf_table(rows: list[list[str]], styles: dict, width: float) -> Table:
    """Return a ruled table whose first row is its heading."""
    head, *rest = rows
    cells = [[Paragraph(cell, styles["head"]) for cell in head]]
    cells += [[Paragraph(cell, styles["cell"]) for cell in row] for row in rest]
    rules = [
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
        ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    ]
    widths = column_widths(len(head), width)
    return Table(cells, colWidths=widths, style=TableStyle(rules), repeatRows=1)


def pdf_flowables(blocks: list[Block], width: float) -> list:
    """Return what reportlab lays out for the blocks."""
    styles = pdf_styles()
    flowables, number = [], 0
    for block in blocks:
        number = number + 1 if block.kind == "number" else 0
        if block.kind == "table":
            flowables += [pdf_table(block.rows, styles, width), Spacer(1, 5)]
            continue
        bullet = {"bullet": "\u2022", "number": f"{number}."}.get(block.kind)
        text = block.text if block.kind == "title" else hyphenate(block.text)
        flowables.append(Paragraph(text, styles[block.kind], bulletText=bullet))
    return flowables


def running_lines(meta: dict[str, str]):
    """Return the function that draws the header and footer of a page."""

    def draw(canvas, template) -> None:
        width, height = template.pagesize
        left, right = template.leftMargin, width - template.rightMargin
        canvas.saveState()
        canvas.setFont("Helvetica", 7)
        canvas.drawString(left, height - 11 * mm, meta["model"])
        canvas.drawRightString(right, height - 11 * mm, meta["kind"])
        canvas.line(left, height - 12.5 * mm, right, height - 12.5 * mm)
        canvas.drawString(left, 9 * mm, f"Revision {meta['revision']}")
        canvas.drawRightString(right, 9 * mm, f"Page {template.page}")
        canvas.restoreState()

    return draw


def write_pdf(meta: dict[str, str], blocks: list[Block], target: Path) -> None:
    """Write the blocks as an A5 booklet."""
    rl_config.invariant = 1
    template = SimpleDocTemplate(
        str(target),
        pagesize=A5,
        invariant=1,
        title=meta["title"],
        author="The fonte authors",
        leftMargin=16 * mm,
        rightMargin=16 * mm,
        topMargin=17 * mm,
        bottomMargin=16 * mm,
    )
    draw = running_lines(meta)
    flowables = pdf_flowables(blocks, template.width)
    template.build(flowables, onFirstPage=draw, onLaterPages=draw)


def set_properties(document, meta: dict[str, str]) -> None:
    """Fill the core properties, with fixed dates, and the running header."""
    day = datetime.datetime.fromisoformat(meta["date"])
    properties = document.core_properties
    properties.title = meta["title"]
    properties.author = properties.last_modified_by = "The fonte authors"
    properties.comments = ""
    properties.created = properties.modified = day
    properties.revision = 1
    header = document.sections[0].header.paragraphs[0]
    header.text = f"{meta['model']}\t\t{meta['kind']}"


def add_docx_table(document, rows: list[list[str]]) -> None:
    """Append a table with a bold first row."""
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    for cell in table.rows[0].cells:
        cell.paragraphs[0].runs[0].bold = True


def add_docx_block(document, block: Block) -> None:
    """Append one block to the document."""
    named = {
        "title": "Title",
        "heading1": "Heading 1",
        "heading2": "Heading 2",
        "bullet": "List Bullet",
        "number": "List Number",
        "paragraph": "Normal",
    }
    if block.kind == "table":
        add_docx_table(document, block.rows)
    else:
        document.add_paragraph(block.text, style=named[block.kind])


def with_fixed_times(archive: bytes) -> bytes:
    """Return the ZIP archive with every member dated 1 January 1980."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as old,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return result.getvalue()


def write_docx(meta: dict[str, str], blocks: list[Block], target: Path) -> None:
    """Write the blocks as a document with heading styles and real tables."""
    document = Document()
    set_properties(document, meta)
    for block in blocks:
        add_docx_block(document, block)
    buffer = io.BytesIO()
    document.save(buffer)
    target.write_bytes(with_fixed_times(buffer.getvalue()))


def make_document(source: Path) -> Path:
    """Build the document of one source and return its path."""
    meta, body = split_front_matter(source.read_text(encoding="utf-8"))
    target = DOCUMENTS / meta["output"]
    writer = {".pdf": write_pdf, ".docx": write_docx}[target.suffix]
    writer(meta, parse_blocks(body), target)
    return target


def main() -> None:
    """Build every document and name it."""
    for source in sorted(SOURCES.glob("*.md")):
        print(make_document(source).relative_to(HERE))


if __name__ == "__main__":
    main()
