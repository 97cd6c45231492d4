"""What is rare means the same in proof, finds, lists, map and model, also where nobody named it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.models import load_model
from rarebit.projects import (
    Desk,
    Project,
    full_status,
    rare_settings,
    search,
    write_model,
    write_ranked,
)
from rarebit.tables import read_table

N_ROWS = 400
CLASSES = np.array(["ok"] * 370 + ["scratch"] * 24 + ["spot"] * 6)[
    np.random.default_rng(3).permutation(N_ROWS)
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "parts.csv"
    columns = {
        "a": rng.normal(size=N_ROWS) + 6 * (CLASSES == "scratch"),
        "b": rng.normal(size=N_ROWS) + 6 * (CLASSES == "spot"),
    }
    pl.DataFrame({"id": [f"T-{i}" for i in range(N_ROWS)], **columns}).write_csv(path)
    return path


def until(holds: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.01)


@pytest.fixture
def labelled(file: Path) -> Iterator[Callable[..., Desk]]:
    opened: list[Desk] = []

    def open_it(n: int = 90, **settings: Any) -> Desk:
        desk = Desk.open(
            file, store=file.with_suffix(".db"), settings={"reading": {"id": "id"}, **settings}
        )
        opened.append(desk)
        for _ in range(n):
            row = desk.deal("", "tab", 2, patience=300.0).rows[0]
            desk.answer(row, str(CLASSES[row]), key=f"{row}")
        until(lambda: desk.n_behind == 0 and desk.state == "idle")
        until(lambda: desk.insight.version is not None)
        return desk

    yield open_it
    for desk in opened:
        desk.close()


def n_rare(desk: Desk) -> int:
    names = list(desk.board.labels.values())
    assert {"ok", "scratch", "spot"} == set(names)
    return sum(name != "ok" for name in names)


@pytest.mark.parametrize("settings", [{}, {"recall": 0.5}, {"normal": ["ok"]}])
def test_a_page_means_the_classes_of_its_proof(
    labelled: Callable[..., Desk], tmp_path: Path, settings: dict[str, Any]
) -> None:
    desk = labelled(**settings)
    status = full_status(desk)
    assert status["guarantee"]["rare"] == "every class but 'ok'"
    assert status["curve"][-1]["rare_found"] == n_rare(desk)
    write_ranked(desk, tmp_path / "ranked.csv")
    ranked = pl.read_csv(tmp_path / "ranked.csv")
    found = ranked.filter(pl.col("state") == "found")["label"].to_list()
    assert sorted(found) == sorted(str(x) for x in desk.board.labels.values() if x != "ok")
    assert set(ranked.filter(pl.col("state") == "other")["label"]) == {"ok"}
    left = int((CLASSES != "ok").sum()) - n_rare(desk)
    _, top = search(desk, sort="score", limit=n_rare(desk) + left)
    assert {CLASSES[row] for row, _ in top} == {"scratch", "spot"}
    assert all(score > 0 for _, score in top if score is not None)
    assert desk.map.points(scores=True, hidden=lambda row: False)["rare"] in (
        "scratch or spot",
        "spot or scratch",
    )


def test_the_model_of_a_project_that_proves_has_the_classes_of_the_proof(
    labelled: Callable[..., Desk], tmp_path: Path
) -> None:
    desk = labelled(recall=0.5)
    write_model(desk, tmp_path / "a.rarebit")
    model = load_model(tmp_path / "a.rarebit")
    assert set(model.rare_classes) == {"scratch", "spot"}
    assert rare_settings(desk)["rare_sentence"] == "Every class but 'ok' counts as rare now."


def test_rare_classes_can_be_named_later(labelled: Callable[..., Desk]) -> None:
    desk = labelled()
    said = rare_settings(desk)
    assert said["rare"] == said["normal"] == []
    assert "takes the rarest of them alone for rare" in said["rare_sentence"]
    desk.change_settings({"rare": ["scratch"]})
    assert rare_settings(desk)["rare"] == ["scratch"]
    labels = list(desk.board.labels.values())
    assert full_status(desk)["curve"][-1]["rare_found"] == labels.count("scratch")


@pytest.mark.parametrize("settings", [{"goal": "find"}, {"recall": 0.5}, {"goal": "both"}])
def test_a_ranked_list_scores_every_rare_class(
    file: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    known = {f"T-{np.flatnonzero(name == CLASSES)[0]}": name for name in ("ok", "scratch", "spot")}
    given = {"reading": {"id": "id"}, "max_labels": 20, "known": known, **settings}
    with Project.open(file, store=tmp_path / "a.db", settings=given) as project:
        while (question := project.question()) is not None:
            project.answer(question.row, str(CLASSES[question.row]))
        assert set(project.discovered) == {"ok", "scratch", "spot"}
        project.export_ranked(tmp_path / "ranked.csv")
        model = project.finish()
    assert len(model.rare_classes) == (1 if settings == {"goal": "both"} else 2)
    ranked = pl.read_csv(tmp_path / "ranked.csv").filter(pl.col("state") == "unseen")
    names = [CLASSES[int(name[2:])] for name in ranked["id"]]
    n_left = sum(name != "ok" for name in names)
    assert n_left > 0
    assert np.mean([name != "ok" for name in names[:n_left]]) > 0.8
    shares = ranked["probability"].to_numpy()
    assert shares[:n_left].min() > shares[-50:].max()


@pytest.mark.parametrize(
    ("settings", "judged"),
    [
        ({"normal": ["ok"]}, "union"),
        ({"rare": ["scratch", "spot", "tear"]}, "union"),
        ({}, "singly"),
    ],
)
def test_the_learning_curve_is_of_what_the_headline_says(
    file: Path, tmp_path: Path, settings: dict[str, Any], judged: str
) -> None:
    classes = CLASSES.copy()
    classes[np.flatnonzero(classes == "scratch")[:4]] = "tear"  # nothing tells it from scratches
    pl.read_csv(file).with_columns(pl.Series("class", classes)).write_csv(file)
    given = {
        "reading": {"id": "id"}, "oracle": "class", "holdout": 0.3, "max_labels": 60, **settings,
    }  # fmt: skip
    table = read_table(file, id="id", target="class")
    with Project.open(table, store=tmp_path / "a.db", settings=given) as project:
        project.answer_from_column()
        g_mean = project.finish().manifest["metrics"]["g_mean"]
        page = project.report().html()
    after = re.search(r"rarebit: (\d\.\d+) after 60 labels", page)
    assert after is not None
    if judged == "union":
        assert abs(float(after[1]) - g_mean) < 0.2
        assert "from all other rows" in page
        assert "judged singly" not in page
    else:
        assert "classes judged singly" in page
