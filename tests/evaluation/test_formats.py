"""Published formats, each on a small file of that format."""

import csv
import json

import pytest

from fonte.errors import UsageError
from fonte.evaluation.formats import (
    FORMATS,
    read_2wiki,
    read_alce,
    read_aquaechr,
    read_hotpotqa,
    read_legalbenchrag,
    read_musique,
    read_popqa,
    read_prgb,
    read_pubmedqa,
    read_ragqaleaderboard,
    read_triviaqa,
)

HOTPOT = {
    "_id": "5a",
    "question": "Which came first?",
    "answer": "Alpha",
    "type": "comparison",
    "level": "hard",
    "supporting_facts": [["Alpha", 0], ["Beta", 1]],
    "context": [["Alpha", ["Alpha is old.", " It is a river."]], ["Beta", ["Beta.", "It is new."]], ["Gamma", ["No."]]],
}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_hotpotqa(tmp_path):
    [question] = read_hotpotqa(write(tmp_path / "hotpot_dev_distractor_v1.json", [HOTPOT]))
    assert question.answers == ("Alpha",)
    assert [passage.gold for passage in question.passages] == [True, True, False]
    assert question.passages[0].text == "Alpha is old. It is a river."
    assert question.passages[1].text == "Beta. It is new."
    assert question.extra["level"] == "hard"
    test_set = {name: value for name, value in HOTPOT.items() if name not in ("answer", "supporting_facts")}
    [question] = read_hotpotqa(write(tmp_path / "test.json", [test_set]))
    assert (question.answers, question.passages[0].gold) == ((), None)
    with pytest.raises(UsageError, match="paragraph 1 of 'context'"):
        read_hotpotqa(write(tmp_path / "bad.json", [{**HOTPOT, "context": [["only a title"]]}]))


def test_2wiki_with_aliases(tmp_path):
    path = write(tmp_path / "dev.json", [{**HOTPOT, "answer_id": "Q1", "evidences": [["Alpha", "date", "1"]]}])
    assert read_2wiki(path)[0].answers == ("Alpha",)
    write(tmp_path / "id_aliases.json", lines({"Q_id": "Q1", "aliases": ["River Alpha"], "demonyms": []}))
    assert read_2wiki(path)[0].answers == ("Alpha", "River Alpha")


def test_musique(tmp_path):
    row = {
        "id": "2hop__1_2",
        "question": "Where?",
        "answer": "Here",
        "answer_aliases": ["There"],
        "answerable": True,
        "paragraphs": [
            {"idx": 0, "title": "A", "paragraph_text": "text a", "is_supporting": False},
            {"idx": 1, "title": "B", "paragraph_text": "text b", "is_supporting": True},
        ],
        "question_decomposition": [{"id": 1, "question": "A >> b", "answer": "c", "paragraph_support_idx": 1}],
    }
    full = write(tmp_path / "musique_full_v1.0_dev.jsonl", lines(row, {**row, "answerable": False}))
    answerable, not_answerable = read_musique(full)
    assert answerable.answers == ("Here", "There")
    assert answerable.relevance == {"0": 0, "1": 1}
    assert (not_answerable.id, not_answerable.answers, not_answerable.answerable) == ("2hop__1_2#2", (), False)
    with pytest.raises(UsageError, match="line 2: the id"):
        read_musique(write(tmp_path / "twice.jsonl", lines(row, row)))


def test_triviaqa_with_evidence(tmp_path):
    data = {
        "Data": [
            {
                "Question": "Who?",
                "QuestionId": "tc_1",
                "Answer": {"Value": "Ada", "Aliases": ["Ada", "Ada Lovelace"], "NormalizedAliases": ["ada"]},
                "EntityPages": [{"Filename": "Ada.txt", "Title": "Ada"}, {"Filename": "Gone.txt", "Title": "Gone"}],
                "SearchResults": [{"Filename": "1/1_2.txt", "Title": "Page"}],
            },
            {"Question": "Test?", "QuestionId": "tc_2", "EntityPages": []},
        ],
        "Split": "dev",
    }
    path = write(tmp_path / "qa" / "wikipedia-dev.json", data)
    assert read_triviaqa(path)[0].answers == ("Ada", "Ada Lovelace")
    write(tmp_path / "evidence" / "wikipedia" / "Ada.txt", "About Ada.")
    write(tmp_path / "evidence" / "web" / "1" / "1_2.txt", "A page.")
    first, second = read_triviaqa(path)
    assert [(one.id, one.text, one.gold) for one in first.passages] == [
        ("wikipedia/Ada.txt", "About Ada.", None),
        ("web/1/1_2.txt", "A page.", None),
    ]
    assert (second.answers, second.passages) == ((), ())
    data["Data"][0]["EntityPages"][0]["Filename"] = "../../../secret"
    with pytest.raises(UsageError, match="leads out of the archive"):
        read_triviaqa(write(path, data))


def test_popqa(tmp_path):
    header = [
        "id",
        "subj",
        "prop",
        "obj",
        "s_aliases",
        "s_wiki_title",
        "s_pop",
        "o_pop",
        "question",
        "possible_answers",
    ]
    row = dict.fromkeys(header, "x") | {
        "id": "42",
        "prop": "occupation",
        "s_pop": "142",
        "question": 'What is "it"?',
        "possible_answers": '["politician", "political leader"]',
    }
    path = tmp_path / "popQA.tsv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, header, delimiter="\t")
        writer.writeheader()
        writer.writerow(row)
    [question] = read_popqa(path)
    assert question.id == "42"
    assert question.question == 'What is "it"?'
    assert question.answers == ("politician", "political leader")
    assert question.extra["s_pop"] == 142
    write(path, path.read_text() + "43\tonly\n")
    with pytest.raises(UsageError, match="line 3: the line has another number of columns"):
        read_popqa(path)


def test_pubmedqa(tmp_path):
    row = {
        "QUESTION": "Does it?",
        "CONTEXTS": ["Background text.", "Results text."],
        "LABELS": ["BACKGROUND", "RESULTS"],
        "final_decision": "maybe",
        "LONG_ANSWER": "It may.",
    }
    [question] = read_pubmedqa(write(tmp_path / "ori_pqal.json", {"10808977": row}))
    assert (question.id, question.answers) == ("10808977", ("maybe",))
    assert [(one.title, one.gold) for one in question.passages] == [("BACKGROUND", True), ("RESULTS", True)]
    assert question.extra["long_answer"] == "It may."
    with pytest.raises(UsageError, match="2 contexts have 1 labels"):
        read_pubmedqa(write(tmp_path / "bad.json", {"1": {**row, "LABELS": ["ONE"]}}))


PRGB = {
    "id": "filter-1",
    "query": "How tall?",
    "golden_doc": ["The tower is <h> m tall.", "Built in <y>."],
    "noise_doc_level1": ["n1a", "n1b"],
    "noise_doc_level2": ["n2"],
    "noise_doc_level3": ["n3a", "n3b"],
    "placeholder_item": {
        "placeholders": [{"<h>": "10", "<y>": "1900"}, {"<h>": "20", "<y>": "1910"}],
        "answer": ["10", "20 & (m | metres)"],
    },
}


def test_prgb(tmp_path):
    path = write(tmp_path / "en.jsonl", lines(PRGB, {**PRGB, "id": "combination_v3-2"}, {**PRGB, "id": "infer-3"}))
    questions = read_prgb(path, variants=3, noise=(1, 4, 1))
    assert [one.id for one in questions][:2] == ["filter-1#0", "filter-1#1"]
    assert [one.extra["kind"] for one in questions][::2] == ["filter", "combination", "reasoning"]
    first, second = questions[:2]
    assert len(first.passages) == 2 + 1 + 1 + 1
    assert {one.text for one in first.passages if one.gold} == {"The tower is 10 m tall.", "Built in 1900."}
    assert (first.answers, first.extra["expression"]) == (("10",), "10")
    assert (second.answers, second.extra["expression"]) == ((), "20 & (m | metres)")
    alone = write(tmp_path / "one.jsonl", lines({**PRGB, "id": "infer-3"}))
    assert read_prgb(alone, noise=(1, 4, 1)) == questions[4:]
    assert read_prgb(alone, seed=1) != read_prgb(alone, seed=2)


def test_ragqaleaderboard(tmp_path):
    row = {
        "id": "q1",
        "query": "Who?",
        "golden_doc": ["d1"],
        "reference": ["d2", "d3", "d1"],
        "ground_truth": ["A", "B"],
    }
    path = write(tmp_path / "popqa.jsonl", lines(row, {**row, "id": "q2", "ground_truth": "A"}))
    with pytest.raises(UsageError, match="documents_pool"):
        read_ragqaleaderboard(path)
    write(tmp_path / "documents_pool.json", {"d1": "gold", "d2": "noise", "d3": "more"})
    first, second = read_ragqaleaderboard(path, total=2)
    assert first.answers == ("A", "B")
    assert second.answers == ("A",)
    assert len(first.passages) == 2
    assert first.relevance["d1"] == 1
    assert {one.text for one in first.passages if one.gold} == {"gold"}
    with pytest.raises(UsageError, match="document 'd9' is not in"):
        read_ragqaleaderboard(write(path, lines({**row, "golden_doc": ["d9"]})))


def test_legalbenchrag(tmp_path):
    test = {"query": "May they?", "snippets": [{"file_path": "cuad/a.txt", "span": [3, 7], "answer": "they"}]}
    path = write(tmp_path / "benchmarks" / "cuad.json", {"tests": [test, test]})
    first, second = read_legalbenchrag(tmp_path)
    assert (first.id, second.id) == ("cuad:0", "cuad:1")
    assert (first.gold[0].document, first.gold[0].start, first.gold[0].end) == ("cuad/a.txt", 3, 7)
    assert first.answers == ("they",)
    assert first.relevance == {"cuad/a.txt": 1}
    assert read_legalbenchrag(path) == [first, second]
    test["snippets"][0]["span"] = [7, 3]
    with pytest.raises(UsageError, match="is not a span"):
        read_legalbenchrag(write(path, {"tests": [test]}))


def test_alce_in_its_three_kinds(tmp_path):
    documents = [{"id": "17", "title": "T", "text": "body", "score": 1.0}, {"title": "U", "text": "more"}]
    asqa = {
        "question": "Who?",
        "sample_id": "-7",
        "docs": documents,
        "qa_pairs": [{"question": "q", "short_answers": ["a", "b"], "context": ""}],
        "annotations": [{"knowledge": [], "long_answer": "Long one."}, {"knowledge": [], "long_answer": "Long two."}],
        "answer": "Long one.",
    }
    eli5 = {"question": "Why?", "answer": "Because.", "claims": ["It is so."], "docs": documents}
    qampari = {"id": "x1", "question": "Which?", "answers": [["A", "Aa"], ["B"]], "docs": documents}
    first, second, third = read_alce(write(tmp_path / "eval.json", [asqa, eli5, qampari]))
    assert (first.id, first.answers) == ("-7", ("Long one.", "Long two."))
    assert first.extra["short_answers"] == [["a", "b"]]
    assert [one.id for one in first.passages] == ["1", "2"]
    assert (second.id, second.answers, second.extra["claims"]) == ("1", ("Because.",), ["It is so."])
    assert (third.id, third.answers) == ("x1", ("A, B",))
    result = write(tmp_path / "result.json", {"args": {}, "data": [{**eli5, "output": "Because [1]."}]})
    assert read_alce(result)[0].question == "Why?"


def test_aquaechr(tmp_path):
    cases = [
        {
            "case_id": "001-1",
            "case_name": "a v. b",
            "paragraph_numbers": [10, 12],
            "paragraphs_map": {"10": "10. The Court holds.", "12": "12.  It recalls."},
        }
    ]
    path = tmp_path / "echr_qa_dataset.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["question", "answer", "citations", "guide"])
        writer.writeheader()
        writer.writerow(
            {"question": "When, if\never?", "answer": "It is.\n\nSo it is.", "citations": json.dumps(cases)}
        )
        writer.writerow({"question": "Q2", "answer": "", "citations": "[]"})
    first, second = read_aquaechr(path)
    assert (first.id, first.question, first.answers) == ("0", "When, if\never?", ("It is.\n\nSo it is.",))
    assert [(one.id, one.title, one.text) for one in first.passages] == [
        ("001-1#10", "a v. b; § 10", "The Court holds."),
        ("001-1#12", "a v. b; § 12", "It recalls."),
    ]
    assert (second.id, second.answers, second.passages) == ("1", (), ())
    with pytest.raises(UsageError, match="no column 'citations'"):
        read_aquaechr(write(tmp_path / "other.csv", "question,answer\na,b\n"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", ["", "null", "[1]", "{}", "\x00", '{"a": {"b": 1}}', "a,b\n1,2\n", "[[]]"])
def test_a_file_of_another_format_is_refused_with_its_name(tmp_path, name, content):
    path = write(tmp_path / "file", content)
    told = ""
    try:
        assert FORMATS[name](path) == []
    except UsageError as error:
        told = str(error)
    assert not told or str(tmp_path) in told
