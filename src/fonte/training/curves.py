"""The curves of a training run: one JSON object per logged step, and a picture of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PANELS = {
    "reward": ("reward",),
    "contribution (nats)": ("contribution", "held_back_contribution"),
    "share of completions": ("above_threshold", "near_threshold", "scored"),
    "accuracy": ("accuracy", "held_back_accuracy"),
    "tokens per completion": ("length", "held_back_length"),
    "perplexity": ("ppl_with", "ppl_without", "held_back_ppl_with", "held_back_ppl_without"),
    "distance from the start (nats per token)": ("kl", "held_back_drift"),
    "groups without variance": ("frac_reward_zero_std",),
}


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Add one step to the log; values that are no finite number are left out, since JSON has none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in row.items() if _is_plain(value)}
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(kept, allow_nan=False) + "\n")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the steps of a log; an absent file has none, and a line that a kill left half is dropped."""
    if not path.is_file():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def cut_log(path: Path, step: int) -> None:
    """Drop the steps after `step`, which a resumed run makes again."""
    rows = [row for row in read_rows(path) if row.get("step", 0) <= step]
    if path.is_file():
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def draw_curves(rows: Sequence[Mapping[str, Any]], path: Path) -> str:
    """Draw what was logged to `path` (PNG or SVG); return "" or why there is no picture."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return "curves are not drawn: matplotlib is not installed (pip install matplotlib)"
    panels = {title: [name for name in names if _series(rows, name)] for title, names in PANELS.items()}
    shown = {title: names for title, names in panels.items() if names}
    if not shown:
        return "curves are not drawn: nothing was logged"
    figure = Figure(figsize=(10, 2.4 * ((len(shown) + 1) // 2)), layout="constrained")
    FigureCanvasAgg(figure)
    for place, (title, names) in enumerate(shown.items(), start=1):
        axes = figure.add_subplot((len(shown) + 1) // 2, 2, place)
        for name in names:
            steps, values = zip(*_series(rows, name), strict=True)
            axes.plot(steps, values, marker="." if len(steps) < 30 else "", label=name.replace("_", " "))
        axes.set_title(title, fontsize=9)
        axes.tick_params(labelsize=7)
        if len(names) > 1:
            axes.legend(fontsize=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return ""


def _series(rows: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    return [(row.get("step", number), row[name]) for number, row in enumerate(rows) if row.get(name) is not None]


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return math.isfinite(value) if isinstance(value, float) else isinstance(value, (str, int))
