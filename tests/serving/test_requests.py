"""Search, re-ranking, documents, answers and effects over HTTP."""

import pytest

from tests.serving.conftest import chat, events
from tests.timing import until


def test_search_shows_what_the_command_line_shows(client):
    found = client.post("/v1/search", json={"question": "pump hours", "passages": 2}).json()
    assert found["passages"][0]["document"] == "pump.txt"
    assert "40 hours" in found["passages"][0]["text"]
    assert set(found["seconds"]) == {"retrieve", "rerank"}


def test_where_chooses_documents_and_unknown_keys_are_explained(client):
    found = client.post("/v1/search", json={"question": "litres metres hours bar", "where": "language=en"}).json()
    assert {passage["document"] for passage in found["passages"]} == {"valve.md"}
    refused = client.post("/v1/search", json={"question": "pump", "where": "color=red"})
    assert refused.status_code == 400
    assert "year" in refused.json()["error"]["message"]


def test_rerank_orders_what_the_client_brings(client):
    texts = ["one two", "three four", "one two"]
    body = {"query": "which?", "documents": texts, "return_documents": True}
    results = client.post("/v1/rerank", json=body).json()["results"]
    scores = {result["index"]: result["relevance_score"] for result in results}
    assert scores[0] == pytest.approx(scores[2], abs=1e-6)
    assert [result["relevance_score"] for result in results] == sorted(scores.values(), reverse=True)
    assert all(result["document"]["text"] == texts[result["index"]] for result in results)
    top = client.post("/v1/rerank", json={"query": "which?", "documents": [{"text": t} for t in texts], "top_n": 1})
    assert len(top.json()["results"]) == 1


def test_documents_are_listed_in_parts(client):
    first = client.get("/v1/documents", params={"limit": 3}).json()
    assert first["total"] == 4
    rest = client.get("/v1/documents", params={"limit": 3, "after": first["next"]}).json()
    assert rest["next"] is None
    names = [line["document"] for line in first["data"] + rest["data"]]
    assert names == ["pump.txt", "rows.jsonl#a", "rows.jsonl#b", "valve.md"]
    assert all("source" not in line for line in first["data"])


def test_a_document_shows_its_chunks_and_text(client):
    line = next(d for d in client.get("/v1/documents").json()["data"] if d["document"] == "valve.md")
    detail = client.get(f"/v1/documents/{line['document_id']}").json()
    text = client.get(f"/v1/documents/{line['document_id']}/text").json()
    assert text["characters"] == detail["characters"] == len(text["text"])
    assert [chunk["ordinal"] for chunk in detail["chunk_list"]] == list(range(detail["chunks"]))
    piece = client.get(f"/v1/documents/{line['document_id']}/text", params={"start": 5, "length": 4}).json()
    assert piece["text"] == text["text"][5:9]
    start = text["text"].index("closes")
    place = client.get(f"/v1/documents/{line['document_id']}/place", params={"start": start, "end": start + 6}).json()
    assert place["heading"] == ["Valve 7"]
    assert place["page"] is None
    assert client.get(f"/v1/documents/{line['document_id']}/pages").status_code == 404


def test_what_is_not_there_is_404_everywhere(client):
    for path in ("/v1/documents/0000", "/v1/documents/0000/text", "/v1/answers/0000", "/v1/answers/0000/effects",
                 "/v1/uploads/0000"):  # fmt: skip
        assert client.get(path).status_code == 404, path


def record_of(client, **more):
    reply = chat(client, x_fonte={"mode": "quote"}, **more).json()
    return reply["x_fonte"]["answer"]


def answered(client):
    """Return a recorded answer that is one: the tiny models are random, so several questions are tried."""
    for question in (
        "At what pressure does the valve open?",
        "How long does the pump run?",
        "What does the tank hold?",
    ):
        answer = chat(client, question, model="fonte-write", max_tokens=12).json()
        if "error" not in answer and answer["x_fonte"]["answer"]["answer"].strip():
            return answer["x_fonte"]["answer"]
    raise AssertionError("no question was answered")


def test_an_answer_is_kept_under_its_whole_id_only(client):
    answer = record_of(client)
    kept = client.get(f"/v1/answers/{answer['record']}").json()
    assert {key: kept[key] for key in answer} == answer
    assert kept["measured"] == []
    assert client.get(f"/v1/answers/{answer['record'][:8]}").status_code == 404
    assert answer["record"] in [line["id"] for line in client.get("/v1/answers").json()["data"]]
    assert client.delete(f"/v1/answers/{answer['record']}").status_code == 204
    assert client.get(f"/v1/answers/{answer['record']}").status_code == 404


def ended(client, address):
    """Wait for the measurement at `address` and return what is told of it."""
    told = {}
    until(lambda: told.update(client.get(address).json()) or told["state"] not in ("waiting", "running"))
    return told


def test_effects_are_measured_in_the_background(client):
    answer = answered(client)
    address = f"/v1/answers/{answer['record']}/effects"
    assert client.get(address).json()["state"] == "none"
    assert client.post(address).status_code == 202
    told = ended(client, address)
    assert told["state"] == "done", told
    explanation = told["explanation"]
    assert [effect["passage_id"] for effect in explanation["effects"]] == [p["passage_id"] for p in answer["passages"]]
    assert client.post(address).json()["state"] == "done"
    kept = client.get(f"/v1/answers/{answer['record']}").json()
    assert kept["effects"] == explanation["effects"] == told["answer"]["effects"]
    assert kept["measured"] == ["leave_one_out/passage"]


def test_support_names_its_scorer(client):
    answer = answered(client)
    told = client.get(f"/v1/answers/{answer['record']}/support").json()
    assert told["scorer"] == "quote overlap"
    assert [each["passage_id"] for each in told["citations"]] == [c["passage_id"] for c in answer["citations"]]
    assert [each["passage_id"] for each in told["passages"]] == [p["passage_id"] for p in answer["passages"]]
    assert all(0 <= each["value"] <= 1 for each in told["passages"] + told["citations"])


def test_effects_of_nothing_fail_with_the_reason(client):
    answer = chat(client, "xylophone?").json()["x_fonte"]["answer"]
    address = f"/v1/answers/{answer['record']}/effects"
    client.post(address, json={"method": "leave_one_out"})
    told = ended(client, address)
    assert told["state"] == "failed"
    assert "no answer whose passages could be removed" in told["message"]


def test_the_same_question_without_a_passage(client):
    answer = answered(client)
    first = answer["passages"][0]["passage_id"]
    again = client.post(f"/v1/answers/{answer['record']}/without", json={"passage_ids": [first]})
    kept = again.json()["x_fonte"]["answer"] if again.status_code == 200 else again.json()["error"]["x_fonte"]["answer"]
    assert [p["passage_id"] for p in kept["passages"]] == [p["passage_id"] for p in answer["passages"]][1:]
    assert kept["question"] == answer["question"]
    streamed = client.post(f"/v1/answers/{answer['record']}/without", json={"passage_ids": [first], "stream": True})
    assert events(streamed)[0]["choices"][0]["delta"]["role"] == "assistant"
    wrong = client.post(f"/v1/answers/{answer['record']}/without", json={"passage_ids": ["nothing"]})
    assert wrong.status_code == 404


def test_health_ready_and_metrics(client):
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").json() == {"status": "ready", "reason": ""}
    text = client.get("/metrics").text
    assert 'fonte_requests_total{method="GET",route="/health",status="200"}' in text
    assert "valve" not in text


def test_the_audit_log_says_who_did_what_and_nothing_of_the_content(shared, client):
    answer = record_of(client)
    client.get(f"/v1/answers/{answer['record']}")
    service, _ = shared
    log = service.audit.path.read_text("utf-8")
    assert answer["record"] in log
    assert "/v1/chat/completions" in log
    assert "pressure" not in log
