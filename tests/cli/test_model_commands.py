"""``fit``, ``predict``, ``evaluate`` and ``compare`` on files that are fine."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode, main
from rarebit.models import load_model, read_manifest

from .conftest import make_rows


@pytest.fixture
def model(good: Path, tmp_path: Path, command: Any) -> Path:
    path = tmp_path / "model.rarebit"
    outcome = command("fit", good, "-t", "class", "--id", "id", "-m", "kernel", "-o", path)
    assert outcome.code == ExitCode.OK, outcome.err
    return path


def test_fit_tells_what_it_did(good: Path, tmp_path: Path, command: Any) -> None:
    path = tmp_path / "m.rarebit"
    outcome = command("fit", good, "--target", "class", "--id", "id", "-o", path)
    assert outcome.code == ExitCode.OK
    assert "rare class is 'fraud'" in outcome.out
    assert f"rarebit predict {path}" in outcome.out
    manifest = read_manifest(path)
    assert manifest["method"] == "blend"
    assert manifest["reason"] in " ".join(outcome.out.split())
    assert manifest["classes"]["fraud"] < manifest["classes"]["ok"]
    assert set(manifest["columns"]) == {"amount", "age", "country"}
    assert manifest["source"]["sha256"] == hashlib.sha256(good.read_bytes()).hexdigest()
    assert manifest["metrics"]["how"] == "5 folds"
    assert manifest["metrics"]["g_mean"] > 0.8


def test_fit_writes_beside_nothing_else(good: Path, model: Path) -> None:
    assert {path.name for path in model.parent.iterdir()} == {"good.csv", "model.rarebit"}


@pytest.mark.parametrize("method", ["blend", "border", "bagged", "boosted", "pruned", "kernel"])
def test_every_method(method: str, good: Path, tmp_path: Path, command: Any) -> None:
    path = tmp_path / "m.rarebit"
    outcome = command(
        "fit", good, "-t", "class", "--drop", "id", "-m", method, "-o", path, "--holdout", 0.3,
        "--json",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert outcome.json["method"] == method
    assert outcome.json["metrics"]["how"] == "30 % held out"
    assert outcome.json["metrics"]["roc_auc"] > 0.8
    judged = command("predict", path, good, "--json").json
    assert judged["rows"] == 300
    assert set(judged["predicted"]) <= {"fraud", "ok"}
    # The command and the library say the same.
    from rarebit.tables import read_table

    loaded = load_model(path)
    classes, scores = loaded.judge(read_table(good, schema=loaded.encoder.schema_))
    assert [row["predicted"] for row in judged["predictions"]] == classes.tolist()
    np.testing.assert_allclose([row["score"] for row in judged["predictions"]], scores)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_predictions_keep_the_ids(ending: str, good: Path, model: Path, command: Any) -> None:
    out = model.with_name(f"judged{ending}")
    outcome = command("predict", model, good, "-o", out)
    assert outcome.code == ExitCode.OK, outcome.err
    read = {
        ".csv": pl.read_csv,
        ".tsv": lambda path: pl.read_csv(path, separator="\t"),
        ".jsonl": pl.read_ndjson,
        ".parquet": pl.read_parquet,
    }[ending]
    frame = read(out)
    assert frame.columns == ["id", "predicted", "score"]
    assert frame["id"].to_list() == [f"row-{i}" for i in range(300)]


def test_predictions_on_standard_output(good: Path, model: Path, command: Any) -> None:
    outcome = command("predict", model, good, "--rare-only", "--quiet")
    frame = pl.read_csv(outcome.out.encode())
    assert set(frame["predicted"]) == {"fraud"}
    assert not outcome.err


def test_predict_takes_columns_in_any_order(tmp_path: Path, model: Path, command: Any) -> None:
    rows = make_rows(seed=1)
    rows.drop("class", "id").write_csv(tmp_path / "a.csv")
    rows.select("country", "age", pl.lit(1).alias("more"), "amount").write_csv(tmp_path / "b.csv")
    first = command("predict", model, tmp_path / "a.csv")
    second = command("predict", model, tmp_path / "b.csv")
    assert first.out == second.out
    assert "not needed are left out: more" in second.err
    assert first.out.startswith("row,predicted,score\n0,")


def test_a_new_category_works_and_is_told(tmp_path: Path, model: Path, command: Any) -> None:
    rows = make_rows(seed=1).with_columns(country=pl.lit("Atlantis"))
    rows.write_csv(tmp_path / "new.csv")
    outcome = command("predict", model, tmp_path / "new.csv")
    assert outcome.code == ExitCode.OK
    assert "'Atlantis'" in outcome.err
    told = command("predict", model, tmp_path / "new.csv", "--json").json
    assert told["unknown_categories"] == {"country": {"Atlantis": 300}}


def test_predict_refuses_other_columns(tmp_path: Path, model: Path, command: Any) -> None:
    rows = make_rows(seed=1)
    rows.drop("age", "country").with_columns(land=pl.lit("SE")).write_csv(tmp_path / "new.csv")
    outcome = command("predict", model, tmp_path / "new.csv")
    assert outcome.code == ExitCode.INPUT
    assert "lacks 2 of 3 columns: 'age', 'country' (it has 'land'" in outcome.error
    assert not outcome.out
    rows.with_columns(amount=pl.lit("much")).write_csv(tmp_path / "new.csv")
    outcome = command("predict", model, tmp_path / "new.csv")
    assert outcome.code == ExitCode.INPUT
    assert "Column 'amount' of new.csv must hold numbers, and one cell is 'much'" in outcome.error


def test_evaluate(tmp_path: Path, model: Path, command: Any) -> None:
    rows = make_rows(seed=2).with_columns(
        pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise(pl.col("class")).alias("class")
    )
    rows.write_csv(tmp_path / "new.csv")
    outcome = command("evaluate", model, tmp_path / "new.csv")
    assert outcome.code == ExitCode.OK, outcome.err
    assert "290 rows of new.csv; the rare class is 'fraud'" in outcome.out
    assert "10 rows without a class" in outcome.err
    told = command("evaluate", model, tmp_path / "new.csv", "--json").json
    judged = command("predict", model, tmp_path / "new.csv", "--json").json["predictions"]
    right = [row["predicted"] for row in judged][10:] == rows["class"].to_numpy()[10:]
    assert told["accuracy"] == pytest.approx(np.mean(right))
    assert told["rows_without_class"] == 10


def test_evaluate_says_when_rows_were_trained_on(
    good: Path, tmp_path: Path, model: Path, command: Any
) -> None:
    page = tmp_path / "good.html"
    assert (
        "note: the model was trained on good.csv"
        in command("evaluate", model, good, "--report", page).err
    )
    said = "The model was trained on good.csv, so these figures flatter it; evaluate rows"
    assert said in page.read_text(encoding="utf-8")
    partly = tmp_path / "partly.csv"
    rows = make_rows()
    rows.with_columns(
        pl.when(pl.int_range(pl.len()) % 9 > 0).then(pl.col("class")).alias("class")
    ).write_csv(partly)
    assert command("fit", partly, "-t", "class", "-o", tmp_path / "p.rarebit").code == ExitCode.OK
    assert "trained on partly.csv" in command("evaluate", tmp_path / "p.rarebit", partly).err
    twice = tmp_path / "twice.csv"
    pl.concat([rows, rows.head(5)]).write_csv(twice)
    words = ["-t", "class", "-m", "kernel", "--duplicates", "first", "-o", tmp_path / "t.rarebit"]
    assert command("fit", twice, *words).code == ExitCode.OK
    assert "trained on twice.csv" in command("evaluate", tmp_path / "t.rarebit", twice).err
    other = tmp_path / "other.csv"
    make_rows(seed=7).write_csv(other)
    assert "trained on" not in command("evaluate", model, other, "--report", page).err
    assert "trained on" not in page.read_text(encoding="utf-8")


def test_evaluate_needs_classes(tmp_path: Path, model: Path, command: Any) -> None:
    make_rows().drop("class").write_csv(tmp_path / "new.csv")
    outcome = command("evaluate", model, tmp_path / "new.csv")
    assert outcome.code == ExitCode.INPUT
    assert "no column 'class'" in outcome.error


def test_evaluate_refuses_a_column_without_a_class_of_the_model(
    tmp_path: Path, model: Path, command: Any
) -> None:
    rows = make_rows(seed=2).with_columns(other=pl.col("class").replace({"ok": "a", "fraud": "b"}))
    rows.write_csv(tmp_path / "new.csv")
    outcome = command("evaluate", model, tmp_path / "new.csv", "--target", "other")
    assert outcome.code == ExitCode.INPUT
    assert "No row has a class that the model knows (fraud, ok)" in outcome.error
    assert "given are a, b: name the column of classes as the target (--target)" in outcome.error


def test_a_class_of_interest_and_a_threshold(good: Path, tmp_path: Path, command: Any) -> None:
    rows = make_rows(400).with_columns(
        pl.when(pl.col("age") > 75).then(pl.lit("old")).otherwise(pl.col("class")).alias("class")
    )
    rows.write_csv(tmp_path / "three.csv")
    path = tmp_path / "m.rarebit"
    for rare in ("old", "ok"):
        outcome = command(
            "fit", tmp_path / "three.csv", "-t", "class", "--id", "id", "--rare", rare, "-m",
            "kernel", "--threshold", "sensitivity=0.99", "-o", path, "--json",
        )  # fmt: skip
        assert outcome.code == ExitCode.OK, outcome.err
        told = outcome.json
        assert set(told["classes"]) == {rare, "rest"}
        assert told["rare_class"] == rare
        assert told["metrics"]["classes"][rare]["sensitivity"] > 0.9
        judged = command("predict", path, tmp_path / "three.csv", "--json").json["predictions"]
        for row in judged:
            assert (row["predicted"] == rare) == (row["score"] >= told["threshold"])
        assert command("evaluate", path, tmp_path / "three.csv").code == ExitCode.OK


def test_compare(good: Path, tmp_path: Path, command: Any) -> None:
    for ending in (".md", ".csv", ".png"):
        outcome = command(
            "compare", good, "-t", "class", "--id", "id", "-m", "KernelSVC", "-m", "undersampling",
            "--folds", 2, "--rows", 200, "-o", tmp_path / f"table{ending}", "--json",
        )  # fmt: skip
        assert outcome.code == ExitCode.OK, outcome.err
        assert {row["method"] for row in outcome.json["methods"]} == {"KernelSVC", "undersampling"}
        assert outcome.json["rows"] == 200
        assert (tmp_path / f"table{ending}").stat().st_size > 100


def test_compare_names_the_methods(good: Path, command: Any) -> None:
    outcome = command("compare", good, "-t", "class", "-m", "magic")
    assert outcome.code == ExitCode.INPUT
    assert "BaggedSVC" in outcome.error


def test_compare_says_that_the_rows_drawn_have_more_rare_ones(tmp_path: Path, command: Any) -> None:
    rng = np.random.default_rng(0)
    rare = np.arange(2000) < 40
    frame = pl.DataFrame({"x": rng.normal(size=2000) + rare, "class": np.where(rare, "b", "a")})
    frame.write_csv(tmp_path / "rows.csv")
    options = ("-t", "class", "-m", "KernelSVC", "--folds", 2, "--rows", 100)
    page = tmp_path / "page.html"
    outcome = command("compare", tmp_path / "rows.csv", *options, "--report", page)
    said = "40 % of these rows and 2 % of the file: PRBEP, a precision, is that of the rows drawn"
    assert said in outcome.err
    assert "and lower on the whole file" in outcome.err
    assert said in page.read_text()
    outcome = command("compare", tmp_path / "rows.csv", *options, "--json")
    assert said in outcome.json["notes"][0]
    assert outcome.json["rows_of_file"] == 2000


def test_datasets(command: Any) -> None:
    listed = command("datasets", "list", "--json").json
    assert "yeast" in [each["name"] for each in listed["sets"]]
    assert "yeast" in command("datasets", "list").out
    shown = command("datasets", "show", "yeast", "--json").json
    assert shown["rows"] == 1484


def test_datasets_fetch(tmp_path: Path, command: Any, require_task: Any) -> None:
    require_task("glass-7")
    outcome = command("datasets", "fetch", "glass", "--out", tmp_path, "--json")
    assert outcome.code == ExitCode.OK, outcome.err
    frame = pl.read_csv(tmp_path / "glass.csv")
    assert frame.height == outcome.json["sets"]["glass"]["rows"]
    assert frame.columns[-1] == "class"


def test_reproduce_delegates(tmp_path: Path, command: Any) -> None:
    assert "border.table1" in command("reproduce", "list").out
    assert "border.table1" in command("reproduce", "list", "--json").json["output"]
    wrong = command("reproduce", "nothing")
    assert wrong.code == ExitCode.USAGE
    assert "There is no table or figure 'nothing'" in wrong.error
    shown = command("reproduce", "border.table1", "--show", "--quick", "--out", tmp_path)
    assert shown.code == ExitCode.OK
    assert "nothing to show" in shown.err


def test_explanations_name_rows_by_their_ids(good: Path, model: Path, command: Any) -> None:
    out = model.with_name("why.csv")
    assert command("predict", model, good, "--explain", "--top", 3, "-o", out).code == ExitCode.OK
    ids = dict(pl.read_csv(good).select(pl.col("id").cast(pl.String), "class").iter_rows())
    for text in pl.read_csv(out)["like"]:
        for each in text.split("; "):
            name, label, _ = each.split(" ")
            assert ids[name] == label


def test_predict_explains_what_it_writes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    fraud = rng.random(200) < 0.15
    file, model, out = tmp_path / "a.csv", tmp_path / "a.rarebit", tmp_path / "out.csv"
    pl.DataFrame(
        {
            "amount": np.where(fraud, 90.0, 30.0) + rng.normal(size=200),
            "because": rng.normal(size=200),
            "class": np.where(fraud, "fraud", "ok"),
        }
    ).write_csv(file)
    fit = ["fit", str(file), "--target", "class", "--method", "kernel", "--out", str(model)]
    assert main([*fit, "-q"]) == 0
    command = ["predict", str(model), str(file), "--explain", "-q", "--out", str(out)]
    assert main(command) == 0
    written = pl.read_csv(out)
    assert written.columns == ["row", "predicted", "score", "because", "like"]
    reasons = written["because"].to_list()
    assert all(text.split(" ")[0] in ("amount", "because") for text in reasons)
    assert any(text.startswith("amount +") for text in reasons)
    assert all(text.startswith("row ") for text in written["like"])
    kinds = pl.read_csv(file)["class"]
    for text in written["like"].head(20):
        for each in text.split("; "):
            _, row, label, _ = each.split(" ")
            assert kinds[int(row)] == label
    assert main([*command, "--top", "5", "--columns"]) == 0
    best = pl.read_csv(out)
    assert best.height == 5
    assert {"because", "because (file)"} <= set(best.columns)
    assert main([*command, "--rare", "ok"]) == ExitCode.USAGE
    assert main([*command, "--cluster", "local"]) == ExitCode.USAGE
