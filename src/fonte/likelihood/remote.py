"""Scoring with a server that returns log-probabilities of given tokens; one that only pretends to is refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from pydantic import SecretStr

from fonte.errors import EndpointError, UsageError
from fonte.likelihood.noise import Noise, noise_between, worse
from fonte.likelihood.plan import Cancelled, Evaluation, Plan, Stop
from fonte.likelihood.protocols import PROTOCOLS, ServerProtocol, ServerScore, UnusableReplyError
from fonte.models.http import Rejected, Server

TOLERANCE = 1.0  # nats per token: more is no rounding, the server scores something else than it was sent
NO_ENTRY = frozenset({401, 403})


class RemoteScorer:
    """log p(answer | ablated prompt) from a server; implements `Scorer`. `close` it, or use it in a `with` statement.

    `endpoint` is a base URL such as `http://localhost:8000/v1`, `model` the server's name for the model. Prompts are
    sent as token ids, so they must come from that model's own tokenizer. `protocol` is `vllm`, `sglang`, `completions`
    or `auto`, which takes the first one that works. Requests go out in the order of the prefix trie, `concurrency` at a
    time, so that prefix caches hit. `timeout` is in seconds per attempt, `retries` counts attempts after the first.
    `fingerprint` names the weights for an evaluation store: only the caller knows whether a server's weights change.

    At first use a probe scores one answer twice, once without its last token: both must cover exactly the tokens that
    were sent and agree; how far they differ is the first measurement of `noise`. Errors: `EndpointError` where
    the server fails after all retries, refuses, or does not return log-probabilities of the prompt.
    """

    dtype = "server"
    vocabulary = None
    reason = ""

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        protocol: str = "auto",
        api_key: SecretStr | None = None,
        fingerprint: str = "",
        context_window: int | None = None,
        concurrency: int = 4,
        timeout: float = 60.0,
        retries: int = 3,
    ) -> None:
        names = [known.name for known in PROTOCOLS]
        if protocol not in ("auto", *names):
            raise UsageError(f"Unknown protocol {protocol!r}; choose one of auto, {', '.join(names)}.")
        self.endpoint, self.model = endpoint, model
        self.fingerprint, self.context_window = fingerprint, context_window
        self.engine = ""
        self.noise = Noise(self.dtype)
        self.check_tokens = 0
        self._candidates = [known for known in PROTOCOLS if protocol in ("auto", known.name)]
        self._protocol: ServerProtocol | None = None
        self._concurrency = max(1, concurrency)
        self._servers = {
            known.name: Server(known.address(endpoint)[0], api_key, timeout, max(0, retries))
            for known in self._candidates
        }

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        for server in self._servers.values():
            server.close()

    def evaluate(self, plan: Plan, stop: Stop) -> Generator[Evaluation, None, None]:
        """Score every visit of `plan` in order; see `Scorer.evaluate`."""
        self.check_tokens = 0
        protocol = self._protocol = self._protocol or self._choose(plan)
        self.engine = protocol.name
        jobs = ((visit.prompt, number) for visit in plan.visits for number in plan.wanted[visit.prompt])
        ready: dict[int, dict[int, ServerScore]] = {}
        pool = ThreadPoolExecutor(self._concurrency)
        try:
            for (prompt, number), result in self._in_order(pool, protocol, plan, jobs, stop):
                scored = ready.setdefault(prompt, {})
                scored[number] = result
                if len(scored) == len(plan.wanted[prompt]):
                    del ready[prompt]
                    values = {answer: score.values for answer, score in scored.items()}
                    yield Evaluation(prompt, values, sum(score.computed for score in scored.values()), len(scored))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _in_order(
        self,
        pool: ThreadPoolExecutor,
        protocol: ServerProtocol,
        plan: Plan,
        jobs: Iterator[tuple[int, int]],
        stop: Stop,
    ) -> Iterator[tuple[tuple[int, int], ServerScore]]:
        """Keep a few requests on their way; give the replies back in the order of the jobs."""
        running: deque[tuple[tuple[int, int], Future[ServerScore]]] = deque()
        for prompt, number in jobs:
            if stop():
                raise Cancelled
            future = pool.submit(self._score, protocol, plan.prompt(prompt), plan.answers[number])
            running.append(((prompt, number), future))
            if len(running) > self._concurrency:
                job, oldest = running.popleft()
                yield job, oldest.result()
        while running:
            if stop():
                raise Cancelled
            job, oldest = running.popleft()
            yield job, oldest.result()

    def _choose(self, plan: Plan) -> ServerProtocol:
        """Probe the candidates with a prompt of the plan; return the first that does what it should."""
        first = plan.visits[0].prompt
        prompt, answer = plan.prompt(first), max((plan.answers[number] for number in plan.wanted[first]), key=len)
        refusals = []
        for candidate in self._candidates:
            try:
                self._probe(candidate, prompt, answer)
            except Rejected as error:
                if error.status in NO_ENTRY:
                    raise
                refusals.append(f"{candidate.name}: {error}")
            except UnusableReplyError as error:
                refusals.append(f"{candidate.name}: it answered, but {error}.")
            else:
                return candidate
        shown = self._servers[self._candidates[0].name].shown
        raise EndpointError(
            f"The server {shown} does not give log-probabilities of the tokens it is sent, so answers cannot be scored "
            "there. Tried:\n  "
            + "\n  ".join(refusals)
            + "\nUse vLLM, SGLang or a local model. (llama.cpp's server gives "
            "log-probabilities of generated tokens only.)"
        )

    def _probe(self, protocol: ServerProtocol, prompt: tuple[int, ...], answer: tuple[int, ...]) -> None:
        full = self._ask(protocol, prompt, answer)
        shorter = answer[:-1] or answer
        again = self._ask(protocol, prompt, shorter)
        difference = noise_between(self.dtype, [full.values[: len(shorter)]], [again.values])
        if difference.token > TOLERANCE:
            raise UnusableReplyError(
                f"the same tokens got log-probabilities {difference.token:.2g} nats apart when another token followed: "
                "the values are not about the tokens that were sent"
            )
        self.noise = worse(self.noise, difference)
        self.check_tokens += full.computed + again.computed

    def _score(self, protocol: ServerProtocol, prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        try:
            return self._ask(protocol, prompt, answer)
        except UnusableReplyError as error:
            raise self._servers[protocol.name].unusable(str(error)) from None

    def _ask(self, protocol: ServerProtocol, prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        body = protocol.request(self.model, prompt, answer)
        reply = self._servers[protocol.name].ask(protocol.address(self.endpoint)[1], body)
        return protocol.read(reply, prompt, answer)
