from itertools import pairwise

import numpy as np
import pytest
from pydantic import SecretStr

from fonte.errors import EndpointError, UsageError
from fonte.likelihood import LocalScorer, MemoryEvaluations, RemoteScorer, score
from tests.likelihood.architectures import ATTENTION
from tests.likelihood.prompts import ids, random_prompt
from tests.likelihood.servers import serving


@pytest.fixture(scope="module")
def model():
    return ATTENTION["llama"]()


def case(rows: int = 6):
    rng = np.random.default_rng(0)
    return random_prompt(rng, 4), [ids(rng, 6), ids(rng, 1)], rng.random((rows, 8)) < 0.5


@pytest.mark.parametrize("protocol", ["vllm", "sglang", "completions"])
@pytest.mark.parametrize("chosen", ["auto", "by name"])
def test_each_protocol_gives_the_oracles_numbers(model, protocol: str, chosen: str) -> None:
    expected = score(LocalScorer(model, engine="naive"), *case())
    name = protocol if chosen == "by name" else "auto"
    with serving(model, protocols=(protocol,)) as (endpoint, _), RemoteScorer(endpoint, "t", protocol=name) as scorer:
        scores = score(scorer, *case())
    assert scores.engine == protocol
    np.testing.assert_allclose(scores.sums, expected.sums, atol=1e-4)
    for tokens, reference in zip(scores.tokens, expected.tokens, strict=True):
        np.testing.assert_allclose(tokens, reference, atol=1e-4)
    assert scores.cost.calls == scores.cost.evaluations
    assert scores.noise.comparisons == 1
    assert scores.cost.check > 0


def test_requests_go_out_in_the_order_of_the_trie_with_token_ids(model) -> None:
    prompt, answers, keep = case(rows=8)
    with serving(model) as (endpoint, seen), RemoteScorer(endpoint, "tiny", protocol="vllm", concurrency=1) as scorer:
        score(scorer, prompt, answers[:1], keep)
        sent = [request["prompt"] for request in seen.requests[2:]]
    shared = [_common(a, b) for a, b in pairwise(sent)]
    assert sum(shared) == max(sum(_common(a, b) for a, b in pairwise(order)) for order in [sent, sorted(sent)])
    assert all(request["max_tokens"] == 1 for request in seen.requests)


def _common(a: list[int], b: list[int]) -> int:
    return next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def test_sglang_starts_one_token_early_and_counts_what_was_cached(model) -> None:
    prompt, answers, keep = case()
    with (
        serving(model, protocols=("sglang",)) as (endpoint, seen),
        RemoteScorer(endpoint, "t", protocol="sglang") as scorer,
    ):
        scores = score(scorer, prompt, answers, keep)
    for request in seen.requests:
        assert request["logprob_start_len"] == len(request["input_ids"]) - 1 - len(_answer_of(request, answers))
    assert scores.cost.computed < scores.cost.naive


def _answer_of(request, answers):
    found = [a for a in (*answers, answers[0][:-1]) if tuple(request["input_ids"][-len(a) :]) == a]
    return max(found, key=len)


@pytest.mark.parametrize("protocol", ["auto", "vllm", "completions"])
@pytest.mark.parametrize("fault", ["llama.cpp", "generated only"])
def test_a_server_that_is_silent_about_the_prompt_is_refused(model, protocol: str, fault: str) -> None:
    with (
        serving(model, protocols=(), fault=fault) as (endpoint, _),
        RemoteScorer(endpoint, "tiny", protocol=protocol, retries=0) as scorer,
        pytest.raises(EndpointError, match="does not give log-probabilities of the tokens it is sent") as error,
    ):
        score(scorer, *case())
    assert "llama.cpp" in str(error.value)
    assert ("vllm" in str(error.value)) == (protocol != "completions")


@pytest.mark.parametrize(
    ("protocol", "fault"),
    [
        ("completions", "begin token"),
        ("completions", "other tokens"),
        ("completions", "displaced"),
        ("completions", "displaced, padded"),
        ("sglang", "other ids"),
    ],
)
def test_a_server_that_scores_other_tokens_is_refused(model, protocol: str, fault: str) -> None:
    with (
        serving(model, protocols=(protocol,), fault=fault) as (endpoint, _),
        RemoteScorer(endpoint, "tiny", protocol=protocol, retries=0) as scorer,
        pytest.raises(EndpointError),
    ):
        score(scorer, *case())


def test_a_server_that_fails_at_first_is_asked_again(model) -> None:
    expected = score(LocalScorer(model), *case())
    with serving(model, failures=2) as (endpoint, _), RemoteScorer(endpoint, "tiny", protocol="vllm") as scorer:
        np.testing.assert_allclose(score(scorer, *case()).sums, expected.sums, atol=1e-4)


def test_no_server_and_no_key_are_errors_at_once(model) -> None:
    with (
        RemoteScorer("http://127.0.0.1:9/v1", "tiny", retries=0) as scorer,
        pytest.raises(EndpointError, match="reached"),
    ):
        score(scorer, *case())
    with (
        serving(model, failures=9, status=401) as (endpoint, seen),
        RemoteScorer(endpoint, "tiny", api_key=SecretStr("sesame-7")) as scorer,
        pytest.raises(EndpointError) as error,
    ):
        score(scorer, *case())
    assert len(seen.requests) == 1
    assert seen.headers[0]["Authorization"] == "Bearer sesame-7"
    assert "sesame" not in str(error.value)
    with pytest.raises(UsageError, match="Unknown protocol 'grpc'"):
        RemoteScorer("http://127.0.0.1:9/v1", "tiny", protocol="grpc")


def test_evaluations_are_stored_and_a_failure_in_between_keeps_them(model) -> None:
    store = MemoryEvaluations()
    with serving(model) as (endpoint, seen):
        options = {"protocol": "vllm", "fingerprint": "tiny on a server", "concurrency": 1, "retries": 0}

        def break_down(done: int, total: int) -> None:
            seen.failures = 99 if done == 3 else 0

        with RemoteScorer(endpoint, "tiny", **options) as scorer:
            with pytest.raises(EndpointError, match="503"):
                score(scorer, *case(), store=store, progress=break_down)
            kept = len(store)
            assert kept >= 3
            seen.failures = 0
            scores = score(scorer, *case(), store=store)
    assert scores.cost.stored == kept
    np.testing.assert_allclose(scores.sums, score(LocalScorer(model), *case()).sums, atol=1e-4)


def test_a_cancelled_call_returns_what_is_ready(model) -> None:
    done: list[int] = []
    with serving(model) as (endpoint, _), RemoteScorer(endpoint, "tiny", protocol="vllm", concurrency=1) as scorer:
        scores = score(scorer, *case(), progress=lambda ready, _: done.append(ready), cancelled=lambda: len(done) > 2)
    assert scores.status == "cancelled"
    assert 0 < len(scores.rows) < 6
