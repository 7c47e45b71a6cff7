"""Chunks along the headings, checked on a manual whose right chunks are plain to see."""

import pytest

from fonte.chunking import chunker_from, embedded_text
from fonte.settings import ChunkingSettings
from fonte.values import Block, Document
from tests.chunking.documents import build, paragraphs
from tests.chunking.toy_embedder import ToyEmbedder

SENTENCE = "The unit heats in winter, cools in summer and dries the air. "  # 14 tokens
HEADER = "Code | Meaning | What to do"


def chunks(document, window=200, **setting):
    return chunker_from(ChunkingSettings(**setting), ToyEmbedder(window)).chunk([document])


def manual(*parts, title="Ventalba 250"):
    """Build a document from `(kind, text, level or header)`."""
    return build(
        [
            (kind, text, "\n\n", more if isinstance(more, str) else "", more if isinstance(more, int) else 1)
            for kind, text, more in parts
        ],
        title=title,
    )


def test_each_section_is_a_chunk_under_its_heading():
    body = (SENTENCE * 8).strip()
    document = manual(
        ("heading", "Safety", 1), ("paragraph", body, 1), ("heading", "Use", 1), ("paragraph", body, 1),
        ("heading", "Night", 2), ("paragraph", body, 1), ("paragraph", body, 1),
    )  # fmt: skip
    found = chunks(document)
    assert [chunk.text.split("\n")[0] for chunk in found] == ["Safety", "Use", "Night", body]
    assert [chunk.heading for chunk in found] == [(), (), ("Use",), ("Use", "Night")]
    assert {chunk.title for chunk in found} == {"Ventalba 250"}
    assert embedded_text(found[3]).startswith("Ventalba 250 > Use > Night\nThe unit")


def test_a_small_section_joins_its_next_sibling_and_keeps_a_true_heading():
    document = manual(
        ("heading", "Installation", 1), ("heading", "Position", 2), ("paragraph", SENTENCE, 1),
        ("heading", "Cables", 2), ("paragraph", SENTENCE * 5, 1),
        ("heading", "Warranty", 1), ("paragraph", SENTENCE * 5, 1),
    )  # fmt: skip
    first, second = chunks(document)
    assert first.text.startswith("Installation\n\nPosition")
    assert "Cables" in first.text
    assert (first.heading, second.heading) == ((), ())
    assert second.text.startswith("Warranty")


def test_a_small_section_does_not_join_one_that_lies_higher_up():
    document = manual(
        ("heading", "Use", 1), ("paragraph", SENTENCE * 13, 1), ("heading", "Night", 2), ("paragraph", SENTENCE, 1),
        ("heading", "Warranty", 1), ("paragraph", SENTENCE * 5, 1),
    )  # fmt: skip
    *_, night, warranty = chunks(document)
    assert night.text.startswith("Night")
    assert night.heading == ("Use",)
    assert warranty.text.startswith("Warranty")


def test_the_last_small_section_joins_the_one_before_it_where_both_fit():
    document = manual(
        ("heading", "Use", 1), ("heading", "Day", 2), ("paragraph", SENTENCE * 6, 1),
        ("heading", "Night", 2), ("paragraph", SENTENCE, 1),
        ("heading", "Warranty", 1), ("paragraph", SENTENCE * 6, 1),
    )  # fmt: skip
    first, second = chunks(document)
    assert "Night" in first.text
    assert second.text.startswith("Warranty")


@pytest.mark.parametrize("length", range(1, 16))
def test_a_heading_is_never_parted_from_what_follows_it(length):
    parts = []
    for name in ("Safety", "Use", "Care", "Errors"):
        parts += [("heading", name, 1), ("paragraph", SENTENCE * length, 1)]
    for chunk in chunks(manual(*parts), window=120):
        assert chunk.text not in ("Safety", "Use", "Care", "Errors")
        assert chunk.text.rsplit("\n", 1)[-1] not in ("Safety", "Use", "Care", "Errors")


def test_headings_without_text_join_what_follows_and_the_last_one_what_comes_before():
    document = manual(
        ("heading", "Part", 1), ("heading", "Chapter", 2), ("heading", "Other", 1), ("paragraph", SENTENCE * 6, 1),
        ("heading", "End", 1),
    )  # fmt: skip
    (only,) = chunks(document)
    assert only.text.startswith("Part\n\nChapter\n\nOther")
    assert only.text.endswith("End")


def table(rows, header=HEADER):
    parts = [("table_row", header, ""), *(("table_row", row, header) for row in rows)]
    return [(kind, text, "\n", header, 1) for kind, text, header in parts]


def test_docling_core_266_tables_are_cut_between_rows_and_repeat_their_header():
    rows = [f"E{number} | Room sensor interrupted | Replace sensor VA-25{number:02}" for number in range(40)]
    document = build(table(rows), title="Ventalba 250")
    found = chunks(document, window=100)
    assert len(found) > 3
    assert [row for chunk in found for row in chunk.text.split("\n")] == [HEADER, *rows]
    assert [chunk.header for chunk in found] == ["", *[HEADER] * (len(found) - 1)]
    assert all(embedded_text(chunk).startswith(f"Ventalba 250\n{HEADER}\nE") for chunk in found[1:])


def test_a_row_that_fits_alone_is_whole_even_below_a_heading():
    long_row = "E1 | " + SENTENCE * 7
    document = build(
        [("heading", "Error codes and what to do about them", "\n\n", "", 1), ("table_row", long_row, "\n", "", 1)]
    )
    found = chunks(document, window=110, context=False)
    assert long_row.strip() in [chunk.text for chunk in found]


def test_a_row_above_the_budget_is_cut_between_cells_and_keeps_its_header():
    row = " | ".join(f"Room sensor {number} interrupted" for number in range(60))
    found = chunks(build(table([row])), window=100)
    assert len(found) > 3
    assert all(chunk.text.endswith("|") for chunk in found[1:-1])
    assert all(chunk.header == HEADER for chunk in found if chunk.start > len(HEADER))


def test_rows_of_two_tables_do_not_share_a_chunk_where_both_headers_are_missing():
    rows = [("table_row", f"E{number} | 5 mm", "\n", header, 1) for header in ("A | B", "C | D") for number in range(3)]
    found = chunks(build(rows))
    assert [(chunk.header, chunk.text.count("\n")) for chunk in found] == [("A | B", 2), ("C | D", 2)]


def test_a_header_that_a_reader_writes_otherwise_is_recognised_in_the_text():
    text = "|Code|Meaning|\n| --- | --- |\n|E1|Broken|"
    blocks = (Block(0, 28, "table_row"), Block(29, len(text), "table_row", (), "Code | Meaning"))
    (chunk,) = chunks(Document("/a", "a.md", "", text, "md", "r", blocks))
    assert chunk.header == ""


def test_a_long_paragraph_is_cut_between_sentences_into_parts_of_similar_length():
    found = chunks(paragraphs((SENTENCE * 15).strip()), window=200)
    assert all(chunk.text.endswith("air.") for chunk in found)
    lengths = [len(chunk.text) for chunk in found]
    assert len(found) == 2
    assert max(lengths) < 1.3 * min(lengths)


def test_code_is_cut_between_lines():
    lines = [f"value_{number} = compute(number={number})" for number in range(60)]
    document = build([("code", "\n".join(lines), "\n", "", 1)])
    found = chunks(document, window=100)
    assert len(found) > 3
    assert [line for chunk in found for line in chunk.text.split("\n")] == lines


def test_text_outside_every_block_is_not_lost():
    text = "Before.\n\nHeading\n\nInside.\n\nAfter.\n\nLast."
    blocks = (Block(9, 16, "heading", ("Heading",)), Block(18, 25, "paragraph", ("Heading",)))
    (chunk,) = chunks(Document("/a", "a.md", "", text, "md", "r", blocks))
    assert chunk.text == text


def test_small_neighbouring_blocks_share_a_chunk():
    found = chunks(paragraphs(*[SENTENCE] * 30), window=200)
    assert len(found) <= 5
    counts = ToyEmbedder().count_tokens([chunk.text for chunk in found])
    assert min(counts) >= 60


def test_a_cover_line_does_not_become_a_chunk_because_the_next_paragraph_just_does_not_fit():
    document = manual(
        ("heading", "Ventalba", 1), ("paragraph", "Manual", 1), ("heading", "Use", 2),
        ("paragraph", (SENTENCE * 14).strip(), 1),
    )  # fmt: skip
    found = chunks(document)
    assert len(found) == 2
    assert min(ToyEmbedder().count_tokens([chunk.text for chunk in found])) > 60
