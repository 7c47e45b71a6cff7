import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.retrieval.terms import MAX_TERMS, index_fragments, index_terms, query_fragments, query_terms


def found(question, passage):
    return bool(set(query_terms(question)) & set(index_terms(passage).split(" ")))


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("XM4", "The WH-1000XM4 headphones"),
        ("wh-1000xm4", "The WH-1000XM4 headphones"),
        ("WH1000XM4", "The WH-1000XM4 headphones"),
        ("wh 1000 xm4", "The WH1000XM4 headphones"),
        ("WH‑1000XM4", "The WH-1000XM4 headphones"),
        ("225", "Model 225B filter"),
        ("225B", "MODEL 225b FILTER"),
        ("E04", "Error E04: the drum is locked"),
        ("3.5", "a plug of 3,5 mm"),
        ("wifi", "the Wi-Fi light"),
        ("空调", "请先关闭电源，然后清洁空调过滤网。"),
        ("掃除", "フィルターを掃除してください。"),
        ("ﾌｨﾙﾀｰ", "フィルターを掃除してください。"),
        ("水", "加水"),
        ("청소", "필터를청소하십시오"),
        ("사용", "사용하지"),
        ("المرشح", "تنظيف مرشح الجهاز"),
        ("مرشح", "يجب تنظيف المرشح كل شهر"),
        ("مرشح", "والمُرَشِّحُ"),
        ("città", "la citta'"),
        ("PERCHE", "Perché l’acqua è calda?"),
        ("acqua", "Perché l’acqua è calda?"),
        ("STRASSE", "die Straße"),
        ("soft", "so\u00adft"),
        ("abc", "\u202eabc\u202c"),
        ("הספר", "הַסֵּפֶר"),
        ("हिन्दी", "यह हिन्दी है।"),
        ("ไทย", "ภาษาไทยง่าย"),
        ("\uff25\uff10\uff14", "Error E04"),
    ],
)
def test_question_finds_passage(question, passage):
    assert found(question, passage)


@pytest.mark.parametrize(
    ("question", "passage"),
    [("E04", "E40 and E05"), ("XM4", "WH-1000XM5"), ("225B", "model 226"), ("空调", "空气和色调")],
)
def test_question_does_not_find_another_code(question, passage):
    assert not found(question, passage)


def test_word_in_a_compound_has_all_its_fragments_there():
    inside = set(index_fragments("Die Waschmaschinentürverriegelung ist defekt.").split())
    assert set(query_fragments("waschmaschine")) <= inside
    assert set(query_fragments(query_terms("Türverriegelung")[0])) <= inside
    assert not set(query_fragments("kuhlschrank")) <= inside


@pytest.mark.parametrize("blank", ["", " \n\t", "?!… ()", "\x00\x01", "\u202e\u200b"])
def test_text_without_words_has_no_terms(blank):
    assert query_terms(blank) == []
    assert index_terms(blank) == ""
    assert index_fragments(blank) == ""


def test_long_question_keeps_codes_and_the_longest_words():
    question = " ".join(f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(600)) + " E04 extraordinarily"
    terms = query_terms(question * 5)
    assert len(terms) == MAX_TERMS
    assert {"e04", "extraordinarily"} <= set(terms)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_every_text_finds_itself(text):
    terms = query_terms(text)
    assert len(terms) == len(set(terms)) <= MAX_TERMS
    assert set(terms) <= set(index_terms(text).split(" "))
    assert all(term and " " not in term for term in terms)
    ("".join(terms) + index_terms(text) + index_fragments(text)).encode()
