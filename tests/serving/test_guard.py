"""Foreign hosts, foreign pages, large and slow bodies; and the headers of every response."""

import socket

import httpx
import pytest

from fonte.corpus import Corpus
from tests.serving.conftest import running, tiny_settings

ORIGIN = "https://app.example.org"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    settings = tiny_settings(hosts=("docs.example.org",), origins=(ORIGIN,), body_bytes=2000, request_seconds=1.0)
    with (
        Corpus.open(tmp_path_factory.mktemp("guarded") / "corpus", settings, create=True) as corpus,
        running(corpus) as (_, client),
    ):
        yield client


def write(client, **headers):
    return client.post("/v1/search", json={"question": "pump"}, headers=headers)


@pytest.mark.parametrize(
    "host", ["evil.example.com", "127.0.0.1.evil.com", "", "docs.example.org.evil.com", "[::2]", "a b"]
)
def test_other_names_are_refused_also_for_reading(guarded, host):
    response = guarded.get("/health", headers={"Host": host})
    assert response.status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:81", "127.0.0.1", "[::1]:8000", "docs.example.org"])
def test_own_names_are_answered(guarded, host):
    assert guarded.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.com"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "file://"},
        {"Origin": "https://app.example.org.evil.com"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_cannot_write(guarded, headers):
    assert write(guarded, **headers).status_code == 403
    sent = guarded.post("/v1/documents", files={"file": ("a.txt", b"a")}, headers=headers)
    assert sent.status_code == 403
    assert guarded.delete("/v1/documents/0", headers=headers).status_code == 403


def test_the_own_page_an_allowed_one_and_programs_can_write(guarded):
    assert write(guarded).status_code == 200
    assert write(guarded, Origin=str(guarded.base_url).rstrip("/")).status_code == 200
    assert write(guarded, **{"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert write(guarded, Origin=ORIGIN).status_code == 200


def test_cors_names_the_allowed_page_only(guarded):
    asked = {"Access-Control-Request-Method": "POST"}
    allowed = guarded.options("/v1/search", headers={"Origin": ORIGIN, **asked})
    assert allowed.headers["access-control-allow-origin"] == ORIGIN
    refused = guarded.options("/v1/search", headers={"Origin": "https://evil.example.com", **asked})
    assert "access-control-allow-origin" not in refused.headers
    assert "access-control-allow-origin" not in guarded.get("/health").headers


@pytest.mark.parametrize("path", ["/health", "/", "/v1/models", "/nothing", "/openapi.json", "/v1/documents/0"])
def test_every_response_carries_the_headers(guarded, path):
    headers = guarded.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


def test_large_bodies_are_refused_by_their_head_and_by_their_length(guarded):
    assert guarded.post("/v1/search", content=b"x" * 3000).status_code == 413

    def pieces():
        for _ in range(10):
            yield b"x" * 500

    chunked = guarded.post("/v1/search", content=pieces(), headers={"Content-Type": "application/json"})
    assert chunked.status_code == 413
    assert chunked.json()["error"]["code"] == "too_large"


def test_a_body_that_does_not_come_is_given_up(guarded):
    url = httpx.URL(guarded.base_url)
    with socket.create_connection((url.host, url.port), timeout=60) as line:
        line.sendall(b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        line.sendall(b"Content-Length: 50\r\n\r\n{")
        assert b" 408 " in line.recv(200)
    assert guarded.get("/health").status_code == 200


def test_text_is_never_sent_as_something_a_browser_would_run(guarded):
    for path in ("/<script>alert(1)</script>", "/v1/documents/<script>"):
        response = guarded.get(path)
        assert response.headers["content-type"].startswith("application/json")
