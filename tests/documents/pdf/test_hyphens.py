import pytest

from fonte.documents.pdf.hyphens import mend
from fonte.documents.pdf.line import Line, Run
from fonte.values import Box


def lines(*texts):
    made = []
    for number, text in enumerate(texts):
        top = 100.0 + 14 * number
        made.append(
            Line(
                [
                    Run(" ", word, Box(1, 10.0 * place, top, 10.0 * place + 9, top + 10))
                    for place, word in enumerate(text.split())
                ],
                842,
            )
        )
    return made


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["Set the ther-", "mostat now"], ["Set the thermostat", "now"]),
        (["Set the ther-", "mostat"], ["Set the thermostat"]),
        (["the AX-", "200 model"], ["the AX-200", "model"]),
        (["send e-", "mail now"], ["send e-mail", "now"]),
        (["an up-to-", "date list"], ["an up-to-date", "list"]),
        (["Bosch-", "Siemens"], ["Bosch-Siemens"]),
        (["pages 3-", "5 of it"], ["pages 3-5", "of it"]),
        (["Vor- und Nach-", "teile der Vor-", "und Rückseite"], ["Vor- und Nachteile", "der Vor-", "und Rückseite"]),
        (["over the long-", "term, a long term is long"], ["over the long-term,", "a long term is long"]),
        (["re-", "entry and re-entry"], ["re-entry", "and re-entry"]),
        (["the co-", "operation or cooperation"], ["the cooperation", "or cooperation"]),
        (["a soft\u00ad", "ware"], ["a software"]),
        (["ends with -", "dash"], ["ends with -", "dash"]),
        (["an arrow --", "more"], ["an arrow --", "more"]),
        (["a thermo-", "stat, con-", "troller"], ["a thermostat,", "controller"]),
        (["Über-", "prüfung"], ["Überprüfung"]),
        (["MAIN-", "TENANCE of MAINTENANCE"], ["MAINTENANCE", "of MAINTENANCE"]),
        (["last word-"], ["last word-"]),
        (["温度-", "200"], ["温度-200"]),
    ],
)
def test_broken_words(given, expected):
    assert [line.text for line in mend(lines(*given))] == expected


def test_boxes_stay_with_their_halves():
    first, second = mend(lines("the ther-", "mostat works"))
    assert [(run.text, run.gap, run.box.top) for run in first.runs[1:]] == [("ther", " ", 100.0), ("mostat", "", 114.0)]
    assert second.text == "works"


def test_nothing_is_lost_but_hyphens():
    given = ["a-", "b c-", "1 D-", "E f-", "g"]
    before = "".join(given).replace("-", "").replace(" ", "")
    assert "".join(line.text for line in mend(lines(*given))).replace("-", "").replace(" ", "") == before
