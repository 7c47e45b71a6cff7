"""Documents for the chunkers: built from parts, so that every block is known."""

from __future__ import annotations

from hypothesis import strategies as st

from fonte.values import Block, Document

TEXT = """the unit heats in winter press round key valve Art. 6 § 1 v. no. 4143/02 5 V DC. Model A-200 3.14
approx. 5 mm Gericht Verkäufer macchina perché naïve cafe\u0301 هذا كتاب؟ مرحبا
今天天气很好。 我们去公园吧！ 安全のため、電源を切ってください。
यह क्षत्रिय है। 한국어 ᄒ\u1161\u11ab 👩\u200d👩\u200d👧 🇮🇹🇩🇪 👍🏽
z\u0351\u0348\u0355a\u0310\u0301l\u0328go \u202eabc\u202c x\u200by \x07 \ufeff
https://www.example.com/a.b?c=d aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQgYW5kIGl0IGlzIGxvbmcgZW5vdWdo | - 1. #"""
WORDS = TEXT.split()

lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
anything = st.text(max_size=300)
kinds = st.sampled_from(["heading", "paragraph", "paragraph", "list_item", "table_row", "table_row", "code"])
separators = st.sampled_from(["\n\n", "\n", "\n \n", "   ", "\n\n\n\n"])
headers = st.sampled_from(["", "Code | Meaning | What to do", "A | B", "Column | " * 40])
parts = st.lists(
    st.tuples(kinds, st.one_of(lines, lines, anything), separators, headers, st.integers(1, 4)), max_size=14
)


@st.composite
def documents(draw: st.DrawFn, name: str = "manual.md") -> Document:
    """Draw a document with blocks of all kinds, sometimes repeated, sometimes with blocks missing or none at all."""
    drawn = draw(parts) * draw(st.sampled_from([1, 1, 1, 2]))
    blocks = draw(st.sampled_from(["all", "all", "some", "none"]))
    title = draw(st.sampled_from(["", "Ventalba 250", "A very long title " * 12, "Line\nbreak"]))
    return build(drawn, name, title, blocks)


def build(drawn, name="manual.md", title="", blocks="all") -> Document:
    text, found, path = "", [], ()
    for index, (kind, part, separator, header, level) in enumerate(drawn):
        if kind == "heading":
            path = (*path[: level - 1], " ".join(part.split()))
        start = len(text)
        text += part
        if part.strip() and (blocks == "all" or (blocks == "some" and index % 3)):
            found.append(Block(start, len(text), kind, path, header if kind == "table_row" else ""))
        text += separator
    return Document(f"/corpus/{name}", name, title, text, "md", "test-reader", tuple(found))


def paragraphs(*texts: str, **more) -> Document:
    return build([("paragraph", text, "\n\n", "", 1) for text in texts], **more)
