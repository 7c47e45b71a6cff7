"""Are the boundaries between documents found in a stream of units the right ones?

A stream has `units` units (chunks, paragraphs, pages) in order. Gap `i`, from 1 to `units - 1`, lies before unit `i`
(counted from 0); a segmentation is the set of gaps at which a new document begins. The beginning is no gap.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from fonte.errors import UsageError
from fonte.measures.score import Score, not_applicable, scored


def boundary_precision(found: Collection[int], gold: Collection[int]) -> Score:
    r"""Share of the found boundaries that are gold, exactly at their gap: $|F \cap G| / |F|$, 0 to 1.

    Nothing found is not applicable (nothing was claimed).
    """
    if not found:
        return not_applicable("no boundary was found")
    return scored(len(set(found) & set(gold)) / len(set(found)))


def boundary_recall(found: Collection[int], gold: Collection[int]) -> Score:
    r"""Share of the gold boundaries that were found, exactly at their gap: $|F \cap G| / |G|$, 0 to 1.

    A stream of one document has no boundary to find and is not applicable.
    """
    if not gold:
        return not_applicable("the stream has no boundary")
    return scored(len(set(found) & set(gold)) / len(set(gold)))


def boundary_f1(found: Collection[int], gold: Collection[int]) -> Score:
    r"""F1 of exact boundaries: $2 |F \cap G| / (|F| + |G|)$, 0 to 1.

    Neither found nor gold boundaries: not applicable. A boundary one gap beside counts as missed and invented; `pk`
    and `window_diff` are milder.
    """
    together = len(set(found)) + len(set(gold))
    if not together:
        return not_applicable("the stream has no boundary, and none was found")
    return scored(2 * len(set(found) & set(gold)) / together)


def boundary_window(gold: Collection[int], units: int) -> int:
    r"""Return the standard window $k$ of `pk` and `window_diff`, in units: half the mean gold segment length.

    Beeferman et al. (1999): $k = units / (2 \cdot segments)$, rounded half up, at least 1.
    """
    segments = len(set(gold)) + 1
    return max((units + segments) // (2 * segments), 1)


def pk(found: Collection[int], gold: Collection[int], units: int, window: int | None = None) -> Score:
    r"""Pk (Beeferman, Berger and Lafferty 1999), an error: 0 (best) to 1.

    $\frac{1}{n - k} \sum_{i=0}^{n-k-1} [\delta_G(i, i+k) \ne \delta_F(i, i+k)]$, where $\delta$ says whether two units
    lie in one segment; $k$ is `boundary_window` unless given. In a stream of several documents, finding nothing and
    finding everything both score about .5. A stream of one unit (or of none, or no longer than `window`) is not
    applicable. Errors: `UsageError` for a gap that the stream does not have, or a window below 1.
    """
    counts = _counts(found, gold, units, window)
    return counts if isinstance(counts, Score) else scored(float(np.mean((counts[0] > 0) != (counts[1] > 0))))


def window_diff(found: Collection[int], gold: Collection[int], units: int, window: int | None = None) -> Score:
    r"""WindowDiff (Pevzner and Hearst 2002), an error: 0 (best) to 1, never below `pk`.

    $\frac{1}{n - k} \sum_{i=0}^{n-k-1} [b_G(i, i+k) \ne b_F(i, i+k)]$, where $b$ counts the boundaries between two
    units; so boundaries too many count even where there is one. Window, empty input and errors: as for `pk`.
    """
    counts = _counts(found, gold, units, window)
    return counts if isinstance(counts, Score) else scored(float(np.mean(counts[0] != counts[1])))


def perfect_stream(found: Collection[int], gold: Collection[int]) -> Score:
    """1 if exactly the gold boundaries were found, else 0; the mean over streams is the perfect-stream rate.

    As page-stream segmentation counts it ("streams split with zero error", Heidenreich et al. 2024, arXiv 2408.11981).
    A stream without boundaries in which none was found is perfect.
    """
    return scored(set(found) == set(gold))


def _counts(
    found: Collection[int], gold: Collection[int], units: int, window: int | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | Score:
    """Return, per pair of units a window apart, how many boundaries lie between them: found, and gold."""
    if wrong := sorted(gap for gap in {*found, *gold} if not 1 <= gap < units):
        raise UsageError(f"A stream of {units} units has the gaps 1 to {units - 1}, not {wrong[0]}.")
    if window is not None and window < 1:
        raise UsageError(f"A window of {window} units does not exist; it counts from 1.")
    size = boundary_window(gold, units) if window is None else window
    if size >= units:
        return not_applicable(f"a stream of {units} units has no two units {size} apart")
    return _between(found, units, size), _between(gold, units, size)


def _between(gaps: Collection[int], units: int, window: int) -> npt.NDArray[np.int64]:
    marks = np.zeros(units, dtype=np.int64)
    marks[list(gaps)] = 1
    before = np.cumsum(marks)
    return before[window:] - before[:-window]
