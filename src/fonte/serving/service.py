"""What the routes of one server share: the corpus, its models behind their threads, keys, counters, logs."""

from __future__ import annotations

import gc
import logging
import threading
from functools import cached_property
from typing import TYPE_CHECKING, cast

from fonte.citations.support import SupportScorer, load_support
from fonte.corpus import Corpus
from fonte.corpus.probes import known_probe
from fonte.errors import FonteError
from fonte.serving.access import LOCAL, ForbiddenError, Principal, UnauthorizedError, View, principal_of
from fonte.serving.audit import AuditLog
from fonte.serving.effect_jobs import EffectJobs
from fonte.serving.keys import KeyFile
from fonte.serving.lanes import Lane
from fonte.serving.metrics import Metrics
from fonte.serving.model_worker import ModelWorker
from fonte.serving.shared_models import SharedEmbedder, SharedReranker
from fonte.serving.turns import Turns
from fonte.serving.uploads import Uploads

if TYPE_CHECKING:
    from fonte.models import Embedder, Reranker

_log = logging.getLogger(__name__)

SEARCH_THREADS = 16
"""More than there are cores: questions that wait for the embedder are embedded together, at half the cost each."""

RERANK_BATCH = 64


class Service:
    """One corpus, served. `load` and then `close` it; between them any number of requests use it at once."""

    def __init__(
        self, corpus: Corpus, keys: KeyFile | None = None, *, loopback: bool = True, answers_at_once: int | None = None
    ) -> None:
        """`loopback` says that only this machine can reach the server, so that it may do without keys.

        `answers_at_once` None: as the settings say for an endpoint, one for a model in this process.
        """
        chosen = corpus.settings.serving
        remote = chosen.answers_at_once if corpus.settings.language_model.endpoint else 1
        self.corpus = corpus
        self.settings = chosen
        self.keys = keys or KeyFile()
        self.loopback = loopback
        self.metrics = Metrics()
        self.audit = AuditLog(corpus.folder / "audit.jsonl")
        self.turns = Turns()
        self.search = Lane("search", SEARCH_THREADS, chosen.queue)
        self.answers = Lane("the language model", answers_at_once or remote, chosen.queue)
        self.changes = Lane("changes of documents", 1, chosen.queue)
        self.supporting = Lane("support", 1, chosen.queue)
        self.images = Lane("page images", 2, chosen.queue)
        batch = corpus.settings.embedder.batch_size
        self.questions = ModelWorker("embedder of questions", batch, _use_one_thread)
        self.documents = ModelWorker("embedder of documents", batch)
        self.reranking = ModelWorker("re-ranker", RERANK_BATCH)
        self.effects = EffectJobs(corpus, self.turns, self.metrics, chosen.queue)
        self.uploads = Uploads(corpus, self.metrics, self.share_models)
        self._alone = (answers_at_once or remote) == 1
        self._sharing = threading.Lock()
        self._loaded = threading.Event()
        self._trouble = ""
        self._watch()

    @property
    def ready(self) -> bool:
        """Whether questions are answered now."""
        return self._loaded.is_set() and not self._trouble

    @property
    def trouble(self) -> str:
        """Why the models did not load; "" where they did, or are being loaded."""
        return self._trouble

    def load(self) -> None:
        """Load the models, examine the language model where its mode depends on it, and go on with waiting uploads.

        What fails is kept as `trouble`: documents can be looked at without a language model.
        """
        try:
            self.share_models()
            model = self.corpus.language_model
            if self.corpus.settings.generation.mode == "auto":
                known_probe(model)
        except (FonteError, OSError) as error:
            self._trouble = str(error)
            _log.error("The models are not ready: %s", error)
        gc.collect()
        gc.freeze()  # what was loaded stays: later collections need not look through a million objects
        self._loaded.set()
        self.uploads.resume()

    @cached_property
    def support(self) -> SupportScorer:
        """What judges whether a passage supports a sentence; for the thread of the lane `supporting` only."""
        return load_support(self.settings.support)

    def share_models(self) -> None:
        """Put embedder and re-ranker behind their threads, again after a reindex has changed the embedder."""
        corpus = self.corpus
        with self._sharing:  # so that each is loaded once
            if not isinstance(corpus.index.embedder, SharedEmbedder):
                shared = SharedEmbedder(corpus.index.embedder, self.questions, self.documents)
                corpus.index.use(cast("Embedder", shared))
            if corpus.reranker is not None and not isinstance(corpus.reranker, SharedReranker):
                corpus.reranker = cast("Reranker", SharedReranker(corpus.reranker, self.reranking))

    def close(self) -> None:
        """Begin nothing more; work that runs ends on its own. The corpus stays open: whoever opened it closes it."""
        for lane in (self.search, self.answers, self.changes, self.supporting, self.images):
            lane.close()
        self.effects.close()
        self.uploads.close()
        self.questions.close()
        self.documents.close()
        self.reranking.close()

    def principal(self, key: str | None) -> Principal:
        """Return who asks with `key`. Errors: `UnauthorizedError` without a key that is known, where one is needed."""
        if self.loopback and not self.keys.keys():
            return LOCAL
        found = self.keys.find(key) if key else None
        if found is None:
            raise UnauthorizedError(
                "This server needs an API key: send `Authorization: Bearer KEY`. `fonte key add` makes one."
            )
        return principal_of(found)

    def view(self, principal: Principal) -> View:
        """Return the corpus as `principal` sees it now."""
        return View.of(self.corpus.records, principal)

    def require_uploads(self, view: View) -> None:
        """Errors: `ForbiddenError` where documents may not be changed, by this key or by anybody."""
        view.require_write()
        if not self.settings.uploads:
            raise ForbiddenError("This server takes no changes of documents (serving.uploads is false).")

    @property
    def takes_turns(self) -> bool:
        """Whether answers and measurements use the same model in this process."""
        return self._alone

    def _watch(self) -> None:
        watched = {"search": self.search, "answers": self.answers, "images": self.images}
        for name, lane in watched.items():
            self.metrics.watch(f"fonte_{name}_waiting", "Requests that wait.", lambda lane=lane: lane.waiting)  # type: ignore[misc]
            self.metrics.watch(f"fonte_{name}_running", "Threads at work.", lambda lane=lane: lane.running)  # type: ignore[misc]
        self.metrics.watch("fonte_audit_failures", "Audit lines that were lost.", lambda: self.audit.failures)
        self.metrics.watch("fonte_uploads_waiting", "Files that wait to be read.", lambda: self.uploads.waiting)


def _use_one_thread() -> None:
    from fonte.models.hardware import use_one_thread

    use_one_thread()
