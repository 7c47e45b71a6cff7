"""Who waits for what: bounded lanes, shared models, and answers before measurements."""

import asyncio
import threading

import numpy as np
import pytest

from fonte.errors import ModelError
from fonte.serving.lanes import BusyError, Lane
from fonte.serving.model_worker import ModelWorker
from fonte.serving.shared_models import SharedEmbedder, SharedReranker
from fonte.serving.turns import Turns
from tests.timing import until
from tests.tiny import tiny_embedder, tiny_reranker


def test_a_full_lane_says_when_to_come_back():
    lane, go = Lane("model", threads=1, queue=1), threading.Event()
    with lane.enter() as first, lane.enter() as second:
        running, waiting = first.submit(go.wait), second.submit(lambda: 7)
        with pytest.raises(BusyError) as refused:
            lane.enter()
        assert refused.value.retry_after >= 1
        go.set()
        assert running.result(60)
        assert waiting.result(60) == 7
    with lane.enter():
        assert lane.waiting == 1
    lane.close()


def test_a_caller_that_leaves_the_queue_frees_its_place_and_its_work_is_not_begun():
    lane, go, begun = Lane("model", threads=1, queue=5), threading.Event(), []

    async def story():
        first = asyncio.ensure_future(lane.run(go.wait))
        second = asyncio.ensure_future(lane.run(lambda: begun.append(2)))
        while not lane.waiting:
            await asyncio.sleep(0.01)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        go.set()
        await first

    asyncio.run(story())
    lane.close()
    assert begun == []
    assert lane.waiting == 0


class Occupied(ModelWorker):
    """A worker at work on something until `go` is set, so that what is asked meanwhile waits."""

    def __init__(self, most):
        super().__init__("model", most)
        self.go, begun = threading.Event(), threading.Event()

        def occupy(items):
            begun.set()
            self.go.wait(60)
            return items

        self._occupied = threading.Thread(target=self.ask, args=(occupy, [0]))
        self._occupied.start()
        begun.wait(60)

    def answer(self, asks):
        """Start `asks` in threads, one after the other, let the worker go on, and wait for all."""
        threads = [threading.Thread(target=ask) for ask in asks]
        for number, thread in enumerate(threads, 1):
            thread.start()
            until(lambda number=number: self.waiting == number)
        self.go.set()
        for thread in [*threads, self._occupied]:
            thread.join(60)
        self.close()


def test_requests_that_wait_together_are_computed_together():
    worker, sizes, results = Occupied(most=8), [], {}

    def doubled(items):
        sizes.append(len(items))
        return [2 * item for item in items]

    worker.answer([lambda n=n: results.update({n: worker.ask(doubled, [n, n + 1])}) for n in range(10)])
    assert results == {n: [2 * n, 2 * n + 2] for n in range(10)}
    assert sizes == [8, 8, 4]


def test_nobody_fails_for_the_input_of_another():
    worker, results = Occupied(most=8), []

    def inverse(items):
        return [1 / item for item in items]

    def ask(item):
        try:
            results.append((item, worker.ask(inverse, [item])))
        except ZeroDivisionError:
            results.append((item, "failed"))

    worker.answer([lambda item=item: ask(item) for item in (1, 0, 2, 4)])
    assert sorted(results) == [(0, "failed"), (1, [1.0]), (2, [0.5]), (4, [0.25])]


def test_others_come_between_the_pieces_of_a_large_request():
    worker, order = Occupied(most=2), []

    def large(items):
        order.append("large")
        return items

    def small(items):
        order.append("small")
        return items

    worker.answer([lambda: worker.ask(large, list(range(6))), lambda: worker.ask(small, ["?"])])
    assert order == ["large", "small", "large", "large"]


class Slow:
    """An embedder whose documents take until a question waits."""

    dimension = 1

    def __init__(self):
        self.order, self.waits = [], threading.Event()

    def embed_documents(self, texts):
        self.waits.wait(60)
        self.order.append("documents")
        return np.ones((len(texts), 1), np.float32)

    def embed_queries(self, texts):
        self.order.append("question")
        return np.ones((len(texts), 1), np.float32)


def test_questions_pass_documents():
    embedder, workers = Slow(), [ModelWorker("model", most=2) for _ in range(2)]
    shared = SharedEmbedder(embedder, *workers)
    documents = threading.Thread(target=shared.embed_documents, args=(["text"] * 6,))
    documents.start()
    until(lambda: shared._turns._held)
    question = threading.Thread(target=shared.embed_query, args=("?",))
    question.start()
    until(lambda: shared._turns._urgent_waiting)
    embedder.waits.set()
    for thread in (documents, question):
        thread.join(60)
    for worker in workers:
        worker.close()
    assert embedder.order == ["documents", "question", "documents", "documents"]


def test_a_closed_worker_lets_nobody_wait():
    worker = ModelWorker("model", most=2)
    worker.close()
    with pytest.raises(ModelError, match="stopped"):
        worker.ask(list, [1])


def test_a_large_request_ends_when_its_worker_is_closed_in_its_middle():
    worker, begun, go, told = ModelWorker("model", most=2), threading.Event(), threading.Event(), []

    def work(items):
        begun.set()
        go.wait(60)
        return items

    def ask():
        try:
            told.append(worker.ask(work, list(range(9))))
        except ModelError as error:
            told.append(str(error))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    begun.wait(60)
    worker.close()
    go.set()
    asking.join(60)
    assert told == ["The server is being stopped."]


def test_a_worker_that_cannot_prepare_tells_every_caller():
    worker = ModelWorker("model", most=2, prepare=lambda: 1 / 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            worker.ask(list, [1])
    worker.close()


def test_shared_models_give_what_the_models_give():
    embedder, reranker = tiny_embedder(), tiny_reranker()
    workers = [ModelWorker("model", most=4) for _ in range(3)]
    shared, ranked = SharedEmbedder(embedder, *workers[:2]), SharedReranker(reranker, workers[2])
    texts = [f"The valve {number} opens." for number in range(10)]
    assert np.allclose(shared.embed_documents(texts), embedder.embed_documents(texts), atol=1e-6)
    assert np.allclose(shared.embed_query(texts[0]), embedder.embed_query(texts[0]), atol=1e-6)
    assert shared.embed_documents([]).shape == (0, embedder.dimension)
    pairs = [("valve?", text) for text in texts]
    assert np.allclose(ranked.predict(pairs), reranker.predict(pairs), atol=1e-6)
    assert shared.fingerprint == embedder.fingerprint
    for worker in workers:
        worker.close()


def test_an_answer_does_not_wait_for_the_end_of_a_measurement():
    turns, steps, go_on = Turns(), [], threading.Event()

    def measure():
        with turns.patient():
            while not go_on.wait(0.005):
                turns.pause()
        steps.append("measured")

    measuring = threading.Thread(target=measure)
    measuring.start()
    until(lambda: turns._held)
    with turns.urgent():
        steps.append("answered")
        assert measuring.is_alive()
    with turns.urgent():
        steps.append("answered again")
    go_on.set()
    measuring.join(60)
    assert steps == ["answered", "answered again", "measured"]
