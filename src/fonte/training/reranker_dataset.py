"""Measured targets as a data set that other trainers can read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fonte.errors import MissingExtraError
from fonte.training.reranker_targets import QuestionTargets, target_rows

try:
    import pyarrow.parquet
    from datasets import Dataset
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "datasets"), "training") from None


def write_dataset(targets: Iterable[QuestionTargets], path: Path) -> None:
    """Write one row per question and passage as Parquet, whole or not at all.

    `datasets.load_dataset("parquet", data_files=str(path))` reads it; columns are those of `target_rows`.
    """
    draft = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = Dataset.from_list(list(target_rows(targets)))
    pyarrow.parquet.write_table(rows.data.table, draft)  # as `to_parquet`, without its progress bar
    draft.replace(path)
