"""One answer from request to record: steps from worker threads, for a client that may leave at any moment."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fonte.corpus.answering import Inquiry, Retrieved
from fonte.generation.events import Event, Finished, MarkerShown, Prompted, TextShown
from fonte.serving.rewriting import Rewriting, Turn, rewrite
from fonte.serving.service import Service
from fonte.values import Answer, Prompt

T = TypeVar("T")


class GoneError(Exception):
    """The client is no longer there, so the work is for nobody."""


@dataclass(frozen=True)
class Asked:
    """A question with what was said before; `found` where the passages are known already."""

    inquiry: Inquiry
    history: Sequence[Turn] = ()
    found: Retrieved | None = None


@dataclass(frozen=True)
class Done:
    """The recorded answer, and how many tokens went through the language model (0 where it only chose sentences)."""

    answer: Answer
    prompt_tokens: int = 0
    completion_tokens: int = 0


Step = Rewriting | Retrieved | Event | Done


class Answering:
    """Makes one answer, and holds a place among those who wait for the model from the beginning."""

    def __init__(self, service: Service, asked: Asked) -> None:
        """Errors: `BusyError` where too many wait already."""
        self._service = service
        self._asked = asked
        self._gone = threading.Event()
        self._begun = time.perf_counter()
        self._deadline = time.monotonic() + service.settings.answer_seconds
        self._place = service.answers.enter()

    @property
    def patience(self) -> float:
        """How long a client may take to accept a piece, in seconds."""
        return self._service.settings.request_seconds

    async def steps(self) -> AsyncGenerator[Step]:
        """Yield the rewriting, the passages, every event of the writing, and last what is `Done`.

        Left before its end, it stops the work at the model's next token. Errors: `TimeoutError` after
        `answer_seconds`; those of the corpus and the models.
        """
        with self._place:
            try:
                found = self._asked.found
                if found is None:
                    rewriting = await self._in_time(self._rewritten())
                    yield rewriting
                    found = await self._in_time(self._found(rewriting.question))
                yield found
                async for step in self._written(found):
                    yield step
            finally:
                self._gone.set()

    async def _in_time(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wait_for(work, max(0.0, self._deadline - time.monotonic()))

    async def _rewritten(self) -> Rewriting:
        question, history = self._asked.inquiry.question, self._asked.history
        if not history:
            return Rewriting(question, question, "none")
        corpus = self._service.corpus
        return await self._place.run(
            lambda: self._with_model(lambda: rewrite(history, question, corpus.language_model))
        )

    async def _found(self, question: str) -> Retrieved:
        inquiry = replace(self._asked.inquiry, question=question)
        return await self._service.search.run(lambda: find(self._service, inquiry))

    async def _written(self, found: Retrieved) -> AsyncGenerator[Step]:
        loop = asyncio.get_running_loop()
        steps: asyncio.Queue[Event | None] = asyncio.Queue()

        def tell(event: Event) -> None:
            if self._gone.is_set():
                raise GoneError
            loop.call_soon_threadsafe(steps.put_nowait, event)

        work = self._place.submit(lambda: self._with_model(lambda: _write(self._service, found, tell)))
        work.add_done_callback(lambda _: loop.call_soon_threadsafe(steps.put_nowait, None))
        told = False
        try:
            while (step := await self._in_time(steps.get())) is not None:
                if not told and isinstance(step, TextShown | MarkerShown):
                    told = True
                    self._service.metrics.first_text.observe(time.perf_counter() - self._begun)
                yield step
        except (asyncio.CancelledError, GeneratorExit):
            self._service.metrics.cancelled.inc()
            raise
        finally:
            work.cancel()
        done = work.result()
        self._service.metrics.answers.labels(done.answer.status).inc()
        yield done

    def _with_model(self, work: Callable[[], T]) -> T:
        if self._gone.is_set():
            raise GoneError
        with self._service.turns.urgent() if self._service.takes_turns else nullcontext():
            return work()


def _write(service: Service, found: Retrieved, tell: Callable[[Event], None]) -> Done:
    prompts: list[Prompt] = []
    ends: list[Finished] = []

    def noting(event: Event) -> None:
        if isinstance(event, Prompted):
            prompts.append(event.prompt)
        elif isinstance(event, Finished):
            ends.append(event)
        tell(event)

    answer = service.corpus.answer(found, noting)
    if not prompts:
        return Done(answer)
    count = service.corpus.language_model.count_tokens
    asked = sum(count(prompt.system) + count(prompt.user) for prompt in prompts)
    return Done(answer, asked, sum(len(end.token_ids) or count(end.text) for end in ends))


def find(service: Service, inquiry: Inquiry) -> Retrieved:
    """Return the passages for an inquiry, through the models that are shared; for a thread of the search lane."""
    service.share_models()
    return service.corpus.find(inquiry)
