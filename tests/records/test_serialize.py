import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import RecordError
from fonte.records import AnswerRecord, ModelIdentity, answer_json, record_json
from fonte.records.packing import canonical_json, pack_json, unpack_json
from fonte.records.serialize import RECORD_FORMAT, citation_from_json, citation_json, record_from_json
from fonte.values import (
    Answer,
    Box,
    Chunk,
    Citation,
    Effect,
    Passage,
    Prompt,
    PromptPassage,
    SegmentedPrompt,
    Signature,
)

text = st.text(st.characters(), max_size=8)  # lone surrogates and NUL included
number = st.floats(allow_nan=False, allow_infinity=False)
offset = st.integers(0, 10**7)
tokens = st.lists(st.integers(0, 10**6), max_size=4).map(tuple)


def tuples(strategy, most=3):
    return st.lists(strategy, max_size=most).map(tuple)


boxes = st.builds(Box, page=st.integers(1, 99), left=number, top=number, right=number, bottom=number)
effects = st.builds(
    Effect, passage_id=text, status=text, value=st.none() | number, low=st.none() | number, high=st.none() | number,
    group=text, signature_value=st.none() | number, unit=text,
)  # fmt: skip
citations = st.builds(
    Citation, passage_id=text, document=text, page=st.none() | offset, boxes=tuples(boxes), answer_start=offset,
    answer_end=offset, marker_start=offset, marker_end=offset, source_start=offset, source_end=offset, quote=text,
    origin=text, status=text, effect=st.none() | effects,
)  # fmt: skip
chunks = st.builds(
    Chunk, document_id=text, document_version=text, pipeline=text, ordinal=offset, start=offset, end=offset, text=text,
    title=text, heading=tuples(text), header=text,
    signature=st.builds(Signature, fields=tuples(st.tuples(text, text)), status=text),
)  # fmt: skip
passages = st.builds(Passage, chunk=chunks, document=text, retrieval_score=number, rerank_score=st.none() | number)
answers = st.builds(
    Answer, question=text, status=text, reason=text, text=text, citations=tuples(citations), passages=tuples(passages),
    invented_markers=tuples(text), dropped_passages=tuples(text), record=text,
    seconds=tuples(st.tuples(text, number)), mode=text, effects=tuples(effects),
)  # fmt: skip
prompts = st.builds(
    Prompt, system=text, head=text, passages=tuples(st.builds(PromptPassage, text, text, text)), tail=text
)
segments = st.builds(SegmentedPrompt, head=tokens, passages=tuples(st.tuples(tokens, tokens)), tail=tokens)
models = st.builds(ModelIdentity, text, text)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
answer_records = st.builds(
    AnswerRecord, answer=answers, prompt=prompts, segments=st.none() | segments, raw_text=text, thinking=text,
    token_ids=tokens, finish_reason=text, language_model=models, embedder=models, reranker=st.none() | models,
    index_generation=text, seed=st.integers(0, 2**63), settings=st.dictionaries(text, plain, max_size=3), created=text,
    fonte_version=text,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(answer_records)
def test_records_come_back_equal(record):
    stored = unpack_json(pack_json(record_json(record)))
    loaded = record_from_json(stored)
    assert loaded == record
    assert [passage.id for passage in loaded.answer.passages] == [passage.id for passage in record.answer.passages]
    assert type(loaded.answer.seconds) is tuple
    hash(loaded.answer)  # tuples all the way down


@settings(max_examples=80, deadline=None)
@given(citations)
def test_citations_come_back_equal_from_the_public_shape(citation):
    assert citation_from_json(unpack_json(pack_json(citation_json(citation)))) == citation


@settings(max_examples=80, deadline=None)
@given(answers)
def test_the_public_shape_is_plain_json(answer):
    shape = answer_json(answer)
    assert json.loads(json.dumps(shape, allow_nan=False)).keys() == shape.keys()


def example():
    signature = Signature((("model", "P-200"),), "extracted")
    chunk = Chunk("d1", "v1", "p1", 0, 10, 15, "Hello", "Title", ("One", "Two"), "a | b", signature)
    citation = Citation(
        chunk.id, "a.pdf", 3, (Box(3, 1.0, 2.0, 3.0, 4.0),), 0, 6, 7, 10, 11, 14, "ell", "quote", "verbatim"
    )
    return Answer(
        "Why?", "answered", "", "Hello. [1]", (citation,), (Passage(chunk, "a.pdf", 0.5, None),), ("[9]",), ("x",),
        "abc", (("retrieve", 0.1), ("rerank", 0.0), ("generate", 2.0)), "quote",
    )  # fmt: skip


def test_the_contract_names_the_keys():
    answer = example()
    chunk = answer.passages[0].chunk
    assert answer_json(answer) == {
        "question": "Why?",
        "status": "answered",
        "reason": "",
        "answer": "Hello. [1]",
        "citations": [
            {
                "passage_id": chunk.id, "document": "a.pdf", "page": 3,
                "boxes": [{"page": 3, "left": 1.0, "top": 2.0, "right": 3.0, "bottom": 4.0}],
                "answer_start": 0, "answer_end": 6, "marker_start": 7, "marker_end": 10, "source_start": 11,
                "source_end": 14, "quote": "ell", "origin": "quote", "status": "verbatim",
            }
        ],
        "passages": [
            {
                "passage_id": chunk.id, "document": "a.pdf", "start": 10, "end": 15, "text": "Hello",
                "retrieval_score": 0.5, "rerank_score": None,
            }
        ],
        "invented_markers": ["[9]"],
        "dropped_passages": ["x"],
        "record": "abc",
        "seconds": {"retrieve": 0.1, "rerank": 0.0, "generate": 2.0},
        "mode": "quote",
    }  # fmt: skip


def test_effects_appear_where_they_were_measured():
    effect = Effect("p", "measured", 1.5, 1.0, 2.0)
    answer = replace(example(), effects=(effect,), citations=(replace(example().citations[0], effect=effect),))
    shape = answer_json(answer)
    assert shape["effects"] == [shape["citations"][0]["effect"]]
    assert shape["effects"][0]["value"] == 1.5


@pytest.mark.parametrize(
    "change",
    [
        {"format": RECORD_FORMAT + 1},
        {"format": None},
        {"surplus": 1},
        {"answer": {}},
        {"token_ids": None},
        {"prompt": 3},
    ],
)
def test_what_cannot_be_read_is_an_error(change):
    with pytest.raises(RecordError):
        record_from_json({**record_json(AnswerRecord(example())), **change})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_only_plain_finite_values_are_json(value):
    with pytest.raises(RecordError, match="plain finite"):
        canonical_json({"a": [value]})
