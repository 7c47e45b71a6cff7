import pytest

from fonte.measures import answer_words, squad_words, visible_answer
from fonte.measures.words import contains


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Eiffel Tower!", "eiffel tower"),
        ("İSTANBUL", "istanbul"),
        ("ISPARTA", "Isparta"),
        ("ısparta", "isparta"),
        ("1,000", "1000"),
        ("1.000.000,50", "1000000.5"),
        ("2.50", "2.5"),
        ("2,5", "2.5"),
        (".5", "0.5"),
        ("U.S.A.", "USA"),
        ("don’t", "don't"),
        ("well-known", "well known"),
        ("“quoted”", "quoted"),
        ("ＡＢＣ", "abc"),
        ("café", "cafe\u0301"),
        ("ﬁle", "file"),
        ("Straße", "STRASSE"),
    ],
)
def test_are_the_same_words(one, other):
    assert answer_words(one) == answer_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.5", "15"), ("-5", "5"), ("10²", "102"), ("½", "12"), ("no", "not"), ("été", "ete"), ("C", "A"), ("12", "1 2")],
)
def test_are_different_words(one, other):
    assert answer_words(one) != answer_words(other)


def test_articles_stay_where_nothing_else_is_left():
    assert answer_words("A") == ["a"]
    assert answer_words("The A") == ["the", "a"]
    assert squad_words("A") == []


def test_scripts_without_spaces_and_marks():
    assert answer_words("东京是5个") == ["东", "京", "是", "5", "个"]
    assert answer_words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert answer_words("서울 특별시") == ["서울", "특별시"]
    assert answer_words("!?…") == []


def test_squad_words_keep_their_quirks():
    assert squad_words("The 1.5 well-known, an U.S.") == ["15", "wellknown", "us"]


def test_thinking_is_not_visible():
    assert visible_answer("<think>no, Rome</think>Paris") == "Paris"
    assert visible_answer("<think>a</think><think>b</think> Paris") == "Paris"
    assert visible_answer(" <think>never closed: Paris") == ""
    assert visible_answer("a <think> tag") == "a <think> tag"


def test_contains_whole_runs_only():
    assert contains(["a", "b", "c"], ["b", "c"])
    assert not contains(["a", "b", "c"], ["a", "c"])
    assert not contains(["a"], [])
