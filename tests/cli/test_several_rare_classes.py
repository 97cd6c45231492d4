"""Several rare classes: one union, each by its name, sorted alarms, thresholds when predicting."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.models import load_model


def make_parts(n: int = 600, seed: int = 0) -> pl.DataFrame:
    """Parts of which few have a scratch or, in quite another place, a dent."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["ok, new", "ok, used", "scratch", 'dent, "deep"'])
    which = rng.choice(4, size=n, p=[0.6, 0.34, 0.035, 0.025])
    centre = np.array([[0, 0], [1, 1], [6, 0], [0, 7]])[which]
    X = rng.normal(size=(n, 2)) + centre
    return pl.DataFrame(
        {
            "part": [f"P{i}" for i in range(n)],
            "width": np.round(X[:, 0], 3),
            "height": np.round(X[:, 1], 3),
            "verdict": kinds[which],
        }
    )


DEFECTS = ["scratch", 'dent, "deep"']


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    make_parts().write_csv(folder / "parts.csv")
    make_parts(seed=1).write_csv(folder / "new.csv")
    return folder


@pytest.fixture(scope="module")
def model(parts: Path) -> Path:
    from rarebit.cli import main

    path = parts / "m.rarebit"
    words = ["fit", parts / "parts.csv", "-t", "verdict", "--id", "part", "-m", "kernel"]
    words += ["--rare", "scratch", "--rare", '"dent, ""deep"""', "-o", path, "-q"]
    assert main([str(word) for word in words]) == ExitCode.OK
    return path


def test_every_rare_class_is_found_and_named(command: Any, parts: Path, model: Path) -> None:
    manifest = load_model(model).manifest
    assert sorted(manifest["rare_classes"]) == sorted(DEFECTS)
    assert manifest["rare_class"] == 'dent, "deep" or scratch'
    each = manifest["metrics"]["each"]
    truth = make_parts()["verdict"].value_counts()
    for name, count in truth.iter_rows():
        if name in DEFECTS:
            assert each[name]["support"] == count
            assert each[name]["named"] >= 0.8 * count
    outcome = command("predict", model, parts / "new.csv", "--rare-only", "--json")
    alarms = outcome.json["predictions"]
    new = make_parts(seed=1)
    rare = new.filter(pl.col("verdict").is_in(DEFECTS))
    found = {row["part"]: row for row in alarms}
    assert {row["predicted"] for row in alarms} == set(DEFECTS)
    assert len(set(rare["part"]) & set(found)) >= 0.9 * rare.height
    right = [found[p]["predicted"] == v for p, v in rare.select("part", "verdict").iter_rows()
             if p in found]  # fmt: skip
    assert np.mean(right) > 0.9
    # The id comes first, alarms are sorted, and the cells that they were judged by follow.
    assert list(alarms[0])[:2] == ["part", "predicted"]
    assert [row["score"] for row in alarms] == sorted((r["score"] for r in alarms), reverse=True)
    assert {"width", "height", "score_scratch"} <= set(alarms[0])
    for row in alarms:
        own = {name: row[f"score_{name}"] for name in DEFECTS}
        assert max(own, key=own.__getitem__) == row["predicted"]
        assert max(own.values()) <= row["score"]


def test_reports_show_the_class_that_predict_writes(
    command: Any, parts: Path, model: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    swapped = {"ok, new": "scratch", "scratch": "ok, new"}  # so that there are false alarms
    frame = make_parts(seed=1).with_columns(pl.col("verdict").replace(swapped))
    frame.write_csv(tmp_path / "swapped.csv")
    told = command("evaluate", model, tmp_path / "swapped.csv", "--report", page)
    assert told.code == ExitCode.OK, told.err
    _, _, alarms = page.read_text().partition("False alarms</h2>")
    cells = [cell.strip() for cell in re.findall(r"<td[^>]*>([^<]*)</td>", alarms)]
    assert "scratch" in cells
    assert "dent, &quot;deep&quot; or scratch" not in cells
    assert 'dent, "deep" or scratch' not in cells


def test_all_but_the_normal_classes(command: Any, parts: Path, tmp_path: Path) -> None:
    outcome = command(
        "fit", parts / "parts.csv", "-t", "verdict", "--id", "part", "-m", "kernel",
        "--normal", '"ok, new","ok, used"', "-o", tmp_path / "n.rarebit", "--json",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert set(outcome.json["rare_classes"]) == set(DEFECTS)
    assert outcome.json["rare_class"] == "not ok, new or ok, used"
    assert set(outcome.json["classes"]) == {"not ok, new or ok, used", "rest"}
    judged = command("evaluate", tmp_path / "n.rarebit", parts / "new.csv", "--json").json
    assert judged["g_mean"] > 0.85
    assert set(judged["each"]) == set(DEFECTS)


@pytest.mark.parametrize("aim", [["--goal", "find"], ["--recall", "0.7"], []])
def test_learn_means_the_classes_of_the_proof(command: Any, tmp_path: Path, aim: list[str]) -> None:
    parts = make_parts().with_columns(pl.col("verdict").str.replace("ok, .*", "ok"))
    parts.write_csv(tmp_path / "parts.csv")
    outcome = command(
        "learn", tmp_path / "parts.csv", "--oracle", "verdict", "--id", "part", *aim,
        "--max-labels", "90", "--labels", tmp_path / "a.db", "-o", tmp_path / "a.rarebit", "--json",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    said = [note for note in outcome.json["notes"] if "--rare A,B or --normal X" in note]
    if aim:
        assert set(outcome.json["rare_classes"]) == set(DEFECTS)
        assert not said
    else:
        assert len(outcome.json["rare_classes"]) == 1
        assert len(said) == 1
        assert "alone for rare" in said[0]
        only = command("predict", tmp_path / "a.rarebit", tmp_path / "parts.csv", "--rare-only")
        assert "counts as rare, which seems to have the fewest rows of 3" in only.err


def test_rare_classes_may_be_chosen_when_predicting(
    command: Any, parts: Path, model: Path, tmp_path: Path
) -> None:
    one = command("predict", model, parts / "new.csv", "--rare", "scratch", "--rare-only", "--json")
    assert {row["predicted"] for row in one.json["predictions"]} == {"scratch"}
    # A model of all classes, of which two are chosen afterwards.
    plain = tmp_path / "all.rarebit"
    fitted = command(
        "fit", parts / "parts.csv", "-t", "verdict", "--id", "part", "-m", "kernel", "-o", plain
    )
    assert "of 4 classes" in fitted.err
    assert "--normal" in fitted.err
    both = command(
        "predict", plain, parts / "new.csv", "--rare", 'scratch,"dent, ""deep"""', "--rare-only",
        "--json",
    ).json  # fmt: skip
    only = command("predict", plain, parts / "new.csv", "--rare-only")
    assert "only scratch counts as rare" in only.err
    assert both["alarms"] == len(both["predictions"]) > only.out.count("\n") - 1
    for row in both["predictions"]:
        assert (row["score"] > 0) == (row["predicted"] in DEFECTS)
    wrong = command("predict", plain, parts / "new.csv", "--rare", "Scratch")
    assert wrong.code == ExitCode.INPUT
    assert "did you mean 'scratch'?" in wrong.error
    both_options = ["--rare", "scratch", "--normal", "scratch"]
    assert command("predict", plain, parts / "new.csv", *both_options).code == ExitCode.USAGE


def test_thresholds_when_predicting(command: Any, parts: Path, model: Path) -> None:
    def alarms(aim: str) -> list[dict[str, Any]]:
        told = command("predict", model, parts / "new.csv", "--threshold", aim, "--rare-only",
                       "--json")  # fmt: skip
        assert told.code == ExitCode.OK, told.err
        return list(told.json["predictions"])

    points = load_model(model).manifest["operating_points"]
    for aim, column in (("precision=0.9", 2), ("recall=0.9", 1)):
        rows = alarms(aim)
        cut = min(row["score"] for row in rows)
        # The threshold reaches on the rows held out what was asked for.
        reached = [point for point in points if point[column] >= 0.9]
        wanted = reached[-1] if column == 2 else reached[0]
        assert cut >= wanted[0]
        assert len(rows) > 5
    assert len(alarms("recall=1.0")) >= len(alarms("recall=0.5"))
    assert len(alarms("alarms=7")) == 7
    assert len(alarms("alarms=100000")) == 600
    everything = command("predict", model, parts / "new.csv", "--json").json["predictions"]
    cut = sorted((row["score"] for row in everything), reverse=True)[11]
    assert len(alarms(str(cut))) == 12
    assert {row["predicted"] for row in alarms("alarms=40")} == set(DEFECTS)
    for aim, said in (
        ("best", "alarms=NUMBER"),
        ("g-mean", "alarms=NUMBER"),
        ("alarms=x", "whole"),
    ):
        refused = command("predict", model, parts / "new.csv", "--threshold", aim)
        assert refused.code == ExitCode.USAGE
        assert said in refused.error
    narrow = command("predict", model, parts / "new.csv", "--threshold", "recall=0.9", "--rare",
                     "scratch")  # fmt: skip
    assert "rare class of training" in narrow.error


def test_the_top_rows(command: Any, parts: Path, model: Path, tmp_path: Path) -> None:
    everything = command("predict", model, parts / "new.csv", "--json").json["predictions"]
    best = sorted(everything, key=lambda row: -row["score"])[:5]
    outcome = command("predict", model, parts / "new.csv", "--top", 5, "-o", tmp_path / "top.csv")
    assert outcome.code == ExitCode.OK
    assert f"Wrote {tmp_path / 'top.csv'}" in outcome.err
    top = pl.read_csv(tmp_path / "top.csv")
    assert top["part"].to_list() == [row["part"] for row in best]
    assert top.columns[0] == "part"
    assert {"width", "height"} <= set(top.columns)
    command("predict", model, parts / "new.csv", "--top", 5, "--no-columns", "-o",
            tmp_path / "few.csv")  # fmt: skip
    assert "width" not in pl.read_csv(tmp_path / "few.csv").columns


def test_the_report_of_evaluate_has_the_rows_to_look_at(
    command: Any, parts: Path, model: Path, tmp_path: Path
) -> None:
    page, file = tmp_path / "e.html", parts / "new.csv"
    new = dict(make_parts(seed=1).select("part", "verdict").iter_rows())
    for aim, heading in (("recall=1.0", "False alarms"), ("alarms=12", "Misses")):
        options = ["--threshold", aim, "--json"]
        outcome = command("evaluate", model, file, "--report", page, *options)
        html = page.read_text(encoding="utf-8")
        judged = command("predict", model, file, *options).json["predictions"]
        wrong = [
            row["part"]
            for row in sorted(judged, key=lambda row: -row["score"])
            if (new[row["part"]] in DEFECTS) != (row["predicted"] in DEFECTS)
        ]
        assert wrong
        assert heading in html
        for part in wrong[:20]:
            assert f">{part}<" in html
        # One source for each number.
        union = outcome.json["classes"][outcome.json["positive_class"]]
        assert f">{union['sensitivity']:.3f}</td>" in html
        assert f">{union['tp']:,}</td>" in html
        # Accuracy is that of the union, and says so beside the figures of each class.
        said = unescape(html)
        assert "rows were predicted as what they are, where 'dent, " in said
        assert "counts as one class." in said
        assert "all other figures, such as accuracy, count it as one; a second" in said
        assert f"or more are called rare ({aim})." in said
        told = command("evaluate", model, file, "--threshold", aim)
        assert f"or more are called rare ({aim})." in told.err
        assert ", at the threshold of the model." in told.out
    assert ", at the threshold" not in command("evaluate", model, file).out


def test_the_card_has_names_with_commas_in_quotes(command: Any, model: Path) -> None:
    assert 'It stands for "dent, ""deep""" and scratch, and each' in command("card", model).out


def test_learning_with_several_rare_classes(
    command: Any, parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = command(
        "learn", parts / "parts.csv", "--oracle", "verdict", "--id", "part", "--max-labels", 150,
        "--holdout", 0.4, "--normal", '"ok, new","ok, used"', "-o", "l.rarebit", "--report",
        "l.html", "--json",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert set(outcome.json["rare_classes"]) == set(DEFECTS)
    assert outcome.json["metrics"]["g_mean"] > 0.7
    assert set(outcome.json["metrics"]["each"]) == set(DEFECTS)
    html = Path("l.html").read_text(encoding="utf-8")
    assert f"{outcome.json['metrics']['g_mean']:.3f}" in html
    made = command("predict", "l.rarebit", parts / "new.csv", "--rare-only", "--json").json
    assert {row["predicted"] for row in made["predictions"]} == set(DEFECTS)
    none = command(
        "learn", parts / "parts.csv", "--oracle", "verdict", "--id", "part", "--max-labels", 150,
        "--holdout", 0.4, "--rare", "rust", "-o", "l.rarebit",
    )  # fmt: skip
    assert none.code == ExitCode.INPUT
    assert "has no class 'rust': it has " in none.error
    assert "'ok, new'" in none.error


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Some rows have their class in capitals."""
    frame = make_parts().with_columns(
        verdict=pl.when(pl.int_range(pl.len()) % 9 == 0)
        .then(pl.col("verdict").str.to_uppercase())
        .otherwise(pl.col("verdict"))
    )
    frame.write_csv(tmp_path / "mixed.csv")
    return tmp_path / "mixed.csv"


@pytest.mark.parametrize(
    "options",
    [
        ("fit", "-t", "verdict", "--id", "part", "-m", "kernel", "--rare", "scratch"),
        ("learn", "--oracle", "verdict", "--id", "part", "--max-labels", "30"),
        ("discover", "--oracle", "verdict", "--id", "part", "--max-labels", "30"),
        ("look", "-t", "verdict"),
    ],
    ids=lambda options: options[0],
)
def test_classes_that_differ_in_case_are_told(
    options: tuple[str, ...], command: Any, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mixed.parent)
    outcome = command(options[0], mixed, *options[1:])
    assert outcome.code == ExitCode.OK, outcome.err
    assert outcome.err.count("note: 'SCRATCH' (") == 1
    assert outcome.err.count("spell them alike if they are one") == 4


def test_a_class_that_the_model_spells_otherwise_is_told(
    command: Any, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mixed.parent)
    make_parts().write_csv("parts.csv")
    fitted = command(
        "fit", "parts.csv", "-t", "verdict", "--id", "part", "-m", "kernel", "-o", "m.rarebit"
    )
    assert "spell them alike" not in fitted.err
    upper = pl.read_csv(mixed).with_columns(pl.col("verdict").str.to_uppercase())
    upper.write_csv("upper.csv")
    said = command("evaluate", "m.rarebit", "upper.csv").err
    n_rows = upper["verdict"].eq("SCRATCH").sum()
    assert f"note: 'SCRATCH' ({n_rows:,}) and 'scratch' (0) count as different classes" in said
    assert "spell them alike" not in command("evaluate", "m.rarebit", "parts.csv").err


def test_what_was_measured_for_the_union_is_not_said_of_one_class(
    command: Any, parts: Path, model: Path
) -> None:
    new = parts / "new.csv"
    refused = command("predict", model, new, "--rare", "scratch", "--probability")
    assert refused.code == ExitCode.USAGE
    assert "rare class of training" in refused.err
    both = ("--rare", "scratch", "--rare", '"dent, ""deep"""')
    allowed = command("predict", model, new, *both, "--probability")
    assert "rare class of training" not in allowed.err
    loaded = load_model(model)
    with pytest.raises(ValueError, match="leave out rare and normal"):
        loaded.decide(loaded.table(make_parts()), rare="scratch", probability=True)
    for aim in ("precision=0.5", "break-even"):
        with pytest.raises(ValueError, match=r"known for .* only, the rare class of training"):
            loaded.decide(loaded.table(make_parts()), rare="scratch", threshold=aim)
    assert loaded.decide(
        loaded.table(make_parts()), rare="scratch", threshold="alarms=5"
    ).rare.any()
    assert "At training" in command("evaluate", model, new).out
    judged = command("evaluate", model, new, "--rare", "scratch")
    assert judged.code == ExitCode.OK
    assert "At training" not in judged.out


def test_the_report_of_a_session_has_each_rare_class(command: Any, parts: Path) -> None:
    report = parts / "learned.html"
    learned = command(
        "learn", parts / "parts.csv", "--oracle", "verdict", "--id", "part", "--rare", "scratch",
        "--rare", '"dent, ""deep"""', "--holdout", "0.3", "--max-labels", "150",
        "--labels", parts / "s.db", "-o", parts / "s.rarebit", "--report", report,
    )  # fmt: skip
    assert learned.code == ExitCode.OK
    page = report.read_text()
    assert "Each rare class" in page
    assert "correctly named" in page
