"""What is refused names the step that helps: folders without classes, images, dates, classes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from rarebit.cli._terminal import Terminal
from rarebit.models import save_model, train_model
from rarebit.tables import read_table

from .conftest import Command


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Return a folder of images without subfolders."""
    (tmp_path / "parts").mkdir()
    for i in range(4):
        pixels = np.full((8, 8), 60 * i, dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / "parts" / f"{i}.png")
    return tmp_path / "parts"


def test_images_without_classes(command: Command, parts: Path) -> None:
    store = parts.parent / "a.db"
    told = command("learn", parts, "--oracle", "class", "--labels", store)
    assert "'folder': write --oracle folder (or --target folder) instead of 'class'" in told.error
    told = command("learn", parts, "--oracle", "folder", "--labels", store)
    assert "subfolder of its name, or import labels by file name" in told.error
    assert not store.exists()
    told = command("look", parts / "0.png")
    assert "give the folder that holds the image." in told.error


@pytest.mark.parametrize(
    ("trained", "given", "kind"),
    [("%d/%m/%Y", "%m/%d/%Y", "month-first"), ("%m/%d/%Y", "%d/%m/%Y", "day-first"),
     ("%d/%m/%Y", "%Y-%m-%d", "date")],
)  # fmt: skip
def test_dates_of_another_order(
    command: Command, tmp_path: Path, trained: str, given: str, kind: str
) -> None:
    rng = np.random.default_rng(0)
    rare = np.arange(120) % 6 == 0
    day = pl.Series(np.datetime64("2025-01-01") + np.arange(120)).dt
    frame = pl.DataFrame({"x": rng.normal(size=120) + 3 * rare, "kind": rare.astype(str)})
    frame.with_columns(pl.Series("paid on", day.strftime(trained))).write_csv(tmp_path / "a.csv")
    frame.with_columns(pl.Series("paid on", day.strftime(given))).write_csv(tmp_path / "b.csv")
    table = read_table(tmp_path / "a.csv", target="kind")
    save_model(train_model(table, method="kernel", folds=2), tmp_path / "a.rarebit")
    told = command("predict", tmp_path / "a.rarebit", tmp_path / "b.csv")
    assert f"(--as 'paid on={kind}')" in told.error
    one = command("predict", tmp_path / "a.rarebit", tmp_path / "a.csv")
    other = command(
        "predict", tmp_path / "a.rarebit", tmp_path / "b.csv", "--as", f"paid on={kind}"
    )
    assert other.out == one.out
    frame.with_columns(
        pl.Series("paid on", day.strftime(trained)), kind=pl.lit("strange")
    ).write_csv(tmp_path / "c.csv")
    told = command("evaluate", tmp_path / "a.rarebit", tmp_path / "c.csv")
    assert "No row has a class that the model knows (True, False)" in told.err


def test_a_look_shows_the_rest_when_ids_are_doubled(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("key,x\n1,2.5\n2,3.5\n2,4.5\n2,4.5\n")
    told = command("look", file, "--id", "key")
    assert told.code == 0
    assert "note: Ids must be unique, and '2' stands 3 times in column 'key'" in told.err
    assert "4 rows, 1 of them a copy of an earlier row." in told.out
    told = command("look", file, "--id", "key", "--duplicates", "first")
    assert (
        "note: 2 duplicate rows of a.csv were left out, 1 of them only for the id (2): other rows "
        "have the same id and other cells." in told.err
    )
    assert "2 rows, none of them a copy of an earlier row." in told.out
    file.write_text("key,x\n1,2.5\n2,3.5\n2,3.5\n")
    assert (
        "1 duplicate row of a.csv was left out."
        in command("look", file, "--duplicates", "first").err
    )


def test_a_rare_class_that_the_column_lacks(command: Command, tmp_path: Path) -> None:
    file, store = tmp_path / "a.csv", tmp_path / "a.db"
    file.write_text("x,kind\n" + "1.5,fraud\n2.5,ok\n" * 20)
    for option, name, meant in (("--rare", "frud", "fraud"), ("--normal", "okay", "ok")):
        told = command("learn", file, "--oracle", "kind", option, name, "--labels", store)
        assert told.code == 3
        assert f"has no class {name!r}: it has fraud, ok; did you mean {meant!r}?" in told.error
        assert not store.exists()


def test_labels_given_beforehand_are_no_earlier_session(command: Command, tmp_path: Path) -> None:
    file, store = tmp_path / "a.csv", tmp_path / "a.db"
    file.write_text("x,kind\n" + "1.5,fraud\n2.5,ok\n" * 20)
    options = ("--oracle", "kind", "--known", "3=ok", "--labels", store, "--max-labels")
    told = command("discover", file, *options, "4")
    assert "Starting from 1 label given beforehand." in told.err
    told = command("discover", file, *options, "6")
    assert "Continuing with 5 labels" in told.err


def test_fit_and_compare_name_columns_that_leak(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    rows = [(i % 7 + i / 100, i % 20 == 0) for i in range(200)]
    lines = "".join(f"{x},{'Y' if r else ''},{'bad' if r else 'ok'}\n" for x, r in rows)
    file.write_text("x,chargeback,kind\n" + lines)
    leak = "note: chargeback: tells the rarest class by itself (AUC 1.000): was it filled in"
    options = ("--target", "kind", "--method")
    fitted = command("fit", file, *options, "kernel", "--out", tmp_path / "a.rarebit")
    assert leak in fitted.err
    assert leak in command("compare", file, *options, "KernelSVC", "--folds", "2").err
    clean = command(
        "fit", file, *options, "kernel", "--drop", "chargeback", "--out", tmp_path / "a.rarebit"
    )
    assert "was it filled in" not in clean.err


def test_predict_and_evaluate_name_columns_far_from_training(
    command: Command, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(600) < 0.1
    frame = pl.DataFrame(
        {
            "amount": np.round(rng.normal(np.where(rare, 90.0, 30.0), 9.0), 2),
            "age": rng.integers(20, 80, 600),
            "kind": np.where(rare, "bad", "ok"),
        }
    )
    frame[:400].write_csv(tmp_path / "a.csv")
    frame[400:].write_csv(tmp_path / "same.csv")
    frame[400:].with_columns(pl.col("amount") * 100).write_csv(tmp_path / "cents.csv")
    model = tmp_path / "a.rarebit"
    command("fit", tmp_path / "a.csv", "--target", "kind", "--method", "kernel", "--out", model)
    assert "outside" not in command("predict", model, tmp_path / "same.csv").err
    for name in ("predict", "evaluate"):
        told = command(name, model, tmp_path / "cents.csv")
        assert told.code == 0
        assert "note: 200 of 200 rows have a value of 'amount' outside " in told.err
        assert "'age'" not in told.err
        found = json.loads(command(name, model, tmp_path / "cents.csv", "--json").out)
        assert found["outside_range"]["amount"]["rows"] == 200


def test_the_first_of_two_passes_shows_progress_and_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = Terminal()
    terminal.without_notes().note("note: twice")
    terminal.note("note: once")
    assert capsys.readouterr().err == "note: once\n"
    assert not terminal.without_notes().quiet
    assert Terminal(quiet=True).without_notes().quiet


def test_the_session_that_is_recommended_reads_the_same_table(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, rows = tmp_path / "eu pay.csv", [f"p{j},{j % 7},d{j % 3},{j % 2}" for j in range(60)]
    text = "\n".join(["pay,amount,desk,kind", *rows, rows[7]]) + "\n"
    file.write_text(text)
    options = ["--id", "pay", "--drop", "kind", "--show", "desk", "--duplicates", "first"]
    options += ["--as", "amount=category"]
    words = ["--oracle", "kind", "--max-labels", "5"]
    assert command("discover", file, *options, *words).code == 0
    file.write_text(text.replace("p9,2", "p9,3"))
    told = command("labels", "list", file)
    assert told.code != 0
    said = " ".join(told.err.split())
    found = said[said.index("`rarebit") + 1 :]
    again = shlex.split(found[: found.index("`")])
    for name, value in zip(options[::2], options[1::2], strict=True):
        assert again[again.index(name) + 1] == value
    assert command(*again[1:], "--max-labels", "5").code == 0


def test_two_passes_over_a_file_are_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200)})
    frame = frame.with_columns(
        kind=pl.when(pl.col("x") > 1).then(pl.lit("a")).otherwise(pl.lit("b"))
    )
    frame.write_csv(tmp_path / "a.csv")
    model = train_model(read_table(tmp_path / "a.csv", target="kind"), method="kernel")
    save_model(model, tmp_path / "a.rarebit")
    seen: list[str] = []
    usual = Terminal.progress

    def progress(self: Terminal, what: str, *given: object, **more: object) -> object:
        seen.append(what)
        return usual(self, what, *given, **more)

    monkeypatch.setattr(Terminal, "progress", progress)
    words = [tmp_path / "a.rarebit", tmp_path / "a.csv"]
    for name in ("predict", "evaluate"):
        seen.clear()
        assert command(name, *words, "--threshold", "alarms=90").code == 0
        assert [what for what in seen if "of 2" in what] == [
            "1 of 2: ranking a.csv", "2 of 2: predicting a.csv"
        ]  # fmt: skip
    seen.clear()
    assert command("predict", *words).code == 0
    assert not any("of 2" in what for what in seen)
    page = tmp_path / "a.html"
    assert command("evaluate", *words, "--threshold", "alarms=90", "--report", page).code == 0
    n_false = 90 - int((frame["kind"] == "a").sum())
    assert f"the highest score first: 20 of {n_false}" in page.read_text()
