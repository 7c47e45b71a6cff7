"""`/v1/chat/completions`: one answer, streamed and whole, in OpenAI's shape."""

from tests.serving.conftest import chat, events


def test_an_answer_has_openais_shape_and_fontes_under_an_extension(client):
    reply = chat(client).json()
    assert reply["object"] == "chat.completion"
    (choice,) = reply["choices"]
    answer = reply["x_fonte"]["answer"]
    assert choice["message"]["role"] == "assistant"
    assert choice["finish_reason"] == "stop"
    if answer["status"] == "answered":
        assert choice["message"]["content"] == answer["answer"]
    assert answer["record"]


def test_annotations_span_the_sentence_and_the_citation_says_where_it_stands(client):
    reply = chat(client, x_fonte={"mode": "quote"}).json()
    answer = reply["x_fonte"]["answer"]
    annotations = reply["choices"][0]["message"]["annotations"]
    assert len(annotations) == len(answer["citations"])
    for annotation, citation in zip(annotations, answer["citations"], strict=True):
        span = annotation["url_citation"]
        assert (span["start_index"], span["end_index"]) == (citation["answer_start"], citation["answer_end"])
        assert citation["document_id"] in span["url"]
        text = client.get(f"/v1/documents/{citation['document_id']}/text").json()["text"]
        assert text[citation["source_start"] : citation["source_end"]] == citation["quote"]


def test_the_stream_adds_up_to_the_whole_reply(client):
    whole = chat(client).json()
    chunks = events(chat(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    message = whole["choices"][0]["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == message["content"]
    assert [note for delta in deltas for note in delta.get("annotations", [])] == message["annotations"]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == whole["usage"]
    finished = chunks[-2]
    assert finished["choices"][0]["finish_reason"] == "stop"
    ours, theirs = finished["x_fonte"]["answer"], whole["x_fonte"]["answer"]
    for answer in (ours, theirs):
        answer.pop("record")
        answer.pop("seconds")
    assert ours == theirs


def test_what_is_not_in_the_sources_is_said_in_words(client):
    reply = chat(client, "xylophone?", x_fonte={"index": "lexical"}).json()
    assert reply["x_fonte"]["answer"]["status"] == "not_in_sources"
    assert reply["x_fonte"]["answer"]["answer"] == ""
    assert reply["choices"][0]["message"]["content"].startswith("The sources do not answer this.")
    streamed = events(chat(client, "xylophone?", stream=True))
    assert any(chunk.get("x_fonte", {}).get("type") == "notice" for chunk in streamed)


def test_wishes_hold_for_one_request(client):
    reply = chat(client, seed=7, x_fonte={"passages": 1, "where": "year=2024"}).json()
    record = client.get(f"/v1/answers/{reply['x_fonte']['answer']['record']}").json()
    assert record["seed"] == 7
    assert record["settings"]["retrieval"]["passages"] == 1
    assert [passage["document"] for passage in record["passages"]] == ["valve.md"]


def test_fields_without_effect_are_named(client):
    body = {"model": "fonte", "tools": [], "messages": [
        {"role": "system", "content": "You are a pirate."}, {"role": "user", "content": "How long does the pump run?"},
    ]}  # fmt: skip
    reply = client.post("/v1/chat/completions", json=body).json()
    assert reply["x_fonte"]["ignored"] == ["messages.system", "tools"]


def test_models_are_listed_and_unknown_ones_refused(client):
    names = [model["id"] for model in client.get("/v1/models").json()["data"]]
    assert names == ["fonte", "fonte-quote", "fonte-write"]
    assert client.get("/v1/models/fonte").json()["id"] == "fonte"
    refused = chat(client, model="gpt-4")
    assert refused.status_code == 404
    assert set(refused.json()["error"]) == {"message", "type", "param", "code"}


def test_errors_have_openais_shape(client):
    for body in ({}, {"messages": []}, {"messages": [{"role": "assistant", "content": "hello"}]}):
        refused = client.post("/v1/chat/completions", json=body)
        assert refused.status_code == 400
        assert refused.json()["error"]["type"] == "invalid_request_error"
    assert client.get("/nothing/here").status_code == 404
    assert client.get("/v1/nothing").json()["error"]["code"] == "not_found"


def test_parts_of_a_message_are_joined(client):
    content = [{"type": "text", "text": "At what pressure does"}, {"type": "text", "text": "the valve open?"}]
    body = {"messages": [{"role": "user", "content": content}]}
    reply = client.post("/v1/chat/completions", json=body).json()
    assert reply["x_fonte"]["answer"]["question"] == "At what pressure does\nthe valve open?"


def test_writing_is_streamed_too(client):
    chunks = events(chat(client, model="fonte-write", stream=True, max_tokens=20))
    finished = chunks[-1]
    assert finished["choices"][0]["finish_reason"] in ("stop", "length")
    shown = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    answer = finished["x_fonte"]["answer"]
    assert answer["mode"] == "write"
    assert shown == answer["answer"] or answer["answer"] == ""


def test_a_follow_up_question_is_rewritten_and_the_rewriting_shown(client):
    messages = [
        {"role": "user", "content": "At what pressure does the valve open?"},
        {"role": "assistant", "content": "The valve opens at 3 bar. [1]"},
        {"role": "user", "content": "And when does it close?"},
    ]
    reply = client.post("/v1/chat/completions", json={"messages": messages}).json()
    rewriting = reply["x_fonte"]["rewriting"]
    assert rewriting["original"] == "And when does it close?"
    assert rewriting["by"] in ("model", "joined"), "a tiny random model writes nothing usable"
    assert reply["x_fonte"]["answer"]["question"] == rewriting["question"]
    as_said = client.post("/v1/chat/completions", json={"messages": messages, "x_fonte": {"rewrite": False}}).json()
    assert as_said["x_fonte"]["rewriting"]["by"] == "none"
    assert as_said["x_fonte"]["answer"]["question"] == "And when does it close?"
