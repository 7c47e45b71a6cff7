"""Sentences as a person would mark them, on texts that mislead a naive splitter; and what holds for every text."""

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking import sentences
from tests.chunking.documents import lines
from tests.timing import grows_linearly


def split(text):
    return [text[start:end] for start, end in sentences(text)]


# In each text "⏐" marks every place where a sentence ends before the end of the text.
MARKED = """
The Court relied on Art. 6 § 1 of the Convention.⏐ It found no violation.
See Soering v. the United Kingdom, no. 4143/02, § 53, ECHR 2004-X, and Arts. 8 and 13.⏐ That case differs.
The applicant, Mr J. B. Smith, met Dr. Rossi and Prof. dr. Meier.⏐ He spoke first.
Ms Š. Stažnik and U. Muhr appeared.⏐ The Agent did not.
Everyone is heard (see R. v. Black, 1971, pp. 12 et seq., para. 4).⏐ This is settled.
Nos. 5 and 6 are joined.⏐ No. 7 is not.⏐ He said no.⏐ Nothing followed.
The measure was in force for 5 min.⏐ Then it lapsed.
Section 5. Liability of the seller.⏐ The seller is liable.
§ 12. Haftung.⏐ Der Verkäufer haftet nach § 13.⏐ Das Gesetz gilt.
Nach Art. 12 Abs. 2 S. 1 Nr. 5 BGB, vgl. Rn. 7, gilt d.h. z.B. nichts anderes.⏐ Das ist h. M.
Am 3. Mai 2020 um 10.30 Uhr tagte der 2. Senat.⏐ Im 19. Jahrhundert war das anders.
Das kostet 5 Mio. Euro bzw. 3,50 EUR usw. im Jahr.⏐ Mehr nicht.
L'art. 12, n. 3, c.p.c. si applica, cfr. Cass. n. 8/2019, pag. 5, ecc.⏐ Il giudice decide.
Il sig. Bianchi rispose: «Va bene.»⏐ Partì subito.
M. Dupont et Mme. Durand, cf. p. 12, ont gagné.⏐ Ils sont partis.
See Fig. 3 and Tab. 2.⏐ Leave approx. 5 mm free, max. 7 mm.⏐ Use screws M4.
Fig. A shows the valve.⏐ Remove the cap.⏐ A ring stays behind.
Figure 3. Wiring diagram.⏐ The cable is red.
The supply is 5 V DC.⏐ Model A-200 needs more.⏐ The circuit has a 16 A breaker.⏐ It is protected by 16 A.⏐ Use a cable.
Install v1.2.3.⏐ Then open https://www.example.com/a.b?c=d.⏐ Write to info@example.com.⏐ It holds 3.14 or 1.000,50.
The U.S. Government agreed.⏐ It left the U.S.⏐ The law changed at 5 p.m. that day.⏐ At 6 p.m.⏐ Guests came.
Acme Inc. and Foo Ltd. sued Bar Co. Holdings.⏐ They lost.
He said: “No.”⏐ She left.⏐ (See Fig. 3.)⏐ The end.⏐ "Stop!" he cried.⏐ Really?!⏐ Yes.
Er sagte: „Nein.“⏐ Dann ging er.⏐ »Gut.«⏐ Er blieb.
Well... maybe.⏐ Well…⏐ Then he left.⏐ The court […] held.⏐ The court (...) held.⏐ It . . . held.
Known facts.[3]⏐ More facts.[12][13]⏐ Superscript too.¹⏐ Done.
Vitamin C.⏐ The dose is small.⏐ It is the applicant's.⏐ The rest is not.
**Warning!**⏐ Do not open.⏐ _Note._⏐ Read on.
Yahoo! is a company.⏐ iPhone is a name.⏐ The end.
今天天气很好。⏐我们去公园吧！⏐你好吗？⏐“好。”⏐他说。⏐圆周率是3.14。
安全のため、電源を切ってください。⏐「行く。」と言った。⏐３．１４です。
هذا كتاب جديد.⏐ أين هو؟⏐ هنا.
यह एक किताब है।⏐ वह कहाँ है?⏐ यहाँ।
Great.⏐ 😀 Next.⏐ Done 👩‍👩‍👧.
“1. Everyone has the right to life.⏐ 2. No one shall be killed.”
Price.⏐ 5 pieces are left.⏐ Bsp. 2 zeigt es.
hello there.⏐ this is all lower case.
""".strip().split("\n")


@pytest.mark.parametrize("marked", MARKED)
def test_one_line_is_split_where_a_person_would(marked):
    assert split(marked.replace("⏐", "")) == [part.strip() for part in marked.split("⏐")]


@pytest.mark.parametrize("width", [30, 45, 60, 80])
def test_hard_wrapped_lines_end_no_sentence(width):
    text = (
        "The European Court of Human Rights held by six votes to one that there had been a violation of Article 8 of "
        "the Convention. Judge Pinto de Albuquerque dissented, because in his view the Government had not shown that "
        "the measure was necessary in a democratic society. He referred to Smith v. Jones, no. 4143/02. Nothing more "
        "was said."
    )
    wrapped = textwrap.fill(text, width)
    assert [" ".join(sentence.split()) for sentence in split(wrapped)] == split(text)
    assert len(split(text)) == 4


STRUCTURED = """# 1. Safety. Read first

Read this chapter before you lift the unit out of its carton, and keep it for the next
owner. Note the serial number.

- Tighten the nuts. Use two spanners,
  always.
- Lay the hose
* Check it

1. Press the round key. Then wait.
2. Release it.
a) first
b) second

| Code | Meaning. Cause | What to do |
| --- | --- | --- |
| E1 | Sensor broken. | Replace it. Then restart. |
a | b | c

Title
=====
The text below a title is set in lines that are about as long as this one is, roughly.

Installation
Place the unit on a level floor that carries at least 80 kg and leave some room around it.

The contract ended in the year
1998. Nobody noticed.

```
x = 1. Here
y = f(x)
```
"""


def test_structure_ends_sentences():
    assert split(STRUCTURED) == [
        "# 1. Safety. Read first",
        "Read this chapter before you lift the unit out of its carton, and keep it for the next\nowner.",
        "Note the serial number.",
        "- Tighten the nuts.",
        "Use two spanners,\n  always.",
        "- Lay the hose",
        "* Check it",
        "1. Press the round key.",
        "Then wait.",
        "2. Release it.",
        "a) first",
        "b) second",
        "| Code | Meaning. Cause | What to do |",
        "| --- | --- | --- |",
        "| E1 | Sensor broken. | Replace it. Then restart. |",
        "a | b | c",
        "Title\n=====",
        "The text below a title is set in lines that are about as long as this one is, roughly.",
        "Installation",
        "Place the unit on a level floor that carries at least 80 kg and leave some room around it.",
        "The contract ended in the year\n1998.",
        "Nobody noticed.",
        "```",
        "x = 1. Here",
        "y = f(x)",
        "```",
    ]


texts = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.one_of(lines, st.sampled_from(["\n", ". ", "...", " ! ", "。", "”", "(", "- ", "\u00a0", "```\n"])),
        max_size=12,
    ).map("".join),
)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_spans_are_stripped_in_order_and_cover_every_character_that_is_not_white_space(text):
    spans = sentences(text)
    position = 0
    for start, end in spans:
        assert start >= position
        assert start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\n", "\u3000\u2028"])
def test_blank_text_has_no_sentences(text):
    assert sentences(text) == []


@pytest.mark.parametrize(
    "pattern",
    [
        ".",
        ". ",
        "a.",
        "a. ",
        'A."',
        ".[1]",
        ".(",
        "x. (",
        "|",
        "1. \n",
        "\n",
        " ",
        "a",
        "- \n",
        "Ab. Cd",
        "no. 5 ",
        "。",
    ],
)
def test_time_is_linear_in_the_length_of_hostile_repetitions(pattern):
    assert grows_linearly(lambda length: sentences(pattern * (length // len(pattern))), 20_000, 320_000)


def test_a_terminator_that_ends_nothing_does_not_look_further_than_it_must():
    assert len(sentences("It ended. " + "(" * 1_000)) == 2
    assert grows_linearly(lambda length: sentences("It ended. " + "(" * length), 50_000, 800_000)
