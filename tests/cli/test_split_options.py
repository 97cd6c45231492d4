"""Rows held out by group and by time; columns that are shown and not learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.metrics import grouped_holdout, latest_rows
from rarebit.models import SplitBy, read_manifest, times_of, train_model
from rarebit.projects import Project, Settings
from rarebit.tables import TableError, read_table


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rows of one customer are alike, so that a random hold-out flatters a classifier."""
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(60), 10)
    fraud = (np.arange(60) % 6 == 0)[customer]
    habits = rng.normal(size=(60, 12))[customer]
    frame = pl.DataFrame(
        {
            "visit": np.arange(600),
            "customer": [f"c{i}" for i in customer],
            "day": [f"{1 + i % 28:02d}/0{1 + i % 9}/2026" for i in range(600)],
            **{f"h{i}": habits[:, i] + 0.01 * rng.normal(size=600) for i in range(12)},
            "kind": np.where(fraud, "fraud", "ok"),
        }
    )
    monkeypatch.chdir(tmp_path)
    frame.write_csv("visits.csv")
    return Path("visits.csv")


def test_groups_are_held_out_whole(command: Any, visits: Path) -> None:
    options = ["fit", visits, "-t", "kind", "--id", "visit", "-m", "kernel", "--json"]
    mixed = command(*options, "--drop", "customer", "--drop", "day").json
    grouped = command(*options, "--group", "customer", "--drop", "day")
    assert grouped.code == ExitCode.OK, grouped.err
    told = grouped.json
    assert "customer" not in told["columns"]
    assert told["metrics"]["how"] == "5 folds by group"
    # Customers that were learned by heart are recognised again; new ones are not.
    assert mixed["metrics"]["g_mean"] > 0.95
    assert told["metrics"]["g_mean"] < 0.7
    part = command(*options, "--group", "customer", "--drop", "day", "--holdout", 0.3).json
    assert part["metrics"]["how"] == "30 % held out by group"
    few = command(*options, "--group", "kind2")
    assert few.code == ExitCode.INPUT
    assert "no shown or grouping column 'kind2'" in few.error


def test_the_latest_rows_are_held_out(command: Any, visits: Path) -> None:
    table = read_table(visits, target="kind", aside=["day"])
    times = times_of(table, "day")
    test = SplitBy(time="day").held_out(table, table.target, 0.2, 0)
    assert times[test].min() > np.delete(times, test).max()
    assert 60 < len(test) < 180
    model = train_model(table, method="kernel", time="day")
    assert model.manifest["metrics"]["how"] == "20 % held out, the latest"
    assert model.judged is not None
    assert set(model.judged.rows) == set(test)
    options = ["fit", visits, "-t", "kind", "--id", "visit", "-m", "kernel", "--drop", "customer"]
    fitted = command(*options, "--time", "day", "--holdout", 0.4, "-o", "m.rarebit")
    assert fitted.code == ExitCode.OK, fitted.err
    assert read_manifest("m.rarebit")["metrics"]["how"] == "40 % held out, the latest"
    assert "cannot be combined" in command(*options, "--time", "day", "--group", "h0").error
    with pytest.raises(TableError, match="cannot be read as a time"):
        train_model(read_table(visits, target="kind", aside=["customer"]), time="customer")
    one_sided = pl.read_csv(visits).sort("kind").with_columns(day=pl.int_range(pl.len()))
    one_sided.write_csv("sorted.csv")
    with pytest.raises(TableError, match="No row of 'fraud' is held out"):
        train_model(read_table("sorted.csv", target="kind", aside=["day"]), time="day")


def test_learning_holds_out_whole_groups(visits: Path) -> None:
    settings = Settings(
        oracle="kind", holdout=0.3, group="customer", max_labels=60,
        reading={"id": "visit", "aside": ("customer", "day")},
    )  # fmt: skip
    with Project.open(visits, settings=settings) as project:
        customers = np.array(project.table.aside["customer"].to_list())
        inside = set(customers[project.held_out])
        assert 0 < len(project.held_out) < 300
        assert not inside & set(np.delete(customers, project.held_out))
        # Columns set aside are seen by people and not by the learner.
        assert project.show(3).fields["customer"] == customers[3]
        assert "customer" not in project.table.columns
        project.answer_from_column()
        assert project.finish().manifest["metrics"]["n_rows"] == len(project.held_out)


def test_hold_outs_of_arrays() -> None:
    groups = np.repeat(np.arange(40), 5)
    y = np.where(groups % 5 == 0, 1, 0)
    for share in (0.2, 0.4, 0.5):
        drawn = grouped_holdout(y, groups, share)
        assert abs(len(drawn) / 200 - share) < 0.08
        assert not set(groups[drawn]) & set(np.delete(groups, drawn))
        assert 0 < y[drawn].sum() < y.sum()
    assert latest_rows([1.0, np.nan, 3.0, 2.0], 0.25).tolist() == [2]
    assert latest_rows([1, 1, 1, 2, 2, 2], 0.5).tolist() == [3, 4, 5]


def test_figures_by_group_and_by_period(command: Any, visits: Path) -> None:
    command("fit", visits, "-t", "kind", "--id", "visit", "-m", "kernel", "--drop", "customer",
            "--drop", "day", "-o", "m.rarebit")  # fmt: skip
    judged = command("evaluate", "m.rarebit", visits, "--group", "customer", "--json").json
    frame = pl.read_csv(visits)
    for part in judged["parts"]:
        own = frame.filter(pl.col("customer") == part["part"])
        assert part["rows"] == own.height
        assert part["rare"] == (own["kind"] == "fraud").sum()
    by_time = command("evaluate", "m.rarebit", visits, "--time", "day", "--json").json
    assert sum(part["rows"] for part in by_time["parts"]) == 600
    total = by_time["classes"]["fraud"]
    assert sum(part["found"] for part in by_time["parts"]) == total["tp"]
    shown = command("evaluate", "m.rarebit", visits, "--time", "day", "--report", "e.html")
    assert "precision" in shown.out
    assert "By day" in Path("e.html").read_text(encoding="utf-8")


def write_stays(path: Path, form: str, n: int = 400) -> list[int]:
    """Write rows whose fraud is all in the last days, in no order, and return their days."""
    rng = np.random.default_rng(5)
    days = rng.permutation(n) // 4
    moments = np.datetime64("2026-02-01") + days.astype("timedelta64[D]")
    pl.DataFrame(
        {
            "stay": [f"s{i}" for i in range(n)],
            "at": [moment.item().strftime(form) for moment in moments],
            "x": rng.normal(size=n) + 4 * (days % 5 == 0),
            "kind": np.where(days % 5 == 0, "fraud", "ok"),
        }
    ).write_csv(path)
    return days.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("form", ["%d.%m.%Y 14:05", "%m/%d/%Y", "%d-%b-%Y", "%Y-%m-%dT09:30:00Z"])
def test_time_is_read_as_dates_are_everywhere(command: Any, tmp_path: Path, form: str) -> None:
    days = write_stays(tmp_path / "stays.csv", form)
    table = read_table(tmp_path / "stays.csv", target="kind", aside=["at"])
    assert np.array_equal(
        np.argsort(times_of(table, "at"), kind="stable"), np.argsort(days, kind="stable")
    )
    made = command(
        "fit", tmp_path / "stays.csv", "-t", "kind", "--id", "stay", "--time", "at",
        "-m", "kernel", "-o", tmp_path / "m.rarebit",
    )  # fmt: skip
    assert made.code == ExitCode.OK, made.err
    told = command(
        "evaluate", tmp_path / "m.rarebit", tmp_path / "stays.csv", "--time", "at", "--json"
    ).json
    assert sum(part["rows"] for part in told["parts"]) == 400


def test_a_doubtful_order_of_day_and_month_is_told_and_can_be_said(
    command: Any, tmp_path: Path
) -> None:
    path = tmp_path / "stays.csv"
    rows = [
        f"s{i},0{1 + i % 9}/0{1 + i % 3}/2026,{i % 7},{'ok' if i % 7 else 'fraud'}"
        for i in range(90)
    ]
    path.write_text("stay,at,x,kind\n" + "\n".join(rows) + "\n")
    options = ["fit", path, "-t", "kind", "--id", "stay", "--time", "at", "-m", "kernel"]
    options += ["-o", tmp_path / "m.rarebit"]
    assert "--as at=month-first takes it otherwise" in command(*options).err
    said = command(*options, "--as", "at=month-first")
    assert said.code == ExitCode.OK, said.err
    assert "takes it otherwise" not in said.err
    table = read_table(path, target="kind", aside=["at"], columns={"at": "month-first"})
    months = np.argsort(times_of(table, "at"), kind="stable")
    assert sorted(months[-10:] % 9) == [8] * 10
    evaluated = ["evaluate", tmp_path / "m.rarebit", path, "--time", "at"]
    assert "takes it otherwise" in command(*evaluated).err
    said = command(*evaluated, "--as", "at=month-first")
    assert said.code == ExitCode.OK, said.err
    assert "takes it otherwise" not in said.err
