"""What is learned on a cluster is worth what is learned on one computer with as many labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from rarebit.distributed import open_project
from rarebit.models import Model
from rarebit.projects import Project
from rarebit.tables import as_table

LABELS = 60


def frame_of(n_rows: int, seed: int) -> pl.DataFrame:
    """1 row in 50 is a fault, shifted in three of six columns: no column tells it alone."""
    rng = np.random.default_rng(seed)
    fault = rng.random(n_rows) < 0.02
    X = rng.normal(size=(n_rows, 6))
    X[fault, :3] += 2.2
    columns = {f"x{j}": X[:, j] for j in range(6)}
    return pl.DataFrame({**columns, "class": np.where(fault, "fault", "ok")})


def quality(model: Model) -> tuple[float, float]:
    """Return AUC and g-mean on rows that no pool had."""
    fresh = frame_of(6000, 99)
    truth = fresh["class"].to_numpy()
    decided = model.decide(as_table(fresh.drop("class")))
    found = float(roc_auc_score(truth == "fault", decided.scores))
    right = decided.classes == truth
    rates = [right[truth == name].mean() for name in ("fault", "ok")]
    return found, float(np.sqrt(np.prod(rates)))


def test_a_model_of_a_cluster_is_as_good_as_one_of_one_computer(
    client: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "machines"
    folder.mkdir()
    frames = [frame_of(900, seed) for seed in range(3)]
    for i, frame in enumerate(frames):
        frame.write_parquet(folder / f"{i}.parquet")
    whole = tmp_path / "whole.parquet"
    pl.concat(frames).write_parquet(whole)
    settings = {"oracle": "class", "max_labels": LABELS}
    store = str(tmp_path / "there.db")
    with open_project(client, folder, store=store, settings=settings) as project:
        project.answer_from_column()
        assert len(project.labels) == LABELS
        n_faults = sum(label == "fault" for label in project.labels.values())
        there = quality(project.finish())
    store = str(tmp_path / "here.db")
    with Project.open(whole, store=store, settings=settings) as project:
        project.answer_from_column()
        assert len(project.labels) == LABELS
        here = quality(project.finish())
    assert n_faults >= 8  # sixty rows drawn at random hold one
    assert there[0] > max(0.95, here[0] - 0.02)
    assert there[1] > max(0.80, here[1] - 0.08)
