import contextlib
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.records import parse_where
from fonte.records.where import And, Comparison, Not, Or, number
from fonte.values import Document

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "~")


def document(source, **metadata):
    return Document(source, source.lstrip("/"), metadata.pop("title", ""), "text", "text", "test 1", metadata=metadata)


def add(records, *documents):
    records.documents.archive(documents)
    records.documents.make_current({each.id: each.version for each in documents})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a=1", Comparison("a", "=", "1")),
        ("  a  !=  1  ", Comparison("a", "!=", "1")),
        ("a==1", Comparison("a", "=", "1")),
        ("a<=1", Comparison("a", "<=", "1")),
        ("a>=1 AND b~x", And((Comparison("a", ">=", "1"), Comparison("b", "~", "x")))),
        (
            "a=1 or b=2 and c=3",
            Or((Comparison("a", "=", "1"), And((Comparison("b", "=", "2"), Comparison("c", "=", "3"))))),
        ),
        ("not a=1 and b=2", And((Not(Comparison("a", "=", "1")), Comparison("b", "=", "2")))),
        ("not (a=1 or b=2)", Not(Or((Comparison("a", "=", "1"), Comparison("b", "=", "2"))))),
        ("not(a=1)", Not(Comparison("a", "=", "1"))),
        ("not not a=1", Not(Not(Comparison("a", "=", "1")))),
        ("not = 1", Comparison("not", "=", "1")),
        ("and=or and or=and", And((Comparison("and", "=", "or"), Comparison("or", "=", "and")))),
        ("order=1 or android=2", Or((Comparison("order", "=", "1"), Comparison("android", "=", "2")))),
        ('"court name" = "Grand Chamber"', Comparison("court name", "=", "Grand Chamber")),
        ("""a='it is "so"'""", Comparison("a", "=", 'it is "so"')),
        (r'a="C:\dir \"x\" \\"', Comparison("a", "=", r'C:\dir "x" ' + "\\")),
        ('a=""', Comparison("a", "=", "")),
        ("a=O'Brien", Comparison("a", "=", "O'Brien")),
        ("source=https://x.example/?q=1&r<2", Comparison("source", "=", "https://x.example/?q=1&r<2")),
        ("(((a=1)))", Comparison("a", "=", "1")),
        ("类型=合同", Comparison("类型", "=", "合同")),
        ("a=x'; DROP TABLE documents;--", None),
    ],
)
def test_parse(text, wanted):
    if wanted is None:
        with pytest.raises(UsageError):
            parse_where(text)
    else:
        assert parse_where(text) == wanted


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 1), ("   ", 4), ("a", 2), ("a=", 3), ("a = ", 5), ("=1", 1), ("a=1 b=2", 5), ("a=1 and", 8), ("(a=1", 5),
        ("a=1)", 4), ("a=(1", 3), ('a="x', 3), ("a=1 or or b=2", 11), ("not", 4), ("a==1 and ()", 11), ("a like b", 3),
    ],
)  # fmt: skip
def test_errors_point_at_the_place(text, position):
    with pytest.raises(UsageError) as caught:
        parse_where(text)
    message, line, pointer = str(caught.value).split("\n")[:3]
    assert f"at character {position}:" in message
    assert len(pointer) - 3 == position - 1
    assert line == "  " + text


def test_limits():
    assert parse_where("(" * 40 + "a=1" + ")" * 40) == Comparison("a", "=", "1")
    for text in ("(" * 5000 + "a=1" + ")" * 5000, "not " * 4000 + "a=1", "a=" + "1" * 30_000):
        with pytest.raises(UsageError, match="--where"):
            parse_where(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0), ("-1.50", -1.5), (" 2 ", 2.0), ("1e3", 1000.0), (".5", 0.5), ("5.", 5.0), ("007", 7.0), ("0", 0.0),
        ("1e20", 1e20), ("", None), ("nan", None), ("inf", None), ("1_000", None), ("١٢", None), ("0x10", None),
        ("1e999", None), ("1,5", None),
        ("1e-999", None), ("2024-01-05", None), ("12345678901234567890", None), ("v1", None), (".", None), ("-", None),
    ],
)  # fmt: skip
def test_number(text, value):
    assert number(text) == value


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_any_text_parses_or_is_a_usage_error(text):
    with contextlib.suppress(UsageError):
        parse_where(text)


keys = st.sampled_from(["a", "b", "c d", "é", "document", "title", "format", "source"])
values = st.one_of(
    st.sampled_from(
        [
            "",
            "1",
            "1.0",
            "01",
            "2",
            "-3",
            "1e1",
            "10",
            "nan",
            "x",
            "X",
            "xy",
            "é",
            "e\u0301",
            "2024-01-05",
            "2024-11-01",
        ]
    ),
    st.sampled_from(
        [
            "12345678901234567890",
            "12345678901234567891",
            "it's",
            'say "x"',
            "%",
            "_",
            "a\x00b",
            "\udce4",
            "straße",
            "STRASSE",
        ]
    ),
    st.text(max_size=3),
)
comparisons = st.builds(Comparison, keys, st.sampled_from(OPERATORS), values)
filters = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=6,
)


def naive_number(text):
    if not re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", text):
        return None
    digits = re.sub("[^0-9]", "", re.split("[eE]", text)[0]).strip("0")
    return None if len(digits) > 15 else float(text)


def naive(where, fields):
    match where:
        case And(parts):
            return all(naive(part, fields) for part in parts)
        case Or(parts):
            return any(naive(part, fields) for part in parts)
        case Not(part):
            return not naive(part, fields)
        case Comparison(key, "!=", value):
            return not naive(Comparison(key, "=", value), fields)
    key = unicodedata.normalize("NFC", where.key)
    if key not in fields:
        return False
    left, right = (unicodedata.normalize("NFC", text) for text in (fields[key], where.value))
    if where.operator == "~":
        return naive_folded(right) in naive_folded(left)
    if naive_number(left) is not None and naive_number(right) is not None:
        left, right = naive_number(left), naive_number(right)
    compare = {"=": "__eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}[where.operator]
    return getattr(left, compare)(right)


def naive_folded(text):
    return unicodedata.normalize("NFC", text.casefold())


def written(where):
    """Write a filter as text again, every word quoted."""
    match where:
        case And(parts):
            return " and ".join(f"({written(part)})" for part in parts)
        case Or(parts):
            return " or ".join(f"({written(part)})" for part in parts)
        case Not(part):
            return f"not ({written(part)})"
        case Comparison(key, operator, value):
            quote = [text.replace("\\", "\\\\").replace('"', '\\"') for text in (key, value)]
            return f'"{quote[0]}" {operator} "{quote[1]}"'


@settings(max_examples=300, deadline=None)
@given(filters)
def test_written_and_read_again(where):
    assert parse_where(written(where)) == where


METADATA = st.dictionaries(st.sampled_from(["a", "b", "c d", "é", "title"]), values, max_size=4)


@settings(max_examples=120, deadline=None)
@given(st.lists(METADATA, min_size=1, max_size=6), st.lists(filters, min_size=1, max_size=5))
def test_matching_equals_the_naive_evaluator(shared_records, metadata, wheres):
    records = shared_records
    always = {"a": "0", "b": "0", "c d": "0", "é": "0"}  # so that no key is unknown
    documents = [document(f"/{number}", **each) for number, each in enumerate([always, *metadata])]
    add(records, *documents)
    for where in wheres:
        wanted = {each.id for each in documents if naive(where, fields_of(each))}
        assert records.documents.matching(where) == wanted, where
    records.documents.remove([each.id for each in documents])


def fields_of(each):
    built_in = {"document": each.name, "title": each.title, "format": each.format, "source": each.source}
    return {**each.metadata, **built_in}


def test_what_people_ask(records):
    judgment = document("/echr/a.html", title="Case of A", court="Grand Chamber", date="1998-11-23", year="1998")
    contract = document("/nda.pdf", title="NDA", date="2021-02-01", year="2021", party="ACME")
    add(records, judgment, contract)

    def found(text):
        return records.documents.matching(parse_where(text))

    assert found('court="Grand Chamber"') == {judgment.id}
    assert found("court != 'Grand Chamber'") == {contract.id}
    assert found("year >= 2000") == {contract.id}
    assert found("date < 2000-01-01") == {judgment.id}
    assert found("date ~ 2021-") == {contract.id}
    assert found("title ~ case") == {judgment.id}
    assert found("document = nda.pdf or source ~ /echr/") == {judgment.id, contract.id}
    assert found("document ~ .pdf and not party = ACME") == set()
    assert records.documents.matching(None) == {judgment.id, contract.id}
    assert records.documents.keys() == ("court", "date", "document", "format", "party", "source", "title", "year")


def test_unknown_key_lists_those_there_are(records):
    assert records.documents.matching(parse_where("yaer=1")) == set()
    add(records, document("/a", year="1998"))
    with pytest.raises(UsageError, match=r"'yaer'. There are: document, format, source, title, year"):
        records.documents.matching(parse_where("yaer = 1998 or year = 1998"))


def test_only_current_versions_match(records):
    old, new = document("/a", year="1998"), document("/a", year="1999")
    add(records, old)
    records.documents.archive([new])
    assert records.documents.matching(parse_where("year=1998")) == {old.id}
    assert records.documents.matching(parse_where("year=1999")) == set()
    records.documents.make_current({new.id: new.version})
    assert records.documents.matching(parse_where("year=1999")) == {old.id}


def test_hostile_values_are_only_values(records):
    evil = "x' OR 1=1; DROP TABLE documents;--"
    add(records, document("/a", note=evil), document("/b", note="fine"))
    assert len(records.documents.matching(Comparison("note", "=", evil))) == 1
    with pytest.raises(UsageError, match="no document has the key"):
        records.documents.matching(Comparison("note = '' OR 1=1 --", "=", "x"))
    assert len(records.documents.list()) == 2
