"""From single answers to the table of `chop_generation.py`: means with intervals, and cascade against fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from chop_rows import interval
from chop_streams import Question

from fonte.measures.significance import permutation_p

MEASURES = ("token_f1", "rouge_l", "bertscore", "unsupported")
SETTING = ("model", "mode", "index", "support", "max_tokens")
Row = dict[str, Any]


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Return `rows` (one per setting, K and chunker) and `comparisons` (cascade minus fixed) of single answers."""
    groups: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        key = (*(row[name] for name in SETTING), row["k"], row["chunker"])
        groups.setdefault(key, {})[row["question"]] = row
    ordered = sorted(groups, key=lambda key: (*map(str, key[:-2]), key[-2], key[-1] != "fixed", key[-1]))
    return {
        "rows": [_row(key, list(groups[key].values())) for key in ordered],
        "comparisons": [
            comparison
            for key in ordered
            if key[-1] == "fixed" and (*key[:-1], "cascade") in groups
            for comparison in _comparisons(key, groups[key], groups[*key[:-1], "cascade"])
        ],
    }


def printed(found: dict[str, Any]) -> str:
    """Return a report as text for people."""
    lines = []
    for row in found["rows"]:
        measures = "  ".join(f"{name} {_shown(row, name)}" for name in MEASURES)
        setting = f"{row['model']} {row['mode']} {row['index']} ({row['support']})"
        shares = f"answered {row['answered']:.2f}  gold shown {row['gold_shown']:.2f}"
        lines.append(f"{setting}  K={row['k']:<2} {row['chunker']:<8} n={row['n']}  {measures}  {shares}")
    for row in found["comparisons"]:
        bounds = f"[{row['low']:+.4f}, {row['high']:+.4f}], p {row['p']:.4f}, n={row['n']}"
        lines.append(f"K={row['k']:<2} {row['measure']:<11} cascade - fixed {row['difference']:+.4f} {bounds}")
    return "\n".join(lines)


def _row(key: tuple[Any, ...], own: Sequence[Row]) -> Row:
    found = {**dict(zip((*SETTING, "k", "chunker"), key, strict=True)), "n": len(own)}
    for measure in MEASURES:
        having = [row for row in own if row[measure] is not None]
        found[f"{measure}_n"] = len(having)
        found[measure] = found[f"{measure}_low"] = found[f"{measure}_high"] = None
        if having:
            values = np.array([row[measure] for row in having], dtype=np.float64)
            found[measure] = round(float(values.mean()), 4)
            found[f"{measure}_low"], found[f"{measure}_high"] = interval(values, _asked(having))
    found["answered"] = round(float(np.mean([row["sentences"] > 0 for row in own])), 4)
    found["gold_shown"] = round(float(np.mean([row["gold_shown"] for row in own])), 4)
    found["seconds_per_answer"] = round(float(np.mean([row["seconds"] for row in own])), 2)
    return found


def _comparisons(key: tuple[Any, ...], fixed: dict[str, Row], cascade: dict[str, Row]) -> Iterator[Row]:
    for measure in MEASURES:
        both = [name for name in fixed if name in cascade]
        having = [name for name in both if None not in (fixed[name][measure], cascade[name][measure])]
        if not having:
            continue
        differences = np.array([cascade[name][measure] - fixed[name][measure] for name in having], dtype=np.float64)
        low, high = interval(differences, _asked([fixed[name] for name in having]))
        yield {
            **dict(zip((*SETTING, "k"), key[:-1], strict=True)),
            "measure": measure,
            "n": len(having),
            "difference": round(float(differences.mean()), 4),
            "low": low,
            "high": high,
            "p": round(permutation_p(differences.tolist()), 4),
        }


def _asked(rows: Sequence[Row]) -> list[Question]:
    return [Question(row["question"], row["topic"], row["device"], "", ()) for row in rows]


def _shown(row: Row, measure: str) -> str:
    if row[measure] is None:
        return "none"
    return f"{row[measure]:.4f} [{row[f'{measure}_low']:.4f}, {row[f'{measure}_high']:.4f}]"
