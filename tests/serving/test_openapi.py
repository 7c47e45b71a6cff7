"""The OpenAPI document is complete: what fits it is answered as it says, and what does not fit is refused."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from fonte.corpus import Corpus
from fonte.serving.keys import KeyFile
from tests.serving.conftest import running, tiny_settings, write_library

EXAMPLES = 12
ROUTES = 27
# What a schema cannot say: the last message is the user's, a filter is a sentence, a span ends after its start.
REFUSED_FOR_MORE = {
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/search"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/documents/{document}/place"),
}
# A body can be refused for its length before its shape is looked at; in a form everything is a text.
ACCEPTED_FOR_LESS = {("POST", "/v1/rerank"), ("POST", "/v1/documents"), ("PUT", "/v1/documents/{document}")}
# Nothing can be wrong with a request that has neither parts nor a key.
WITHOUT_PARTS = {"/health", "/ready"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The schema of a running server, and the header that it wants."""
    folder = tmp_path_factory.mktemp("schema")
    keys = KeyFile(folder / "keys.json")
    headers = {"Authorization": f"Bearer {keys.add('admin', admin=True)[0]}"}
    with Corpus.open(folder / "corpus", tiny_settings(reranker=True), create=True) as corpus:
        corpus.add([write_library(folder / "library")])
        with running(corpus, keys=keys) as (_, client):
            yield schemathesis.openapi.from_url(f"{client.base_url}/openapi.json"), headers


def operations(schema):
    found = [found.ok() for found in schema.get_all_operations()]
    assert len(found) == ROUTES
    return found


def key_of(operation):
    return operation.method.upper(), operation.path


@pytest.mark.parametrize("number", range(ROUTES))
def test_requests_that_fit_are_answered_as_the_document_says(server, number):
    schema, headers = server
    operation = operations(schema)[number]
    excluded = [positive_data_acceptance] if key_of(operation) in REFUSED_FOR_MORE else []

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def answered(case):
        case.call_and_validate(headers=headers, excluded_checks=excluded)

    answered()


@pytest.mark.parametrize("number", range(ROUTES))
def test_requests_that_do_not_fit_are_refused(server, number):
    schema, headers = server
    operation = operations(schema)[number]
    # A query may hold names that no route knows, as everywhere on the web: they are ignored.
    lenient = operation.method.upper() == "GET" or key_of(operation) in ACCEPTED_FOR_LESS
    excluded = [negative_data_rejection] if lenient else []

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
    def refused(case):
        case.call_and_validate(headers=headers, excluded_checks=excluded)

    if operation.path not in WITHOUT_PARTS:
        refused()


def test_every_route_is_described_with_its_failures(server):
    for path, methods in server[0].raw_schema["paths"].items():
        for method, operation in methods.items():
            assert operation.get("description"), (method, path)
            assert {"400", "401", "404", "429", "500"} <= set(operation["responses"]), (method, path)
