"""`Corpus`: a folder with an index, a ledger and answer records, and what one does with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import fonte
from fonte.corpus.cutting import chunker_of
from fonte.corpus.index import Index, Tell
from fonte.corpus.ingest import Ingest, Progress
from fonte.corpus.manifest import create_manifest, read_manifest
from fonte.corpus.pruning import check_prune, vanished
from fonte.corpus.report import AddReport, DocumentEntry, FileReport, ReindexReport
from fonte.corpus.view import DocumentView
from fonte.corpus.wanted import wanted_documents
from fonte.documents import Found, discover, read_files, source_of
from fonte.errors import CorpusError, UsageError
from fonte.generation.trained import model_in_use
from fonte.models import load_language_model, load_reranker
from fonte.ranking.trained import adopted, load_trained, trained_for
from fonte.records import LedgerEntry, Records, parse_where
from fonte.settings import Settings
from fonte.values import Answer, Document, Passage, Place

if TYPE_CHECKING:
    # Loading these takes seconds, which listing or removing documents need not wait for.
    from fonte.corpus.answering import Answerer, Inquiry, Retrieved
    from fonte.corpus.estimate import Estimate
    from fonte.corpus.explaining import Wish
    from fonte.corpus.explanation import Explanation
    from fonte.corpus.signatures import SegmentView
    from fonte.generation.events import Event
    from fonte.models import LanguageModel, Reranker
    from fonte.models.trained import Adopted
    from fonte.ranking.orders import Orders


def _silent(done: int, total: int) -> None:
    """Progress for callers that do not want any."""


def _quiet(message: str) -> None:
    """Take messages for callers that do not show them."""


class Corpus:
    """A corpus on disk. Open with `Corpus.open`; use as a context manager, or `close` at the end.

    Models load when they are first needed. Several processes may read while one writes.
    """

    def __init__(self, folder: Path, settings: Settings, records: Records, tell: Tell) -> None:
        self.folder = folder
        self.settings = settings
        self.records = records
        self.index = Index(folder / "index", settings, records, tell)

    @classmethod
    def open(
        cls, folder: Path | str, settings: Settings | None = None, *, create: bool = False, tell: Tell = _quiet
    ) -> Corpus:
        """Open the corpus at `folder`; with `create`, make it where there is none.

        `tell` gets sentences that the person should read, such as that a chunk size raises the embedder's window.
        Errors: `CorpusError` where there is no corpus, a folder that holds something else, links that lead out of it,
        or a newer format.
        """
        folder = Path(folder)
        manifest = create_manifest(folder, fonte.__version__) if create else read_manifest(folder)
        del manifest  # reading it is the check
        _refuse_links(folder)
        records = Records.open(folder / "records.db", create=create)
        return cls(folder, settings or Settings.load(folder), records, tell)

    def close(self) -> None:
        """Close the files."""
        self.records.close()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def language_model(self) -> LanguageModel:
        """The language model of the settings, or the one that was trained from it for this corpus."""
        chosen = self.settings.language_model
        if chosen.endpoint or not chosen.trained:
            return load_language_model(self.settings)
        used = chosen.model_copy(update={"model": model_in_use(self.records, chosen.model)})
        return load_language_model(self.settings.model_copy(update={"language_model": used}))

    @cached_property
    def reranker(self) -> Reranker | None:
        """The cross-encoder of the settings, else the one trained for this corpus; None where there is neither."""
        return self._ranker[0]

    @property
    def rerank_weight(self) -> float:
        """How much the re-ranker counts against retrieval, 0 to 1; see `ranking.fuse`."""
        return self._ranker[1]

    def add(
        self,
        paths: Path | str | Sequence[Path | str],
        *,
        prune: bool = False,
        force: bool = False,
        retry: bool = False,
        follow_groups: bool = True,
        progress: Progress = _silent,
    ) -> AddReport:
        """Index files and folders; see `fonte add --help`. One report per file, whatever happens to it.

        With `follow_groups` a new file gets the groups of known files with the same content, and its report says so:
        False for who may not see these.

        Errors: `UsageError` for a path that does not exist, and where `prune` looks like a mistake; nothing is changed
        then.
        """
        roots = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        _check_roots(roots)
        places = [source_of(root) for root in roots]
        with self.index.writing():
            files = list(self._found(roots))
            gone = vanished(self.records, places, [found for found, _ in files])
            if prune:
                check_prune(self.records, places, gone, {found.source for found, _ in files if not found.status}, force)
            store = self.index.store_for_writing()
            chunker = chunker_of(self.settings, self.index.embedder, self.records)
            ingest = Ingest(self.records, store, self.index.embedder, chunker, follow_groups=follow_groups)
            reports = list(ingest.run(files, retry, progress))
            if prune:
                reports += [self._remove_file(entry) for entry in gone]
            self.index.maintain()
        kept = () if prune else tuple(entry.source for entry in gone if self.records.ledger.stale(entry.source))
        return AddReport(tuple(reports), kept)

    def estimate(self, paths: Path | str | Sequence[Path | str], max_model_calls: int | None = None) -> Estimate:
        """Return what adding files and folders would cost; nothing is changed and no language model is asked.

        Every file is read and cut, also those that are indexed already: the estimate is that of a first run.
        Errors: `UsageError` for a path that does not exist.
        """
        from fonte.corpus.estimate import estimate

        roots = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        _check_roots(roots)
        chop = self.settings.chop
        limit = chop.max_model_calls if max_model_calls is None else max_model_calls
        free = self.settings.model_copy(update={"chop": chop.model_copy(update={"max_model_calls": 0})})
        files = [(found.path, found.name) for found, _ in self._found(roots) if not found.status]
        readings = (reading for _, reading in read_files(files, 1))
        chunker = chunker_of(free, self.index.embedder, self.records)
        return estimate(readings, chunker, self.index.embedder, limit)

    def signatures(self, name: str) -> list[SegmentView]:
        """Return the segments of the document or file called `name`, document by document. Errors: `UsageError`."""
        from fonte.chunking.chop.continuity import continuity_of
        from fonte.corpus.signatures import segment_views

        counts = self.records.ledger.chunk_counts()
        documents = [self.records.documents.load(entry.document_id) for entry in wanted_documents(self.records, name)]
        documents.sort(key=lambda document: int(document.metadata.get("part", "0")))
        read = self.index.store.read_range
        parts = [(own, read(own.id, 0, max(counts.get(own.id, 0) - 1, 0))) for own in documents]
        return segment_views(parts, continuity_of(self.settings.chop))

    def search(self, question: str, where: str | None = None) -> list[Passage]:
        """Return the passages that fit `question` best, best first; `where` filters by metadata before the search."""
        return list(self._answerer.find(self._answerer.inquiry(question, where)).passages)

    def ask(self, question: str, where: str | None = None, show: Callable[[str], None] | None = None) -> Answer:
        """Answer `question`; `show` gets the displayed text piece by piece while it is made.

        The answer is recorded where the settings say so, and carries the id of its record.
        """
        return self._answerer.ask(question, where, show)

    def candidates(self, question: str, where: str | None = None) -> list[Passage]:
        """Return what retrieval finds for `question`, in its own order: what a re-ranker would be given."""
        return self._answerer.candidates(self._answerer.inquiry(question, where))

    def orders(self, question: str, where: str | None = None) -> Orders:
        """Return what `search` does, with the order of retrieval and that of the re-ranker beside it."""
        from fonte.ranking.orders import compare_orders

        passages = self.settings.retrieval.passages
        found = compare_orders(self.reranker, self.rerank_weight, question, self.candidates(question, where), passages)
        known = self._adopted_ranker
        return replace(found, trained_for=trained_for(known)) if known else found

    def find(self, inquiry: Inquiry) -> Retrieved:
        """Return the passages for an inquiry: the first half of `ask`, with settings and documents of its own."""
        return self._answerer.find(inquiry)

    def answer(self, found: Retrieved, tell: Callable[[Event], None]) -> Answer:
        """Answer from what was found: the second half of `ask`; see `Answerer.answer`."""
        return self._answerer.answer(found, tell)

    def explain(self, record: str, wish: Wish | None = None, progress: Progress | None = None) -> Explanation:
        """Measure how much the recorded answer `record` (an id, or the start of one) depends on each passage.

        Errors: `RecordError` for an unknown record; see `Explainer.explain` for the rest.
        """
        from fonte.corpus.explaining import Explainer, Wish

        return Explainer(self).explain(self.records.answers.get(record), wish or Wish(), progress)

    def place(self, passage: Passage, start: int, end: int) -> Place:
        """Find a span of a passage's document (code points) in the original: page, boxes, heading, line.

        Only the heading is known once the document was replaced or removed since the passage was found.
        """
        chunk = passage.chunk
        try:
            return self.records.documents.place(chunk.document_id, start, end, chunk.document_version)
        except UsageError:
            return Place(heading=chunk.heading)

    def documents(self, where: str | None = None) -> list[DocumentEntry]:
        """Return the documents that match `where`, ordered by name."""
        wanted = self.records.documents.matching(parse_where(where) if where else None)
        chunks = self.records.ledger.chunk_counts()
        return [
            DocumentEntry(
                entry.name,
                entry.document_id,
                entry.title,
                entry.format,
                chunks.get(entry.document_id, 0),
                entry.characters,
                entry.source,
                dict(entry.metadata),
            )
            for entry in self.records.documents.list()
            if entry.document_id in wanted
        ]

    def show(self, name: str) -> DocumentView:
        """Return the document called `name` (or whose name ends so) with its chunks. Errors: `UsageError`."""
        return self.chunks(self.records.documents.load(self.records.documents.find(name).document_id))

    def chunks(self, document: Document) -> DocumentView:
        """Return a document of the corpus with its chunks."""
        count = self.records.ledger.chunk_counts().get(document.id, 0)
        return DocumentView(document, self.index.store.read_range(document.id, 0, max(count - 1, 0)))

    def remove(self, names: str | Sequence[str], *, purge: bool = False) -> tuple[str, ...]:
        """Remove documents by name, id or path; `purge` also erases every trace on disk. Return their names.

        The path of a file with rows, or of a folder, means all that is indexed of it. Errors: `UsageError` for a name
        that fits none or several; nothing is removed then.
        """
        names = [names] if isinstance(names, str) else names
        entries = {entry.document_id: entry for name in names for entry in wanted_documents(self.records, name)}
        self.discard(list(entries), purge=purge)
        return tuple(entry.name for entry in entries.values())

    def discard(self, document_ids: Sequence[str], *, purge: bool = False) -> None:
        """Remove exactly the documents with these ids; unknown ones are no error."""
        with self.index.writing():
            self.index.remove(list(document_ids), purge)
            if purge:
                self.records.purge(list(document_ids))
            else:
                self.records.ledger.forget_documents(list(document_ids))

    def reindex(self, progress: Progress = _silent) -> ReindexReport:
        """Cut and embed every document anew into a second index, then swap; see `fonte reindex --help`."""
        with self.index.writing():
            return self.index.rebuild(progress)

    def status(self) -> dict[str, Any]:
        """Return the shape that `fonte status --json` prints."""
        stats = self.index.stats()
        return {
            "documents": len(self.records.documents.list()),
            "chunks": sum(self.records.ledger.chunk_counts().values()),
            "states": self.records.ledger.states(),
            "index_rows": stats.rows,
            "unindexed_rows": stats.unindexed_rows,
            "answers": self.records.answers.count(),
            "embedder": self.index.embedder_name(),
        }

    def missing_chunks(self) -> int:
        """Return how many chunks are on record but not in the index: zero unless files of the index were lost."""
        held = self.index.store.document_states() if self.index.exists() else {}
        counts = self.records.ledger.chunk_counts().items()
        return sum(max(0, chunks - (held[key].chunks if key in held else 0)) for key, chunks in counts)

    @cached_property
    def _ranker(self) -> tuple[Reranker | None, float]:
        known = self._adopted_ranker
        if known:
            return load_trained(known, self.settings.reranker.batch_size, self.settings.reranker.dtype)
        return load_reranker(self.settings), 1.0

    @cached_property
    def _adopted_ranker(self) -> Adopted | None:
        chosen = self.settings.reranker
        known = adopted(self.records) if chosen.trained and not chosen.model else ()
        return known[0] if known else None

    @cached_property
    def _answerer(self) -> Answerer:
        from fonte.corpus.answering import Answerer

        return Answerer(self)

    def _found(self, roots: Sequence[Path]) -> Iterator[tuple[Found, str]]:
        """Find every file once, with the root it lies under; the corpus itself is never part of it."""
        seen: set[str] = set()
        for root in roots:
            for found in discover([root], exclude=[self.folder]):
                if found.source not in seen:
                    seen.add(found.source)
                    yield found, source_of(root)

    def _remove_file(self, entry: LedgerEntry) -> FileReport:
        # Also what a killed run had written to the index and not yet committed.
        self.index.remove(self.records.ledger.stale(entry.source))
        self.records.ledger.remove(entry.source)
        return FileReport(entry.source, "removed", "Its file is gone.")


def _refuse_links(folder: Path) -> None:
    """Refuse a corpus whose parts are links: it may come from somebody else, and writing would follow them out."""
    linked = [entry.name for entry in folder.iterdir() if entry.is_symlink()]
    if linked:
        raise CorpusError(
            f"{folder} holds links ({', '.join(sorted(linked))}), which may lead out of the corpus. Put the files "
            "themselves there, or link the corpus folder as a whole."
        )


def _check_roots(roots: Sequence[Path]) -> None:
    missing = [str(root) for root in roots if not root.exists()]
    if missing:
        raise UsageError(f"There is nothing at {', '.join(missing)}. Nothing was changed. Correct the path.")
    if not roots:
        raise UsageError("Nothing to add: name at least one file or folder.")
