"""What labels come to: a model with its figures, or why there is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.projects import ProjectError, conclude


def write_rows(path: Path, share: float = 0.1) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(200) < share
    pl.DataFrame(
        {
            "x": rng.normal(size=200) + 4.0 * rare,
            "z": rng.normal(size=200),
            "kind": np.where(rare, "fraud", "ok"),
        }
    ).write_csv(path)


def test_a_project_without_two_classes_has_no_model(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv")
    with Project.open(tmp_path / "rows.csv", store=tmp_path / "a.db") as project:
        project.answer(0, "ok")
        found = conclude(project)
    assert found.model is None
    assert found.metrics is None
    assert found.missing
    assert list(found.sentences()) == []
    assert found.to_json() == {}


def test_a_column_of_one_class_is_a_mistake(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", share=0.0)
    settings = {"oracle": "kind", "max_labels": 5}
    with Project.open(tmp_path / "rows.csv", store=tmp_path / "a.db", settings=settings) as project:
        project.answer_from_column()
        with pytest.raises(ProjectError, match="class"):
            conclude(project)


def test_a_model_comes_with_its_figures(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv")
    settings = {"oracle": "kind", "holdout": 0.3, "max_labels": 60, "method": "border"}
    with Project.open(tmp_path / "rows.csv", store=tmp_path / "a.db", settings=settings) as project:
        project.answer_from_column()
        found = conclude(project)
        held_out = len(project.held_out)
    assert found.model is not None
    assert found.n_held_out == held_out > 0
    assert found.metrics == found.model.manifest["metrics"]
    assert any(f"the {held_out:,} held out are not counted" in each for each in found.sentences())
    values = json.loads(json.dumps(found.to_json()))
    assert values["rare_class"] == "fraud"
    assert values["called_rare"]["rows"] == 200 - held_out - 60
