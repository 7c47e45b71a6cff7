from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest
from pydantic import BaseModel, Field

from fonte.errors import EndpointError, UsageError
from fonte.models.endpoint import EndpointLanguageModel
from fonte.models.language_model import fold
from fonte.settings import LanguageModelSettings
from fonte.values import Prompt
from tests.models.scripted_server import Reply, completion, error, events, json_reply, scripted_server

PROMPT = Prompt(system="Be brief.", head="Who?")
KEY = "sk-very-secret-key"


class Answer(BaseModel):
    name: str
    year: int = Field(ge=1900)


def model(url: str, **options: object) -> EndpointLanguageModel:
    return EndpointLanguageModel(url, "some-model", KEY, **{"timeout": 5.0, "retries": 2, **options})


def test_a_whole_answer_with_usage_and_what_was_sent():
    with scripted_server(completion("  It is Ada.")) as script:
        reply = model(script.url).generate(PROMPT, max_tokens=20, temperature=0.5, seed=3, stop=["\n\n"])
    assert (reply.text, reply.thinking, reply.finish_reason) == ("  It is Ada.", "", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.token_ids) == (7, 3, ())
    asked = script.requests[0]
    assert asked["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    assert (asked["model"], asked["max_tokens"], asked["temperature"], asked["seed"]) == ("some-model", 20, 0.5, 3)
    assert asked["stop"] == ["\n\n"]
    assert script.paths == ["/v1/chat/completions"]
    assert script.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_streamed_answer_folds_to_the_whole_one_at_any_split():
    text = "<think>Hm, who?</think>\n\nIt is Ada — 漢字 👩‍🚀. STOP ignored"
    with scripted_server(completion(text)) as script:
        whole = model(script.url).generate(PROMPT, max_tokens=20, stop=["STOP"])
    for size in (1, 2, 3, 7, 100):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        with scripted_server(events(*pieces)) as script:
            streamed = fold(model(script.url).stream(PROMPT, max_tokens=20, stop=["STOP"]))
        assert (
            (streamed.text, streamed.thinking)
            == (whole.text, whole.thinking)
            == ("It is Ada — 漢字 👩‍🚀. ", "Hm, who?")
        )
        assert streamed.finish_reason == "stop"
        assert script.requests[0]["stream"] is True
        assert streamed.completion_tokens == len(pieces)


def test_events_are_understood_when_the_network_splits_them_inside_a_character():
    raw = b"".join(events("é漢", "👩‍🚀 ok").chunks)
    bits = tuple(raw[start : start + 5] for start in range(0, len(raw), 5))
    with scripted_server(Reply(200, bits, {"Content-Type": "text/event-stream"}, delay=0.001)) as script:
        assert fold(model(script.url).stream(PROMPT, max_tokens=20)).text == "é漢👩‍🚀 ok"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields_are_thinking(field):
    with scripted_server(completion("Ada", **{field: "Who wrote it?"})) as script:
        reply = model(script.url).generate(PROMPT, max_tokens=20)
    assert (reply.text, reply.thinking) == ("Ada", "Who wrote it?")
    with scripted_server(completion(None, reason="length", **{field: "still thinking"})) as script:
        reply = model(script.url).generate(PROMPT, max_tokens=20)
    assert (reply.text, reply.thinking, reply.finish_reason) == ("", "still thinking", "length")


def test_busy_servers_are_asked_again_and_retry_after_is_obeyed():
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=2.5), usegmt=True)
    with scripted_server(
        error(429, "slow down", Retry_After="0.2"), error(503, "starting", Retry_After=when), completion("ok")
    ) as script:
        start = time.monotonic()
        assert model(script.url).generate(PROMPT, max_tokens=5).text == "ok"
    assert len(script.requests) == 3
    assert 1.0 < time.monotonic() - start < 8


def test_retries_are_bounded_and_the_error_says_how_often():
    with (
        scripted_server(error(500, "broken inside", Retry_After="0")) as script,
        pytest.raises(EndpointError, match=r"500 after 3 attempts: broken inside"),
    ):
        model(script.url).generate(PROMPT, max_tokens=5)
    assert len(script.requests) == 3


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "API_KEY"), (404, "ends in /v1"), (400, "context window"), (307, "endpoint")]
)
def test_wrong_requests_are_not_repeated(status, advice):
    with (
        scripted_server(error(status, f"no, {KEY} is wrong")) as script,
        pytest.raises(EndpointError, match=advice) as caught,
    ):
        model(script.url).generate(PROMPT, max_tokens=5)
    assert len(script.requests) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Reply(200, (b"<html><h1>Welcome to nginx</h1>",), {"Content-Type": "text/html"}), "text/html"),
        (Reply(200, (b"\xff\xfe\x00garbage",), {"Content-Type": "application/json"}), "instead of JSON"),
        (json_reply([1, 2]), "not an object"),
        (json_reply({"choices": []}), "no choices"),
        (json_reply({"choices": "x"}), "no choices"),
        (json_reply({"choices": [{"text": "a completion"}]}), "no message"),
        (json_reply({"error": {"message": "model is gone"}}), "model is gone"),
        (completion("x", reason="content_filter"), "content_filter"),
        (Reply(200, (b'{"choices": [',), {"Content-Type": "application/json"}, cut=True), "broke"),
    ],
)
def test_unusable_answers_are_errors_with_advice(reply, complaint):
    with scripted_server(reply) as script, pytest.raises(EndpointError, match=complaint) as caught:
        model(script.url, retries=0).generate(PROMPT, max_tokens=5)
    assert script.url.removeprefix("http://") in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (events("It ", "is", reason="", done=False), "cut before the end"),
        (events("It ", reason="", done=False, cut=True), "broke"),
        (Reply(200, (b"data: {broken\n\n",), {"Content-Type": "text/event-stream"}), "not a JSON object"),
        (Reply(200, (b"data: [1]\n\n",), {"Content-Type": "text/event-stream"}), "not an object"),
        (Reply(200, (b"<html>proxy error",), {"Content-Type": "text/html"}), "no event"),
        (Reply(200, (b'data: {"error": {"message": "out of memory"}}\n\n',), {}), "out of memory"),
        (completion("whole"), "does not stream"),
    ],
)
def test_broken_streams_are_errors_not_short_answers(reply, complaint):
    with scripted_server(reply) as script, pytest.raises(EndpointError, match=complaint):
        list(model(script.url, retries=0).stream(PROMPT, max_tokens=5))


def test_streams_without_usage_or_blank_lines_or_reason_are_understood():
    lines = (
        b'data: {"choices":[{"delta":{"content":"a"}}]}\ndata: {"choices":[{"delta":{"content":"b"}}]}\ndata: [DONE]\n'
    )
    with scripted_server(Reply(200, (lines,), {"Content-Type": "text/event-stream"})) as script:
        reply = fold(model(script.url).stream(PROMPT, max_tokens=5))
    assert (reply.text, reply.finish_reason, reply.prompt_tokens) == ("ab", "stop", 0)


def test_silence_is_a_timeout_with_advice():
    with (
        scripted_server(Reply(200, (b"x",), delay=3.0)) as script,
        pytest.raises(EndpointError, match=r"silent for 0\.2 s"),
    ):
        model(script.url, timeout=0.2, retries=1).generate(PROMPT, max_tokens=5)


def test_nobody_there_is_an_error_that_names_the_address():
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9/v1 cannot be reached .*2 attempts"):
        model("http://127.0.0.1:9/v1", retries=1).generate(PROMPT, max_tokens=5)


@pytest.mark.parametrize("address", ["ftp://x/v1", "http://", "file:///etc/passwd", "http://[::1/v1"])
def test_endpoints_that_are_none(address):
    with pytest.raises(UsageError, match="endpoint"):
        model(address)


def test_the_key_is_nowhere_to_be_seen(caplog):
    caplog.set_level(logging.DEBUG)
    with scripted_server(completion("ok")) as script:
        connected = model(script.url.replace("http://", "http://user:pass-word@"))
        connected.generate(PROMPT, max_tokens=5)
    for shown in (repr(connected), repr(vars(connected)), repr(connected._server), connected.fingerprint):
        assert KEY not in shown
        assert "pass-word" not in shown
    assert "pass-word" not in "".join(record.getMessage() for record in caplog.records if record.name == "httpx")
    assert KEY not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith(("httpx", "fonte"))
    )
    with pytest.raises(UsageError, match="key"):
        EndpointLanguageModel("http://localhost/v1", "m", "line\nbreak")


def test_servers_that_do_not_know_a_field_are_asked_without_it_from_then_on():
    refusal = error(400, "Unrecognized request argument supplied: seed")
    renamed = error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with scripted_server(refusal, renamed, completion("one"), completion("two")) as script:
        connected = model(script.url)
        assert connected.generate(PROMPT, max_tokens=5).text == "one"
        assert connected.generate(PROMPT, max_tokens=5).text == "two"
    assert "seed" in script.requests[0]
    assert all("seed" not in asked for asked in script.requests[1:])
    assert script.requests[3]["max_completion_tokens"] == 5


def test_a_schema_is_asked_for_in_the_strictest_way_the_server_takes():
    good = completion('Sure!\n```json\n{"name": "Ada", "year": 1950}\n```')
    with scripted_server(error(400, "no json_schema"), error(400, "no json_object"), good) as script:
        connected = model(script.url)
        for _ in range(2):
            assert connected.generate(PROMPT, max_tokens=50, schema=Answer).text == '{"name": "Ada", "year": 1950}'
    kinds = [asked.get("response_format", {}).get("type") for asked in script.requests]
    assert kinds == ["json_schema", "json_object", None, None]
    assert "JSON schema" in script.requests[2]["messages"][-1]["content"]


def test_json_that_does_not_fit_is_returned_once_with_the_reason():
    wrong, right = completion('{"name": "Ada", "year": 3}'), completion('{"name": "Ada", "year": 1950}')
    with scripted_server(wrong, right) as script:
        reply = model(script.url).generate(PROMPT, max_tokens=50, schema=Answer)
    assert Answer.model_validate_json(reply.text).year == 1950
    assert (reply.prompt_tokens, reply.completion_tokens) == (14, 6)
    assert "year" in script.requests[1]["messages"][-1]["content"]
    with scripted_server(wrong) as script, pytest.raises(EndpointError, match=r"asked twice .*year"):
        model(script.url).generate(PROMPT, max_tokens=50, schema=Answer)
    assert len(script.requests) == 2


def test_json_cut_by_max_tokens_is_length_and_json_in_reasoning_is_found():
    with scripted_server(completion('{"name": "A', reason="length")) as script:
        reply = model(script.url).generate(PROMPT, max_tokens=5, schema=Answer)
    assert (reply.text, reply.finish_reason) == ('{"name": "A', "length")
    with scripted_server(completion("", reasoning_content='{"name": "Ada", "year": 1950}')) as script:
        assert "Ada" in fold(model(script.url).stream(PROMPT, max_tokens=5, schema=Answer)).text


def _first_token(*tokens: tuple[str, float]) -> Reply:
    top = [{"token": token, "logprob": float(np.log(probability))} for token, probability in tokens]
    choice = {"message": {"content": "x"}, "finish_reason": "length", "logprobs": {"content": [{"top_logprobs": top}]}}
    return json_reply({"choices": [choice]})


def test_choose_sums_the_first_tokens_of_each_option():
    with scripted_server(_first_token((" Yes", 0.5), ("Yes", 0.1), ("No", 0.2), ("Perhaps", 0.2))) as script:
        row = model(script.url).choose([PROMPT], ["Yes", "No"], prefix="I think")
    assert np.allclose(row, [[0.75, 0.25]])
    assert script.requests[0]["top_logprobs"] == 20
    assert "I think" in script.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize("options", [["Yes", "No"], ["The same", "The other"]])
def test_choose_falls_back_to_what_the_model_writes(options):
    replies = (_first_token(("The", 1.0)), completion(f'"{options[1]}".'))
    with scripted_server(*replies) as script:
        row = model(script.url).choose([PROMPT], options)
    assert np.allclose(row, [[0.05, 0.95]])


def test_choose_without_log_probabilities_and_without_sense():
    refusal = error(400, "logprobs is not supported")
    with scripted_server(refusal, completion("N"), completion("No"), completion("dunno")) as script:
        connected = model(script.url)
        assert np.allclose(connected.choose([PROMPT], ["Yes", "No"]), [[0.05, 0.95]])
        assert np.allclose(connected.choose([PROMPT], ["Yes", "No"]), [[0.5, 0.5]])
        assert len(script.requests) == 4
        assert connected.choose([], ["Yes", "No"]).shape == (0, 2)
        with pytest.raises(UsageError, match="option"):
            connected.choose([PROMPT], [])


def test_arguments_out_of_range_and_lone_surrogates():
    with scripted_server(completion("ok")) as script:
        connected = model(script.url)
        with pytest.raises(UsageError, match="max_tokens"):
            connected.generate(PROMPT, max_tokens=0)
        assert connected.generate(Prompt(head="bad \udcff byte"), max_tokens=5).text == "ok"
    assert script.requests[-1]["messages"][-1]["content"] == "bad \ufffd byte"
    assert connected.count_tokens("") == 0
    assert connected.count_tokens("12345") == 2


def test_from_settings():
    with pytest.raises(UsageError, match="ENDPOINT"):
        EndpointLanguageModel.from_settings(LanguageModelSettings())
    chosen = LanguageModelSettings(endpoint="localhost:8000/v1", model="m", context_window=4096)
    assert EndpointLanguageModel.from_settings(chosen).context_window == 4096
