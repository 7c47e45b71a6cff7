"""Pages of a PDF as pictures and sizes, made in a process of their own that may crash, hang or burst without harm.

python -P -m fonte.serving.page_images MEMORY sizes FILE
python -P -m fonte.serving.page_images MEMORY picture FILE PAGE WIDTH
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import fonte
from fonte.errors import ReadError

SECONDS = 20.0
MEMORY = 2 * 2**30
WIDEST = 2400
_FAILED = 3


def page_sizes(path: Path) -> list[dict[str, float]]:
    """Return width and height of every page, in points, as displayed. Errors: `ReadError`."""
    pages: list[dict[str, float]] = json.loads(_run("sizes", path))
    return pages


def page_picture(path: Path, page: int, width: int) -> bytes:
    """Return page `page` (from 1) as a PNG that is `width` pixels wide. Errors: `ReadError`."""
    return _run("picture", path, str(page), str(width))


def _run(*arguments: object) -> bytes:
    package = str(Path(fonte.__file__).resolve().parents[1])
    places = [package, *(place for place in sys.path if Path(place).is_absolute())]
    command = [sys.executable, "-P", "-m", "fonte.serving.page_images", str(MEMORY), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, env=environment)
    except subprocess.TimeoutExpired:
        raise ReadError(f"The page took longer than {SECONDS:g} seconds to draw and was given up.") from None
    if done.returncode == _FAILED:
        raise ReadError(done.stderr.decode("utf-8", "replace").strip())
    if done.returncode:
        raise ReadError("The page cannot be drawn: the file is broken, or needs more memory than allowed.")
    return done.stdout


def main() -> None:
    """Answer one request on standard output."""
    from fonte.documents.worker import bound_memory

    bound_memory(int(sys.argv[1]))
    answer = _sizes(sys.argv[3]) if sys.argv[2] == "sizes" else _picture(sys.argv[3], *map(int, sys.argv[4:]))
    sys.stdout.buffer.write(answer)


def _sizes(path: str) -> bytes:
    document = _open(path)
    sizes = [document[number].get_size() for number in range(len(document))]
    pages = [{"page": page, "width": width, "height": height} for page, (width, height) in enumerate(sizes, start=1)]
    return json.dumps(pages).encode()


def _picture(path: str, number: int, width: int) -> bytes:
    document = _open(path)
    if not 1 <= number <= len(document):
        _fail(f"The file has {len(document)} pages; there is no page {number}.")
    page = document[number - 1]
    own_width, own_height = page.get_size()
    # As high as wide three times over at most: a strip of a page must not become a picture of gigabytes.
    scale = min(width / own_width, 3 * WIDEST / own_height)
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    return png(bitmap.to_numpy()[:, :, :3])


def _open(path: str) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        _fail(f"The PDF cannot be opened: {error}.")


def _fail(reason: str) -> None:
    print(reason, file=sys.stderr)  # noqa: T201 - to the process that asked
    sys.exit(_FAILED)


def png(pixels: Any) -> bytes:
    """Return uint8 [row, column, red-green-blue] as a PNG."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\x00" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(kind, data) for kind, data in parts)


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    main()
