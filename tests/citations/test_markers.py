"""The citation reader: what counts as a marker, what is removed, what stays, however the text is split."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.citations import Invented, Marker, MarkerReader, read_markers

LABELS = {"b4", "k2"}


def shown(text, labels=LABELS):
    """Write the result down: text as it is, markers as <b4>, removed ones as <-[z9]>."""
    parts = {str: lambda part: part, Marker: lambda part: f"<{part.label}>", Invented: lambda part: f"<-{part.text}>"}
    return "".join(parts[type(event)](event) for event in read_markers(text, labels))


def fold(events):
    joined = []
    for event in events:
        if isinstance(event, str) and joined and isinstance(joined[-1], str):
            joined[-1] += event
        else:
            joined.append(event)
    return joined


MARKERS = {
    "a [b4][k2].": "a <b4><k2>.",
    "a [b4, k2] b": "a <b4><k2> b",
    "[b4; k2]": "<b4><k2>",
    "[b4 k2] [b4 and k2] [b4 & k2]": "<b4><k2> <b4><k2> <b4><k2>",
    "【b4】［k2］": "<b4><k2>",
    "［ｂ４］": "<b4>",
    "x (b4). y (b4, k2)": "x <b4>. y <b4><k2>",
    "[ b4 ] [B4] [ B4]": "<b4> <b4> <b4>",
    "[b\u200b4]": "<b4>",
    "[[b4]] and [[b4], [k2]]": "<b4> and [<b4>, <k2>]",
    "[**b4**]": "<b4>",
    r"\[b4\] end": "<b4> end",
    "[Source: b4] [source b4] [Quelle k2]": "<b4> <b4> <k2>",
    "[b4, p. 12] [b4: section 2]": "<b4> <b4>",
    "word[b4]. **bold**[k2]": "word<b4>. **bold**<k2>",
    "[b4](http://evil.example/z9) on": "<b4> on",
    '[b4](<http://a b> "t") on': '<b4>(<http://a b> "t") on',
    "[b4](http://a/(x)/y) on": "<b4> on",
    "[b4](k2) on": "<b4><k2> on",
    "[b4](page 3)": "<b4>(page 3)",
    "[b4, z9]": "<b4><-[z9]>",
    "[b4, 2019]": "<b4><-[2019]>",
}
REMOVED = {
    "a [z9].": "a<-[z9]>.",
    "a [z9] b": "a<-[z9]> b",
    "[z9] b": "<-[z9]>b",
    "a [3], b [12].": "a<-[3]>, b<-[12]>.",
    "a [1-4] [2–5] [1..3] [b4-k2]": "a<-[1-4]><-[2–5]><-[1..3]><-[b4-k2]>",
    "a [1, 2]": "a<-[1]><-[2]>",
    "[Doc 2][doc-99][source]": "<-[Doc 2]><-[doc-99]><-[source]>",
    "[Quelle 3][Fonte: 2][来源1]": "<-[Quelle 3]><-[Fonte: 2]><-[来源1]>",
    "[z9](http://x.example) on": "<-[z9]>on",
    "[4†L1-L5]【4:0†source】": "<-[4†L1-L5]><-[4:0†source]>",
    "[0] [-1] [999999]": "<-[0]><-[-1]><-[999999]>",
    "[3, p. 12]": "<-[3, p. 12]>",
    "[３]": "<-[3]>",
    "text[3]": "text<-[3]>",
    "line [z9]\nnext": "line<-[z9]>\nnext",
}
TEXT = [
    "[sic] [Omitted] [ ] [] [...] […] [T]he [a] [x] [iv] [n]",
    "array[0] items[-1] row_[0]",
    "[^1] [2.1] [0.5, 1.5] [0, 1] [-1, 1]",
    "R v Smith [2019] UKSC 5, [1984] 1 WLR 5; [1939-1945]",
    "[see also page 3] [citation needed] [emphasis added]",
    "[Manual](http://a.example/x) (see below) (a1) (z9)",
    "`[b4]` and ``x [b4] ` y`` and `a[3]`",
    "```python\nx = a[3] # [b4]\n```",
    "~~~\n[b4]\n~~~",
    "```\nnever closed [b4]",
    "a [b4\n] b",
    "[b4",
    "[",
    "open (b4",
    "trailing space ",
    "\\alpha \\[x = y\\]",
    "日本語「引用」と括弧（注）",
]


@pytest.mark.parametrize(("text", "expected"), [*MARKERS.items(), *REMOVED.items()])
def test_markers_and_attempts(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize("text", TEXT)
def test_ordinary_text_stays_as_it_is(text):
    assert read_markers(text, LABELS) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n[b4]\n```\n[b4]", "```\n[b4]\n```\n<b4>"),
        ("```b4 [b4]``` then [b4]", "```b4 [b4]``` then <b4>"),
        ("a 5` hose [b4]\nnext [k2]", "a 5` hose <b4>\nnext <k2>"),
        ("`` ` [b4]", "`` ` <b4>"),
        ("- item\n    ```\n    [b4]\n    ```\n- [k2]", "- item\n    ```\n    [b4]\n    ```\n- <k2>"),
    ],
)
def test_code_is_left_alone_and_a_stray_backtick_is_no_code(text, expected):
    assert shown(text) == expected


def test_labels_of_any_case_are_the_same():
    assert read_markers("[b4]", {"B4"}) == [Marker("b4")]


def test_without_labels_every_marker_is_invented():
    assert read_markers("a [b4]", ()) == ["a", Invented("[b4]")]


PIECES = st.sampled_from(
    [
        "[b4]",
        "[k2]",
        "[z9]",
        "(b4)",
        "[1-4]",
        "[b4](http://x)",
        "```",
        "`",
        "[",
        "]",
        "【",
        "】",
        "(",
        ")",
        "\\",
        "\n",
        " ",
        "b",
        "4",
        "k2",
        ",",
        ";",
        "-",
        "~~~",
        "[[",
        "]]",
        "source",
        "é",
        "日",
        "👩‍🔧",
        "word ",
        ". ",
        "[3]",
        "[sic]",
        "\u0301",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_any_split_of_the_deltas_gives_the_batch_result(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    batch = fold(read_markers(text, LABELS))
    for bounds in ([0, *cuts, len(text)], range(len(text) + 1)):
        reader = MarkerReader(LABELS)
        events = [event for i in range(len(bounds) - 1) for event in reader.feed(text[bounds[i] : bounds[i + 1]])]
        assert fold([*events, *reader.finish()]) == batch


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_what_is_shown_while_streaming_is_never_taken_back(text):
    reader = MarkerReader(LABELS)
    so_far = []
    final = fold(read_markers(text, LABELS))
    for character in text:
        so_far = fold([*so_far, *reader.feed(character)])
        if so_far:
            assert so_far[:-1] == final[: len(so_far) - 1]
            last, same = so_far[-1], final[len(so_far) - 1]
            assert same.startswith(last) if isinstance(last, str) else same == last


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_survives(text):
    assert "".join(event for event in read_markers(text, ()) if isinstance(event, str)) is not None


def test_half_markers_do_not_leak():
    reader = MarkerReader(LABELS)
    assert reader.feed("bar [") == ["bar"]
    assert reader.feed("b") == []
    assert reader.feed("4") == []
    assert reader.feed("]") == [" ", Marker("b4")]


@pytest.mark.parametrize(
    "text",
    [
        "[" + "9" * 200_000 + "]",
        "[" * 50_000,
        "[b4](a" * 10_000,
        "`` ` " * 10_000,
        "[[b4] " * 10_000,
        "(b4" * 20_000,
        " " * 100_000 + "[z9]",
        "[" + " " * 100_000,
        "[" + "1-" * 50_000,
        "[" + "a, " * 50_000 + "]",
    ],
    ids=lambda text: text[:8],
)
def test_onyx_a_very_long_run_does_not_hang(text):
    started = time.process_time()
    read_markers(text, LABELS)
    assert time.process_time() - started < 30  # linear work takes a tenth of a second
