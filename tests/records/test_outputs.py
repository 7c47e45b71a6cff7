import pytest
from pydantic import BaseModel, ConfigDict, Field

from fonte.errors import ModelError, RecordError
from fonte.records import OutputKey, Records


class Label(BaseModel):
    model_config = ConfigDict(extra="forbid")
    category: str = Field(min_length=1)
    continued: bool


class NewerLabel(Label):
    language: str


KEY = OutputKey("model fingerprint", "continuity 1", "text of a chunk", {"max_tokens": 20, "seed": 0})


def test_put_and_get(records):
    assert records.outputs.get(KEY, Label, ["d1"]) is None
    kept = records.outputs.put(KEY, '{"category": "pump", "continued": true}', Label, ["d1"])
    assert kept == records.outputs.get(KEY, Label, ["d1"]) == Label(category="pump", continued=True)
    assert records.outputs.count() == 1


@pytest.mark.parametrize(
    "output",
    [
        "", "no json", "null", "[]", '{"category": "", "continued": true}', '{"category": "pump"}',
        {"category": "pump", "continued": "perhaps"}, {"category": "pump", "continued": True, "surplus": 1},
        Label.model_construct(category="", continued=None), Label.model_construct(),
    ],
)  # fmt: skip
def test_lightrag_2442_nothing_invalid_is_ever_kept(records, output):
    with pytest.raises(ModelError, match="does not fit Label and was not kept"):
        records.outputs.put(KEY, output, Label, ["d1"])
    assert records.outputs.count() == 0
    assert records.outputs.get(KEY, Label, ["d1"]) is None


def test_an_output_of_an_older_schema_is_a_miss_and_dropped(records):
    records.outputs.put(KEY, {"category": "pump", "continued": True}, Label, ["d1"])
    assert records.outputs.get(KEY, NewerLabel, ["d1"]) is None
    assert records.outputs.count() == 0
    newer = {"category": "pump", "continued": True, "language": "it"}
    records.outputs.put(KEY, {"category": "pump", "continued": True}, Label, ["d1"])
    assert records.outputs.put(KEY, newer, NewerLabel, ["d1"]).language == "it"
    assert records.outputs.get(KEY, NewerLabel, ["d1"]).language == "it"


def test_the_first_output_stays(records):
    first = records.outputs.put(KEY, {"category": "pump", "continued": True}, Label, ["d1"])
    with Records.open(records.path) as other:
        assert other.outputs.put(KEY, {"category": "valve", "continued": False}, Label, ["d1"]) == first


def test_every_part_of_the_key_counts():
    keys = [
        KEY,
        OutputKey("other", KEY.prompt_version, KEY.content, KEY.parameters),
        OutputKey(KEY.model, "continuity 2", KEY.content, KEY.parameters),
        OutputKey(KEY.model, KEY.prompt_version, "other", KEY.parameters),
        OutputKey(KEY.model, KEY.prompt_version, KEY.content, {"max_tokens": 21, "seed": 0}),
        OutputKey(KEY.model, KEY.prompt_version, KEY.content),
        OutputKey(KEY.model + KEY.prompt_version, "", KEY.content),
    ]
    assert len({key.id for key in keys}) == len(keys)
    swapped = OutputKey(KEY.model, KEY.prompt_version, KEY.content, {"seed": 0, "max_tokens": 20})
    assert swapped.id == KEY.id
    with pytest.raises(RecordError, match="finite"):
        _ = OutputKey("m", "p", "c", {"temperature": float("nan")}).id


def test_a_purge_finds_every_document_that_asked(records):
    records.outputs.put(KEY, {"category": "pump", "continued": True}, Label, ["d1"])
    assert records.outputs.get(KEY, Label, ["d2"]) is not None  # the same text in another document
    other = OutputKey("m", "p", "c")
    records.outputs.put(other, {"category": "pump", "continued": True}, Label, [])
    assert records.outputs.remove_documents(["d2", "unknown"]) == 1
    assert records.outputs.get(KEY, Label, ["d1"]) is None
    assert records.outputs.get(other, Label, []) is not None


def test_remove_by_model(records):
    records.outputs.put(KEY, {"category": "pump", "continued": True}, Label, ["d1"])
    records.outputs.put(OutputKey("m", "p", "c"), {"category": "pump", "continued": True}, Label, ["d1"])
    assert records.outputs.remove("m") == 1
    assert records.outputs.remove("m") == 0
    assert records.outputs.remove() == 1
    assert records._database.rows("SELECT count(*) FROM output_documents") == [(0,)]
