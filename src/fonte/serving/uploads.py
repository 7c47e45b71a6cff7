"""Files that came over the network: kept in folders of their own below the corpus, and indexed one run at a time."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from fonte.corpus import Corpus
from fonte.corpus.report import FileReport
from fonte.documents import source_of
from fonte.documents.clean import readable_name
from fonte.documents.formats import suffix_of, unsupported_reason
from fonte.errors import FonteError, UsageError
from fonte.records.packing import timestamp
from fonte.serving.metrics import Metrics

_log = logging.getLogger(__name__)

FOLDER = "uploads"
NOTE, PREVIOUS, RECEIVING = "upload.json", "previous", "receiving-"
OPEN_STATES = ("waiting", "reading")
_ID = re.compile(r"[0-9a-f]{16}")
_LONGEST_NAME = 150
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


class WrongTypeError(UsageError):
    """No reader exists for the type of a file."""


@dataclass(frozen=True)
class Upload:
    """A file that was sent. `state` is `waiting`, `reading`, or what `fonte add` says of a file, with its `reason`.

    `documents` are the ids of what it gave; `asker` is the key's id, `groups` whose documents they are.
    """

    id: str
    name: str
    bytes: int
    groups: tuple[str, ...]
    asker: str
    created: str
    state: str = "waiting"
    reason: str = ""
    documents: tuple[str, ...] = ()


class Uploads:
    """The uploads of one corpus. What was accepted is on the disk with its state, so that a killed server goes on."""

    def __init__(self, corpus: Corpus, metrics: Metrics, prepare: Callable[[], None]) -> None:
        """`prepare` is called before each run of indexing."""
        self._corpus = corpus
        self._metrics = metrics
        self._prepare = prepare
        self._folder = corpus.folder / FOLDER
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="fonte-ingest", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many files wait to be read."""
        return self._waiting.qsize()

    def draft(self, name: str) -> Draft:
        """Return where to write a new file called `name`. Errors: `WrongTypeError` where no reader exists for it."""
        safe = safe_name(name)
        if reason := unsupported_reason(Path(safe)):
            raise WrongTypeError(reason)
        folder = self._folder / secrets.token_hex(8)
        folder.mkdir(parents=True)
        return Draft(folder, safe, folder / f"{RECEIVING}{secrets.token_hex(4)}")

    def redraft(self, document_source: str) -> Draft:
        """Return where to write the next version of the file that a document came from.

        Errors: `UsageError` for a document that was not uploaded, or whose file is being read just now.
        """
        path = self._own(document_source)
        if path is None:
            raise UsageError(
                "This document was not uploaded, but added from a file where the server runs. Replace it there, and "
                "run fonte add."
            )
        known = self.get(path.parent.name)
        if known is not None and known.state in OPEN_STATES:
            raise UsageError("This document is being read just now. Replace it when that is done.")
        return Draft(path.parent, path.name, path.parent / f"{RECEIVING}{secrets.token_hex(4)}")

    def accept(self, draft: Draft, groups: tuple[str, ...], asker: str) -> Upload:
        """Take over what was written to `draft`, and queue it; it is on the disk when this returns."""
        target = draft.folder / draft.name
        with draft.part.open("rb") as file:
            os.fsync(file.fileno())
        upload = Upload(draft.folder.name, draft.name, draft.part.stat().st_size, groups, asker, timestamp())
        # The groups hold before the first byte of it can be found.
        self._corpus.records.groups.set(source_of(target), groups)
        if target.exists():
            target.replace(draft.folder / PREVIOUS)
        draft.part.replace(target)
        self._note(upload)
        self._waiting.put(upload.id)
        return upload

    def get(self, upload_id: str) -> Upload | None:
        """Return an upload, None where there is none."""
        if not _ID.fullmatch(upload_id):
            return None
        try:
            values = json.loads((self._folder / upload_id / NOTE).read_text(encoding="utf-8"))
            return Upload(**{**values, "groups": tuple(values["groups"]), "documents": tuple(values["documents"])})
        except (FileNotFoundError, NotADirectoryError):
            return None

    def known(self) -> list[Upload]:
        """Return all uploads, the newest first."""
        known = [upload for folder in self._folders() if (upload := self.get(folder.name)) is not None]
        return sorted(known, key=lambda upload: (upload.created, upload.id), reverse=True)

    def resume(self) -> None:
        """Queue what a server that was stopped had accepted and not finished; drop files that never came whole."""
        for folder in self._folders():
            for part in folder.glob(f"{RECEIVING}*"):
                part.unlink()
            upload, previous = self.get(folder.name), folder / PREVIOUS
            if upload is None:
                shutil.rmtree(folder, ignore_errors=True)
            elif upload.state in OPEN_STATES:
                self._waiting.put(upload.id)
            elif previous.exists():
                previous.replace(folder / upload.name)  # a replacement that was not accepted any more

    def is_upload(self, source: str) -> bool:
        """Return whether a document of this source can be replaced over the network."""
        return self._own(source) is not None

    def forget_file(self, source: str) -> None:
        """Delete the file of an upload of which no document is left."""
        for candidate in (source, source.rpartition("#")[0]):
            path = Path(candidate)
            if candidate and self._holds(path) and self._corpus.records.ledger.get(candidate) is None:
                shutil.rmtree(path.parent, ignore_errors=True)

    def close(self) -> None:
        """Begin no further run; the one at work goes on, and what it does not finish is finished by the next server."""
        self._waiting.put(None)

    def _folders(self) -> list[Path]:
        try:
            return [entry for entry in self._folder.iterdir() if _ID.fullmatch(entry.name)]
        except FileNotFoundError:
            return []

    def _own(self, source: str) -> Path | None:
        """Return the uploaded file that `source` (a document's, with the row behind `#`) is of."""
        for candidate in (source, source.rpartition("#")[0]):
            path = Path(candidate)
            if candidate and self._holds(path) and self._corpus.records.ledger.get(candidate):
                return path
        return None

    def _holds(self, path: Path) -> bool:
        return path.parent.parent == Path(source_of(self._folder)) and bool(_ID.fullmatch(path.parent.name))

    def _note(self, upload: Upload) -> None:
        path = self._folder / upload.id / NOTE
        draft = path.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(asdict(upload), file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            wanted = [first]
            while not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    self._waiting.put(None)
                    break
                wanted.append(following)
            self._index([upload for name in dict.fromkeys(wanted) if (upload := self.get(name)) is not None])

    def _index(self, uploads: list[Upload]) -> None:
        """Index in one run, which writes the index once; a failure of the run itself is each file's."""
        files = {source_of(self._folder / upload.id / upload.name): upload for upload in uploads}
        try:
            for upload in uploads:
                self._note(replace(upload, state="reading"))
            self._prepare()
            there = [Path(source) for source in files if Path(source).exists()]
            # Who uploads what a hidden file holds must not learn of it: groups do not follow the content here.
            added = self._corpus.add(there, retry=True, follow_groups=False).files if there else ()
            reports = {report.path: report for report in added}
            for source, upload in files.items():
                self._settle(source, upload, reports.get(source) or FileReport(source, "failed", "The file is gone."))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next run must begin, and each file has a state
            _log.exception("Indexing %d uploads failed", len(uploads))
            reason = str(error) if isinstance(error, FonteError | OSError) else "Indexing failed; see the server's log."
            for source, upload in files.items():
                self._try_to_settle(source, upload, FileReport(source, "failed", f"{reason} Upload the file again."))

    def _try_to_settle(self, source: str, upload: Upload, report: FileReport) -> None:
        try:
            self._settle(source, upload, report)
        except (FonteError, OSError):
            _log.exception("The state of the upload %s cannot be kept", upload.id)

    def _settle(self, source: str, upload: Upload, report: FileReport) -> None:
        path, previous = Path(source), Path(source).parent / PREVIOUS
        if report.state in ("indexed", "replaced", "unchanged"):
            previous.unlink(missing_ok=True)
        elif previous.exists():
            previous.replace(path)  # the old version stays searchable, so its file stays too
        entry = self._corpus.records.ledger.get(source)
        documents = tuple(document_id for document_id, _ in entry.documents) if entry else ()
        self._note(replace(upload, state=report.state, reason=report.reason, documents=documents))
        self._metrics.files.labels(report.state).inc()


@dataclass(frozen=True)
class Draft:
    """A file that is being received: written to `part`, to become `folder / name`."""

    folder: Path
    name: str
    part: Path

    def discard(self) -> None:
        """Drop what was received, and the folder if it was made for it."""
        self.part.unlink(missing_ok=True)
        if not (self.folder / NOTE).exists():
            shutil.rmtree(self.folder, ignore_errors=True)


def safe_name(name: str) -> str:
    """Return `name` as a plain file name: no folder, nothing hidden, nothing that a file system takes amiss."""
    last = re.split(r"[/\\]", name)[-1]
    plain = readable_name(_UNSAFE.sub("_", last)).lstrip(". ").rstrip(". ").replace("#", "_")
    suffix = suffix_of(Path(plain))
    stem = (plain[: -len(suffix)] if suffix else plain).encode()[:_LONGEST_NAME].decode("utf-8", "ignore")
    if stem + suffix in (NOTE, PREVIOUS, "", suffix) or stem.startswith(RECEIVING):
        return f"document{suffix}"
    return stem + suffix
