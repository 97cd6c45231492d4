"""``rarebit learn`` with a column that answers: labels, model, figures, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.models import load_model
from rarebit.tables import _matrix as matrix
from rarebit.tables import read_table

from .terminal import events


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_from_no_label_to_a_model_that_judges(command: Any, good: Path) -> None:
    outcome = command(
        "learn", good, "--oracle", "class", "--id", "id", "--holdout", 0.3, "--report", "r.html",
        "--export", "labels.csv",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert "You may stop: The last" in outcome.out
    assert "rarebit predict good.learned.rarebit" in outcome.out
    model = load_model("good.learned.rarebit")
    assert model.rare_class == "fraud"
    assert model.manifest["metrics"]["how"] == "30 % held out"
    table = read_table(good, target="class", id="id")
    predicted, scores = model.judge(table)
    right = (predicted == table.target).mean()
    assert right > 0.95
    assert scores[table.target == "fraud"].mean() > scores[table.target == "ok"].mean()
    page = Path("r.html").read_text(encoding="utf-8")
    for part in ("stopping", "discovery", "learning-curve", "ranking", "confusion", "rows"):
        assert f'<section id="{part}"' in page
    exported = pl.read_csv("labels.csv")
    assert exported.columns == ["id", "label"]
    truth = dict(pl.read_csv(good).select("id", "class").iter_rows())
    assert all(truth[name] == label for name, label in exported.iter_rows())
    assert len(exported) == model.manifest["labels_used"]


def test_a_model_without_rows_held_out_has_an_estimate_and_says_so(
    command: Any, good: Path
) -> None:
    told = command("learn", good, "--oracle", "class", "--id", "id", "--max-labels", 80)
    assert told.code == ExitCode.OK, told.err
    assert "Estimate: the model calls about " in told.out
    assert "labels that the learner chose" in told.out
    model = load_model("good.learned.rarebit")
    assert model.is_estimate
    estimate = model.manifest["estimate"]
    assert estimate["labels"] == model.manifest["labels_used"]
    assert "Estimate: the model calls about " in command("card", "good.learned.rarebit").out
    table = read_table(good, target="class", id="id")
    rare = table.target == "fraud"
    called = model.decide(table).rare
    assert estimate["precision"] <= (called & rare).sum() / called.sum() + 0.1
    assert estimate["recall"] <= (called & rare).sum() / rare.sum() + 0.2
    for aim in ("precision=0.8", "recall=0.5", "break-even"):
        outcome = command("predict", "good.learned.rarebit", good, "--threshold", aim)
        assert outcome.code == ExitCode.OK, outcome.err
        assert f"note: {aim} is an estimate from " in outcome.err
    cut = model.threshold_for("precision=0.8")
    made = model.decide(table, threshold=cut).rare
    assert (made & rare).sum() / made.sum() > 0.7


def test_a_large_table_leaves_memory_and_teaches_the_same(
    command: Any, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ["learn", good, "--oracle", "class", "--id", "id", "--max-labels", 80, "--json"]
    kept = command(*run, "--labels", "kept.jsonl", "--out", "kept.rarebit").json
    monkeypatch.setattr(matrix, "SPILLED", 0)
    spilled = command(
        *run, "--labels", "spilled.jsonl", "--out", "spilled.rarebit", "--report", "r.html"
    ).json
    assert [c["class"] for c in spilled["classes"]] == [c["class"] for c in kept["classes"]]
    table = read_table(good, target="class", id="id")
    for name, number in (("kept", "float64"), ("spilled", "float32")):
        model = load_model(f"{name}.rarebit")
        assert model.encoder.dtype_ == number
        assert (model.judge(table)[0] == table.target).mean() > 0.95


def test_rows_that_judge_have_no_answer(command: Any, good: Path) -> None:
    run = ["learn", good, "--oracle", "class", "--id", "id", "--labels", "l.jsonl"]
    asked = command("discover", *run[1:], "--max-labels", 40, "--json").json["labels"]
    first = command(*run, "--holdout", 0.5, "--max-labels", 80)
    assert "rows to be held out have answers already and do not measure" in first.err
    judged = command(*run, "--holdout", 0.5, "--max-labels", 80, "--json").json["metrics"]["n_rows"]
    n_rows = len(pl.read_csv(good))
    # About half of the rows asked before would have judged; none of the later ones is held out.
    assert n_rows / 2 - asked < judged < n_rows / 2
    again = command(*run, "--holdout", 0.5, "--max-labels", 120, "--json").json
    assert again["metrics"]["n_rows"] == judged


def test_the_model_is_a_blend_unless_another_is_named(command: Any, good: Path) -> None:
    run = ["learn", good, "--oracle", "class", "--id", "id", "--max-labels", 100]
    made = {}
    for method in ("auto", "bagged", "border"):
        assert command(*run, "--method", method, "--out", f"{method}.rarebit").code == ExitCode.OK
        made[method] = load_model(f"{method}.rarebit")
    assert "combiner" in made["bagged"].manifest["parameters"]
    assert "combiner" not in made["border"].manifest["parameters"]
    assert made["auto"].manifest["reason"].startswith("Took ")
    judged = command("predict", "auto.rarebit", good, "--id", "id", "--probability", "--json").json
    row = judged["predictions"][0]
    assert 0.0 <= row["probability_low"] <= row["probability"] <= row["probability_high"] <= 1.0
    refused = command("predict", "border.rarebit", good, "--id", "id", "--probability")
    assert refused.code == ExitCode.INPUT
    assert "has scores and no probabilities" in refused.error


def test_broken_off_and_gone_on(command: Any, good: Path) -> None:
    common = ["learn", good, "--oracle", "class", "--json", "--seed", 5]
    whole = command(*common, "--max-labels", 60, "--labels", "whole.jsonl").json
    assert whole["labels"] == 60
    assert command(*common, "--max-labels", 25, "--labels", "parts.jsonl").json["labels"] == 25
    parts = command(*common, "--max-labels", 60, "--labels", "parts.jsonl").json
    assert parts["classes"] == whole["classes"]
    table = read_table(good, target="class")
    _, scores = load_model("parts.learned.rarebit").judge(table)
    command(*common, "--max-labels", 60, "--labels", "whole.jsonl")
    _, again = load_model("whole.learned.rarebit").judge(table)
    assert scores.tolist() == again.tolist()


def test_labels_of_discover_are_gone_on_with(command: Any, good: Path) -> None:
    found = command("discover", good, "--oracle", "class", "--json", "--max-labels", 30).json
    learned = command("learn", good, "--oracle", "class", "--json", "--max-labels", 50).json
    assert found["labels_file"] == learned["labels_file"]
    assert learned["labels"] == 50
    assert learned["classes"][0] == {**found["classes"][0], "labelled": 1} or (
        learned["classes"][0]["first_row"] == found["classes"][0]["first_row"]
    )


def test_texts(command: Any, tmp_path: Path) -> None:
    usual = [f"the parcel {i} came on time and all was fine" for i in range(120)]
    rare = [f"the parcel {i} was broken and I want money back" for i in range(12)]
    frame = pl.DataFrame({"review": usual + rare, "kind": ["praise"] * 120 + ["complaint"] * 12})
    frame.sample(fraction=1.0, shuffle=True, seed=0).write_csv(tmp_path / "reviews.csv")
    outcome = command("learn", "reviews.csv", "--text", "review", "--oracle", "kind", "--json",
                      "--max-labels", 80, "--report", "r.html")  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert outcome.json["rare_class"] == "complaint"
    assert "money back" in Path("r.html").read_text(encoding="utf-8")


def test_one_class_makes_no_model(command: Any, good: Path, tmp_path: Path) -> None:
    one = pl.read_csv(good).filter(pl.col("class") == "ok").head(40)
    one.write_csv(tmp_path / "one.csv")
    outcome = command("learn", "one.csv", "--oracle", "class")
    assert outcome.code == ExitCode.INPUT
    assert "40 labels showed only the class 'ok'" in outcome.error
    assert "allow more labels (--max-labels)" in outcome.error
    assert not Path("one.learned.rarebit").exists()
    assert len(events(Path("one.labels.db"))) == 40


def test_what_does_not_fit_together(command: Any, process: Any, good: Path) -> None:
    outcome = process("learn", good, stdin=-3)
    assert outcome.code == ExitCode.USAGE
    assert "--oracle COLUMN" in outcome.error
    outcome = command("learn", good, "--oracle", "class", "--out", "absent/m.rarebit")
    assert outcome.code == ExitCode.OUTPUT
    outcome = command("learn", good, "--oracle", "class", "--holdout", 1.5)
    assert outcome.code == ExitCode.USAGE
