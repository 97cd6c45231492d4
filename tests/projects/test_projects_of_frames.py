"""A project of a frame in memory: partly labelled, wrongly called, numbers as labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rarebit import Project, RarebitError
from rarebit.models import ClassNamesWarning
from rarebit.projects import ProjectError, Settings, SettingsError


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(150) < 0.1
    return pd.DataFrame(
        {
            "claim": [f"C{i}" for i in range(150)],
            "x": rng.normal(size=150) + 6.0 * rare,
            "who": rng.choice(["ann", "bob"], 150),
            "rare": rare,
        }
    )


@pytest.fixture
def project(tmp_path: Path, rows: pd.DataFrame) -> Any:
    pool = rows.drop(columns="rare")
    settings = {"reading": {"id": "claim"}, "max_labels": 20}
    with Project.open(pool, store=tmp_path / "a.labels.db", settings=settings) as opened:
        yield opened


@pytest.mark.parametrize("row", ["x", "C5", True, np.True_, None, [1]])
def test_a_row_is_a_position(project: Project, row: Any) -> None:
    for call in (project.answer, project.correct):
        with pytest.raises(ProjectError, match="named by its position"):
            call(row, "ok")
    with pytest.raises(ProjectError, match="named by its position"):
        project.skip(row)
    assert not project.labels


@pytest.mark.parametrize("label", ["", "  ", None, float("nan"), ["a"]])
def test_a_label_names_a_class(project: Project, label: Any) -> None:
    question = project.question()
    assert question is not None
    with pytest.raises(RarebitError, match="A label must"):
        project.answer(question.row, label)
    assert not project.labels
    assert project.question() == question


@pytest.mark.parametrize("kind", [int, bool, float, np.int64, np.bool_])
def test_the_model_predicts_what_was_answered(
    tmp_path: Path, rows: pd.DataFrame, kind: Any
) -> None:
    truth = rows["rare"].to_numpy()
    settings = {"max_labels": 40, "reading": {"id": "claim"}}
    pool = rows.drop(columns="rare")
    with Project.open(pool, store=tmp_path / "k.labels.db", settings=settings) as opened:
        while (question := opened.question()) is not None:
            opened.answer(question.row, kind(truth[question.row]))
        predicted = opened.finish().predict(pool)
    assert predicted.dtype.kind in "bif"
    assert np.mean(predicted == truth) > 0.9


def test_a_partly_labelled_frame_starts_a_session(tmp_path: Path, rows: pd.DataFrame) -> None:
    some = rows.assign(checked=rows["rare"].astype(int).where(rows.index % 10 == 0))
    settings = {"target": "checked", "reading": {"id": "claim", "drop": ["rare"]}}
    with Project.open(some, store=tmp_path / "p.labels.db", settings=settings) as opened:
        assert opened.status().n_given == 15
        assert "checked" not in opened.table.columns
        question = opened.question()
        assert question is not None
        assert question.row % 10


def test_columns_that_are_only_shown_are_no_features(tmp_path: Path, rows: pd.DataFrame) -> None:
    settings = {"reading": {"aside": ["who"], "drop": ["rare", "claim"]}}
    with Project.open(rows, store=tmp_path / "s.labels.db", settings=settings) as opened:
        assert opened.table.columns == ("x",)
        assert opened.show(0).fields["who"] in ("ann", "bob")


@pytest.mark.parametrize("source", [None, np.zeros((5, 2)), 7, [1, 2], []])
def test_what_cannot_be_opened(tmp_path: Path, source: Any) -> None:
    with pytest.raises(ProjectError, match="A project is opened with a file"):
        Project.open(source, store=tmp_path / "n.labels.db")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"id": "claim"}, r"'reading', such as {'reading': {'id': …}}"),
        ({"random_state": 1}, "'seed'"),
        ({"max_label": 5}, "did you mean 'max_labels'"),
        ({"zzzzzz": 5}, "the names are C, classes"),
        (5, "got int: give one of these"),
        ({"rare": 5}, "'rare' must be several names of classes, got 5: give .*'fraud'"),
        ({"priors": "x"}, "'priors' must be"),
        ({"reading": 5}, "'reading' must be a mapping .* got 5: give .*'id': 'number'"),
        ({"keys": ["a"]}, "'keys' must be a mapping"),
    ],
)
def test_settings_that_there_are_not(
    tmp_path: Path, rows: pd.DataFrame, settings: Any, said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        Project.open(rows, store=tmp_path / "n.labels.db", settings=settings)


def test_a_store_that_is_none(rows: pd.DataFrame) -> None:
    with pytest.raises(ProjectError, match="A store must be an address"):
        Project.open(rows, store=5)  # type: ignore[arg-type]


def test_classes_that_differ_by_capitals_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [float(i) for i in range(30)]})
    with Project.open(frame, store=tmp_path / "a.db") as project:
        project.answer(0, "fraud")
        project.answer(1, "ok")
        assert not any("different classes" in note for note in project.notes)
        with pytest.warns(ClassNamesWarning, match="'Fraud' .1. and 'fraud' .1. count as"):
            project.answer(2, "Fraud")
        project.answer(3, "Fraud")
        told = [note for note in project.notes if "different classes" in note]
    assert told == [
        "'Fraud' (1) and 'fraud' (1) count as different classes: spell them alike if they are one."
    ]
    with Project.open(frame, store=tmp_path / "a.db") as project:
        assert any("'Fraud' (2) and 'fraud' (1)" in note for note in project.notes)


def test_classes_that_differ_by_blanks_or_types_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [float(i) for i in range(30)]})
    with Project.open(frame, store=tmp_path / "t.db") as project:
        project.answer(0, "ok")
        project.answer(1, " ok ")
        project.answer(2, 1)
        assert project.labels == {0: "ok", 1: "ok", 2: 1}
        with pytest.warns(ClassNamesWarning, match="1 .1. and '1' .1. count as different classes"):
            project.answer(3, "1")
        with pytest.raises(ProjectError, match=r"True counts as the class 1 .* another type"):
            project.answer(4, True)
        with pytest.warns(ClassNamesWarning, match="'OK' .1. and 'ok' .1. count"):
            project.correct(1, "OK")
        assert {(type(each.name), each.name) for each in project.status().classes} == {
            (str, "ok"), (str, "OK"), (int, 1), (str, "1")
        }  # fmt: skip


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_rows_and_labels_are_added_from_frames(
    tmp_path: Path, rows: pd.DataFrame, kind: str
) -> None:
    make = {"pandas": lambda f: f, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}[kind]
    pool = rows.drop(columns="rare")
    settings = {"reading": {"id": "claim"}}
    first, more = pool.iloc[:100], pool.iloc[100:150]
    with Project.open(first, store=tmp_path / "f.labels.db", settings=settings) as opened:
        assert opened.add_rows(make(more)) == 50
        assert opened.table.n_rows == 150
        labels = pool[["claim"]].iloc[[5, 110]].assign(verdict=["ok", "fraud"])
        assert opened.import_labels(make(labels)) == 2
        assert opened.labels == {5: "ok", 110: "fraud"}
        with pytest.raises(
            TypeError, match=r"Rows are added from a file, a Table, or a frame.*int"
        ):
            opened.add_rows(5)
        with pytest.raises(
            TypeError, match=r"Labels are imported from a file or from a frame.*int"
        ):
            opened.import_labels(5)
        with pytest.raises(ValueError, match="The frame has no column 'claim' of ids"):
            opened.import_labels(make(labels.rename(columns={"claim": "other"})))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_that_rows_were_added_to_is_opened_again(
    tmp_path: Path, rows: pd.DataFrame, kind: str
) -> None:
    make = {"pandas": lambda f: f, "polars": pl.from_pandas}[kind]
    pool = rows.drop(columns="rare")
    place, settings = tmp_path / "g.labels.db", {"reading": {"id": "claim"}}
    with Project.open(make(pool[:100]), store=place, settings=settings) as opened:
        first = opened.question()
        assert first is not None
        opened.answer(first.row, "ok")
        assert opened.add_rows(make(pool[100:130])) == 30
        assert opened.add_rows(make(pool[130:])) == 20
        asked = opened.question()
    with Project.open(make(pool), store=place, settings=settings) as again:
        assert again.labels == {first.row: "ok"}
        assert again.question() == asked
    shuffled = make(pool.sample(frac=1.0, random_state=0))
    with Project.open(shuffled, store=place, settings=settings) as other:
        assert [other.table.ids[row] for row in other.labels] == [first.id]


@pytest.mark.parametrize("values", [(1, 0), (True, False)])
def test_imported_classes_have_the_type_of_the_known_ones(
    tmp_path: Path, rows: pd.DataFrame, values: tuple[Any, Any]
) -> None:
    pool, settings = rows.drop(columns="rare"), {"reading": {"id": "claim"}}
    labels = pool[["claim"]][:40].assign(label=np.where(rows["rare"][:40], *values))
    with Project.open(pool, store=tmp_path / "t.labels.db", settings=settings) as opened:
        assert opened.import_labels(labels) == 40
        assert {type(each) for each in opened.labels.values()} == {type(values[0])}
        opened.export(tmp_path / "out.csv")
    with Project.open(pool, store=tmp_path / "u.labels.db", settings=settings) as other:
        for row in (0, int(rows["rare"].to_numpy().argmax())):
            other.answer(row, values[0] if rows["rare"][row] else values[1])
        other.import_labels(tmp_path / "out.csv")
        assert set(other.labels.values()) == set(values)
        assert len(other.labels) == 40


@pytest.mark.parametrize(
    "name",
    ["classes", "priors", "rare", "normal", "imported", "known", "colours", "keys", "reading"],
)
def test_no_value_of_a_setting_is_its_default(name: str) -> None:
    assert Settings.from_json({name: None}) == Settings()


def test_the_key_of_a_question_looks_up_its_row(tmp_path: Path, rows: pd.DataFrame) -> None:
    pool = rows[["x"]].assign(pid=np.arange(1000, 1150))
    settings = {"reading": {"id": "pid"}}
    with Project.open(pool, store=tmp_path / "i.labels.db", settings=settings) as opened:
        question = opened.question()
        assert question is not None
        assert (question.id, question.key) == (str(1000 + question.row), 1000 + question.row)
        assert pool.set_index("pid").loc[question.key, "x"] == pool["x"][question.row]


def test_a_target_among_the_options_of_reading_is_shown_its_place() -> None:
    with pytest.raises(SettingsError, match="'target' is a setting of its own"):
        Settings(reading={"id": "claim", "target": "rare"})


def test_durations_are_written_to_lists(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows["lasted"] = pd.to_timedelta(np.arange(len(rows)), unit="h")
    some = rows.assign(checked=rows["rare"].astype(int).where(rows.index % 2 == 0))
    settings = {"target": "checked", "reading": {"id": "claim", "drop": ["rare"]}}
    with Project.open(some, store=tmp_path / "d.labels.db", settings=settings) as project:
        for ending in ("csv", "tsv", "jsonl", "parquet"):
            project.export_ranked(tmp_path / f"list.{ending}")
    written = pl.read_csv(tmp_path / "list.csv")
    assert dict(written.select("claim", "lasted").iter_rows())["C30"] == "P1DT6H"


def test_unknown_ids_are_refused_before_a_store_is_changed(
    tmp_path: Path, rows: pd.DataFrame
) -> None:
    reading, store = {"id": "claim"}, tmp_path / "k.labels.db"
    pool = rows.drop(columns="rare")
    with Project.open(pool[:100], store=store, settings={"reading": reading}) as project:
        project.answer(3, "ok")
    wrong = {"reading": reading, "known": {"C999": "ok"}}
    with pytest.raises(ProjectError, match="no row with the id 'C999'"):
        Project.open(pool, store=store, settings=wrong)
    assert not list(tmp_path.glob("*before*"))


def test_final_classifiers_are_checked_before_anybody_labels(
    tmp_path: Path, rows: pd.DataFrame
) -> None:
    with pytest.raises(SettingsError, match="'method' must be one of auto, blend, border, bagged"):
        Project.open(rows, store=tmp_path / "m.labels.db", settings={"method": "kernel"})
    assert not list(tmp_path.iterdir())


def test_labels_stay_where_a_frame_has_a_new_column(tmp_path: Path, rows: pd.DataFrame) -> None:
    pool, store = rows.drop(columns="rare"), tmp_path / "n.labels.db"
    settings = {"reading": {"id": "claim"}}
    with Project.open(pool, store=store, settings=settings) as project:
        for row in range(6):
            project.answer(row, "ok")
    wider = pool.iloc[::-1].assign(ratio=np.arange(len(pool)) % 9.0)
    with Project.open(wider, store=store, settings=settings) as project:
        ids = [str(project.table.ids[row]) for row in project.labels]
        assert any("New since then: column 'ratio'." in note for note in project.notes)
    assert sorted(ids) == sorted(map(str, pool["claim"][:6]))


def test_ids_of_labels_may_be_the_index_of_their_frame(tmp_path: Path, rows: pd.DataFrame) -> None:
    pool = rows.drop(columns="rare").set_index("claim")
    settings = {"reading": {"id": "claim"}}
    with Project.open(pool, store=tmp_path / "i.labels.db", settings=settings) as project:
        labels = pd.DataFrame({"label": [1, 0]}, index=pool.index[[4, 2]])
        assert project.import_labels(labels) == 2
        assert project.labels == {4: 1, 2: 0}
