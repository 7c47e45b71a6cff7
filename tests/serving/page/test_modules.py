"""The page's own reckoning, in a browser: offsets, streams that are cut anywhere, and words for what was measured."""

import json

import pytest

TEXT = "naïve 🜚 e\u0301 漢字 👩‍🔬 end"


@pytest.fixture
def run(page, url):
    """Return a function that imports a module of the page and runs the body of a function with it and a value."""
    page.goto(url)

    def running(module, body, given):
        script = f"async (given) => {{ const it = await import('/js/{module}.js'); {body} }}"
        return page.evaluate(script, given)

    return running


def test_offsets_are_code_points(run):
    spans = [(start, end) for start in range(len(TEXT) + 1) for end in range(start, len(TEXT) + 1)]
    cut = run("text", "return given.spans.map(([a, b]) => it.slice(given.text, a, b));", {"text": TEXT, "spans": spans})
    assert cut == [TEXT[start:end] for start, end in spans]


def test_a_stream_is_read_the_same_wherever_it_is_cut(run):
    objects = [{"text": TEXT}, {"text": "data: [DONE]\n\n"}, {"n": 3}]
    lines = [": ping", *(f"data: {json.dumps(each, ensure_ascii=False)}" for each in objects), "data: [DONE]"]
    stream = list("\n\n".join(lines).encode() + b"\n\n")
    body = """
      const all = [];
      for (let cut = 0; cut <= given.length; cut += 1) {
        const parts = [given.slice(0, cut), given.slice(cut)].map((part) => new Uint8Array(part));
        const body = new ReadableStream({ start(to) { parts.forEach((part) => to.enqueue(part)); to.close(); } });
        const found = [];
        for await (const each of it.events({ body })) found.push(each);
        all.push(JSON.stringify(found));
      }
      return [...new Set(all)];
    """
    assert [json.loads(found) for found in run("events", body, stream)] == [objects]


def test_a_stream_without_its_end_is_no_answer(run):
    body = """
      const body = new Blob(given).stream();
      try { for await (const each of it.events({ body })); } catch (error) { return error.message; }
    """
    assert "before the answer was complete" in run("events", body, ['data: {"n": 1}\n\n'])


def effect(passage_id, status, value=None, group=""):
    numbers = {"low": None, "high": None} if value is None else {"low": value - 1, "high": value + 1}
    return {"passage_id": passage_id, "status": status, "value": value, "group": group, "unit": "nats", **numbers}


EFFECTS = [
    effect("a", "interchangeable", 4.0, "a+c"),
    effect("b", "no_measurable_effect", 0.2),
    effect("c", "interchangeable", 4.0, "a+c"),
    effect("d", "measured", 6.0),
    effect("e", "measured", -2.0),
    effect("f", "not_measured"),
]


def answer():
    passages = [{"passage_id": name, "retrieval_score": 0.5, "text": name, "start": 0} for name in "abcdef"]
    return {
        "passages": passages,
        "citations": [{"passage_id": "a", "marker": "[1]"}, {"passage_id": "b", "marker": "[4]"}],
    }


def found(**more):
    return {"effects": EFFECTS, "memory_share": 0.2, "uncited": ["c", "d"], "ablations": 9, "seconds": 1.5, **more}


def test_passages_of_a_group_stand_together_and_what_mattered_uncited_is_flagged(run):
    body = """
      return it.unitsOf(given.answer, new Map(), given.found)
        .map((unit) => unit.map((facts) => [facts.passage.passage_id, facts.number, facts.flag]));
    """
    units = run("facts", body, {"answer": answer(), "found": found()})
    assert units[0] == [["d", "3", "Not cited, yet it mattered"]]
    assert units[1] == [["a", "1", ""], ["c", "2", "Not cited, interchangeable with 1"]]
    assert units[2] == [["b", "4", ""]]
    assert units[-1] == [["e", "5", ""]]
    assert sorted(name for unit in units for name, _, _ in unit) == list("abcdef")


def test_words_claim_no_more_than_was_measured(run):
    words = run("words", "return given.map(it.effectWords);", EFFECTS)
    assert words[1] == "no measurable effect"
    assert words[3] == "6.0 nats (5.0 to 7.0)"
    assert words[4] == "−2.0 nats (−3.0 to −1.0)"
    assert words[5] == "not measured"
    factors = run("words", "return given.map(it.factorWords);", EFFECTS)
    assert factors[1] == factors[5] == ""
    assert factors[3] == "403 times less likely without it"
    assert "more likely" in factors[4]


@pytest.mark.parametrize(("share", "known"), [(0.2, False), (0.97, True)])
def test_what_the_model_knew_is_said_where_it_is_true(run, share, known):
    body = "return it.findings(given, []).filter(Boolean).map((each) => each.textContent).join(' ');"
    said = run("findings", body, found(memory_share=share))
    assert ("The model knew this without sources." in said) is known
    assert "no measurable effect" not in said.lower()
    nothing = run("findings", body, found(effects=[EFFECTS[1]], uncited=[]))
    assert "No passage has a measurable effect" in nothing
