"""What a key may not see exists for it in no answer, title, number, error, record or cache: see docs/security.md."""

import json

import httpx
import pytest

from fonte.corpus import Corpus
from fonte.serving.keys import KeyFile
from tests.serving.conftest import chat, running, tiny_settings
from tests.timing import until

SECRET = "The merger with Zanzibar Holding costs 812 million; ask Quetzal."
# Of the hidden document's text, title and metadata: words that no attempt says itself.
MARKS = ("quetzal", "quokka", "numbat")


def write_files(folder, *, secret=True):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(6):
        head = f"---\nyear: 202{number}\n---\n# Office {number}\n\n"
        text = f"{head}The office {number} holds {number} costs and million desks.\n"
        (folder / f"office{number}.md").write_text(text, "utf-8")
    if secret:
        head = "---\nwhisper: numbat\n---\n# Codename Quokka\n\n"
        (folder / "merger.md").write_text(f"{head}{SECRET} The office costs costs costs million.\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A server with a document that only `legal` may see; clients by key, and what `legal` learned of it."""
    folder = tmp_path_factory.mktemp("house")
    keys = KeyFile(folder / "keys.json")
    given = {
        "legal": keys.add("legal", ["legal"], write=True)[0],
        "hr": keys.add("hr", ["hr"], write=True)[0],
        "admin": keys.add("admin", admin=True)[0],
    }
    with Corpus.open(folder / "corpus", tiny_settings(index="hybrid"), create=True) as corpus:
        corpus.add([write_files(folder / "files")])
        corpus.records.groups.set(str(folder / "files" / "merger.md"), ["legal"])
        with running(corpus, keys=keys) as (service, client):
            clients = {
                name: httpx.Client(base_url=client.base_url, timeout=120, headers={"Authorization": f"Bearer {key}"})
                for name, key in given.items()
            }
            clients["nobody"] = httpx.Client(base_url=client.base_url, timeout=120)
            yield service, clients
            for each in clients.values():
                each.close()


@pytest.fixture(scope="module")
def known(house):
    """What only `legal` knows: ids of document, passage, record and upload."""
    _, clients = house
    legal = clients["legal"]
    found = legal.post("/v1/search", json={"question": "Zanzibar merger"}).json()["passages"]
    secret = next(passage for passage in found if passage["document"] == "merger.md")
    answer = chat(legal, "What does the merger with Zanzibar cost?").json()["x_fonte"]["answer"]
    upload = legal.post("/v1/documents", files={"file": ("zanzibar2.txt", b"Zanzibar two.")}).json()
    legal.post(f"/v1/answers/{answer['record']}/effects")
    return {
        "document": secret["document_id"],
        "passage": secret["passage_id"],
        "record": answer["record"],
        "upload": upload["id"],
    }


def attempts(known):
    """Yield (method, path, JSON or form) of every way to ask for what is hidden."""
    yield from attempts_by_question(known["document"])
    yield from attempts_by_document(known["document"])
    yield from attempts_by_record(known["record"], known["passage"])
    yield from attempts_by_path(known)


def attempts_by_question(document):
    questions = ("Zanzibar", "merger", "What does the merger cost?", "812 million", "codename", "office costs million")
    wheres = ("document=merger.md", "title~Codename", "whisper=very", "source~merger", "not year>=2000",
              "format=markdown", "document!=office0.md", f"document={document}")  # fmt: skip
    for question in questions:
        for index in ("hybrid", "dense", "lexical"):
            yield "POST", "/v1/search", {"question": question, "index": index, "passages": 200}
        for mode in ("quote", "write"):
            for stream in (False, True):
                body = {"messages": [{"role": "user", "content": question}], "stream": stream, "max_tokens": 5}
                yield "POST", "/v1/chat/completions", {**body, "x_fonte": {"mode": mode, "passages": 200}}
    for where in wheres:
        for question in questions[:4]:
            yield "POST", "/v1/search", {"question": question, "where": where}
        body = {"messages": [{"role": "user", "content": "Zanzibar"}], "x_fonte": {"where": where, "mode": "quote"}}
        yield "POST", "/v1/chat/completions", body
        yield "GET", f"/v1/documents?where={where}", None


def attempts_by_document(document):
    for each in (document, document[:8], document.upper(), "merger.md", "..%2Fmerger.md"):
        yield "GET", f"/v1/documents/{each}", None
        yield "GET", f"/v1/documents?after={each}", None
        for part in ("text", "text?start=0&length=10", "place?start=0&end=9", "pages", "pages/1.png"):
            yield "GET", f"/v1/documents/{each}/{part}", None
        yield "DELETE", f"/v1/documents/{each}", None
        yield "DELETE", f"/v1/documents/{each}?purge=true", None
        yield "PUT", f"/v1/documents/{each}/groups", {"groups": ["hr"]}
        yield "PUT", f"/v1/documents/{each}", "file"


def attempts_by_record(record, passage):
    for each in (record, record[:4], record[:8], record[:12], f"{record}-2", record.upper()):
        yield "GET", f"/v1/answers/{each}", None
        yield "DELETE", f"/v1/answers/{each}", None
        for level in ("passage", "sentence"):
            yield "GET", f"/v1/answers/{each}/effects?level={level}", None
            yield "POST", f"/v1/answers/{each}/effects", {"level": level}
        yield "POST", f"/v1/answers/{each}/without", {"passage_ids": [passage]}
        yield "POST", f"/v1/answers/{each}/without", {"passage_ids": ["x"]}


def attempts_by_path(known):
    document, record, upload = known["document"], known["record"], known["upload"]
    for each in (upload, upload[:8]):
        yield "GET", f"/v1/uploads/{each}", None
    for path in ("/v1/uploads", "/v1/answers?limit=200", "/v1/documents?limit=1000", "/metrics", "/openapi.json",
                 "/health", "/ready", "/v1/models", "/audit.jsonl", "/records.db", "/..%2f..%2faudit.jsonl",
                 "/%2e%2e/records.db",
                 "/static/../../corpus/records.db", "/v1/documents/../../records.db", "/page/", "/docs", "/redoc",
                 "/v1", "/uploads", f"/uploads/{upload}/zanzibar2.txt"):  # fmt: skip
        yield "GET", path, None
    for method in ("HEAD", "OPTIONS", "PATCH"):
        for path in (f"/v1/documents/{document}", f"/v1/answers/{record}", f"/v1/uploads/{upload}"):
            yield method, path, None


def ask(client, method, path, body):
    if body == "file":
        return client.request(method, path, files={"file": ("merger.md", b"mine")})
    return client.request(method, path, json=body) if body is not None else client.request(method, path)


def test_two_hundred_attempts_to_see_a_hidden_document_show_nothing(house, known):
    _, clients = house
    count = 0
    for method, path, body in attempts(known):
        response = ask(clients["hr"], method, path, body)
        count += 1
        assert response.status_code < 500, (method, path, response.text)
        shown = (response.text + repr(dict(response.headers))).lower()
        assert not any(mark in shown for mark in MARKS), (method, path, body)
        # An id that the attempt named may come back, as in "There is no document '0123'".
        said = path.lower() + json.dumps(body)
        assert not any(each in shown and each not in said for each in known.values()), (method, path, body)
    assert count >= 200
    assert ask(clients["legal"], "GET", f"/v1/documents/{known['document']}", None).status_code == 200
    assert ask(clients["legal"], "GET", f"/v1/answers/{known['record']}", None).status_code == 200


def test_without_a_key_nothing_is_answered(house, known):
    _, clients = house
    for method, path, body in list(attempts(known))[::3]:
        if path.startswith("/v1/") and method in ("GET", "POST", "PUT", "DELETE"):
            response = ask(clients["nobody"], method, path, body)
            assert response.status_code in (401, 404, 405), (method, path, response.status_code)
            assert "zanzibar" not in response.text.lower()
    assert clients["nobody"].get("/v1/models", headers={"Authorization": "Bearer fonte-guess"}).status_code == 401


def test_hidden_and_absent_are_answered_alike(house, known):
    _, clients = house
    absent = "0123456789abcdef"
    for part in ("", "/text", "/place?start=0&end=1", "/pages", "/pages/1.png"):
        hidden = clients["hr"].get(f"/v1/documents/{known['document']}{part}")
        missing = clients["hr"].get(f"/v1/documents/{absent}{part}")
        assert hidden.status_code == missing.status_code == 404
        assert hidden.text.replace(known["document"], "") == missing.text.replace(absent, "")
    hidden = clients["hr"].get(f"/v1/answers/{known['record']}").text
    assert hidden.replace(known["record"], "") == clients["hr"].get(f"/v1/answers/{absent}").text.replace(absent, "")


def test_a_key_of_metadata_that_only_hidden_documents_have_is_unknown(house):
    _, clients = house
    hidden = clients["hr"].get("/v1/documents", params={"where": "whisper=very"})
    absent = clients["hr"].get("/v1/documents", params={"where": "nothing=very"})
    assert hidden.status_code == absent.status_code == 400
    assert hidden.text.replace("whisper", "nothing") == absent.text
    assert clients["legal"].get("/v1/documents", params={"where": "whisper=numbat"}).json()["total"] == 1


def test_scores_do_not_tell_of_hidden_documents(tmp_path):
    """The same search gives the same bytes, whether a hidden document full of its words is there or not."""
    folder = write_files(tmp_path / "files")
    keys = KeyFile(tmp_path / "keys.json")
    headers = {"Authorization": f"Bearer {keys.add('hr', ['hr'])[0]}"}
    seen = []
    for number in range(2):
        if number:
            (folder / "merger.md").unlink()
        with Corpus.open(tmp_path / f"corpus{number}", tiny_settings(), create=True) as corpus:
            corpus.add([folder])
            corpus.records.groups.set(str(folder / "merger.md"), ["legal"])
            with running(corpus, keys=keys) as (_, client):
                shown = []
                for index in ("lexical", "dense", "hybrid"):
                    for question in ("office costs million", "costs", "Zanzibar", "desks of office 3"):
                        body = {"question": question, "index": index, "passages": 50}
                        shown.append(client.post("/v1/search", json=body, headers=headers).json()["passages"])
                seen.append(shown)
    assert seen[0] == seen[1]
    assert any(seen[0])


def test_a_record_is_hidden_as_soon_as_one_of_its_documents_is(tmp_path):
    folder = write_files(tmp_path / "files")
    keys = KeyFile(tmp_path / "keys.json")
    headers = {"Authorization": f"Bearer {keys.add('hr', ['hr'])[0]}"}
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus:
        corpus.add([folder])
        with running(corpus, keys=keys) as (_, client):
            client.headers.update(headers)
            record = chat(client, "What does Zanzibar cost?").json()["x_fonte"]["answer"]["record"]
            assert client.get(f"/v1/answers/{record}").status_code == 200
            corpus.records.groups.set(str(folder / "merger.md"), ["legal"])
            assert client.get(f"/v1/answers/{record}").status_code == 404
            assert client.get("/v1/answers").json()["data"] == []
            (merger,) = [entry for entry in corpus.documents() if entry.document == "merger.md"]
            corpus.discard([merger.document_id])
            assert client.get(f"/v1/answers/{record}").status_code == 404, "also when the document is gone"


def test_equal_answers_to_two_keys_have_ids_that_tell_nothing_of_one_another(house):
    _, clients = house
    ids = [chat(clients[name], "How many desks holds office 2?").json()["x_fonte"]["answer"]["record"]
           for name in ("hr", "admin")]  # fmt: skip
    assert all("-" not in record for record in ids)
    assert ids[0] != ids[1]


def test_uploads_belong_to_groups_of_the_key(house):
    _, clients = house
    refused = clients["hr"].post("/v1/documents", files={"file": ("a.txt", b"a")}, data={"groups": ["legal"]})
    assert refused.status_code == 403
    taken = clients["hr"].post("/v1/documents", files={"file": ("a.txt", b"a")})
    assert taken.json()["groups"] == ["hr"]
    assert clients["legal"].get(f"/v1/uploads/{taken.json()['id']}").status_code == 404
    assert clients["admin"].get(f"/v1/uploads/{taken.json()['id']}").status_code == 200


def test_who_uploads_what_a_hidden_file_holds_does_not_learn_of_it(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    keys.add("admin", admin=True)
    headers = {"Authorization": f"Bearer {keys.add('writer', write=True)[0]}"}
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus:
        hidden = write_files(tmp_path / "files") / "merger.md"
        corpus.add([hidden.parent])
        corpus.records.groups.set(str(hidden), ["legal"])
        with running(corpus, keys=keys) as (_, client):
            client.headers.update(headers)
            upload = client.post("/v1/documents", files={"file": ("mine.md", hidden.read_bytes())}).json()
            told = {}
            until(lambda: told.update(client.get(f"/v1/uploads/{upload['id']}").json()) or told["state"] == "indexed")
            assert "legal" not in str(told)
            assert client.get(f"/v1/documents/{told['documents'][0]}").json()["groups"] == []


def test_rights_are_asked_for(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    headers = {"Authorization": f"Bearer {keys.add('reader')[0]}"}
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus:
        corpus.add([write_files(tmp_path / "files", secret=False)])
        document = corpus.documents()[0].document_id
        with running(corpus, keys=keys) as (_, client):
            client.headers.update(headers)
            assert client.get(f"/v1/documents/{document}").status_code == 200
            assert client.post("/v1/documents", files={"file": ("a.txt", b"a")}).status_code == 403
            assert client.delete(f"/v1/documents/{document}").status_code == 403
            assert client.put(f"/v1/documents/{document}/groups", json={"groups": []}).status_code == 403
            assert client.get("/metrics").status_code == 403
            keys.remove("reader")
            assert client.get(f"/v1/documents/{document}").status_code == 200, "no key, and loopback only"
