"""Class names with commas, rare classes of ``look``, and advice on the threshold of ``fit``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.models import load_model

from .conftest import Command

STOLEN = "card, stolen"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    kind = rng.choice(["ok", STOLEN, "typo"], 300, p=[0.8, 0.1, 0.1])
    path = tmp_path / "rows.csv"
    pl.DataFrame(
        {
            "amount": rng.normal(size=300) + 4.0 * (kind == STOLEN),
            "rate": rng.normal(size=300) - 4.0 * (kind == "typo"),
            "refund": [None if i % 3 else float(i) for i in range(300)],
            "kind": kind,
        }
    ).write_csv(path)
    return path


def test_names_with_commas_are_quoted_where_several_are_listed(
    rows: Path, command: Command
) -> None:
    model = rows.with_name("m.rarebit")
    fit = ["fit", rows, "-t", "kind", "--normal", "ok", "-m", "kernel", "--no-validation"]
    assert command(*fit, "-o", model).code == ExitCode.OK
    told = command("predict", model, rows, "-o", rows.with_name("out.csv")).err
    assert f'"{STOLEN}" ' in told
    assert f'"{STOLEN}" ' in command("look", rows, "-t", "kind").out
    refused = command("predict", model, rows, "--rare", "stolen")
    assert refused.code == ExitCode.INPUT
    assert f'it has "{STOLEN}", typo, ok' in refused.error
    told = f"a name with a comma stands in double quotes, in a shell --rare '\"{STOLEN}\"'."
    assert told in refused.error
    quoted = command("predict", model, rows, "--rare", f'"{STOLEN}"', "-o", rows.with_name("o.csv"))
    assert quoted.code == ExitCode.OK, quoted.err


@pytest.mark.parametrize("given", [[STOLEN], [f"{STOLEN},typo"], ["typo", STOLEN]])
def test_quotes_that_the_shell_took_away_are_not_missed(
    given: list[str], rows: Path, command: Command
) -> None:
    model = rows.with_name("m.rarebit")
    rare = [each for one in given for each in ("--rare", one)]
    wanted = {STOLEN, *(["typo"] if "typo" in " ".join(given) else [])}
    fit = ["fit", rows, "-t", "kind", *rare, "-m", "kernel", "--no-validation", "-o", model]
    assert command(*fit).code == ExitCode.OK
    assert set(load_model(model).rare_classes) == wanted
    told = command("predict", model, rows, *rare, "-o", rows.with_name("o.csv"), "--json").json
    assert set(told["rare_classes"]) == wanted
    assert set(command("look", rows, "-t", "kind", *rare, "--json").json["rare_classes"]) == wanted


@pytest.mark.parametrize("option", ["--rare", "--normal", "--classes"])
def test_a_session_puts_names_together_again(option: str, rows: Path, command: Command) -> None:
    run = ["learn", rows, "--oracle", "kind", "--max-labels", 40, "--method", "border"]
    run += ["--labels", rows.with_name("own.db"), "-o", rows.with_name("m.rarebit")]
    outcome = command(*run, option, STOLEN)
    assert outcome.code == ExitCode.OK, outcome.err
    if option != "--classes":
        members = set(load_model(rows.with_name("m.rarebit")).rare_classes)
        assert (STOLEN in members) == (option == "--rare")


def test_a_union_is_named_by_whole_names(rows: Path, command: Command) -> None:
    fit = ["fit", rows, "-t", "kind", "--normal", STOLEN, "-m", "kernel", "--no-validation"]
    told = command(*fit, "-o", rows.with_name("m.rarebit"), "--json").json
    assert f"not {STOLEN}" in str(told)


def test_look_knows_the_classes_that_are_not_rare(rows: Path, command: Command) -> None:
    plain = command("look", rows, "-t", "kind", "--json").json
    assert "rare_classes" not in plain
    found = command("look", rows, "-t", "kind", "--normal", "ok,typo", "--json").json
    assert list(found["rare_classes"]) == [STOLEN]
    remarks = {each["name"]: each["remark"] for each in found["columns"]}
    assert "not 'ok'" not in " ".join(remarks.values())
    shown = command("look", rows, "-t", "kind", "--normal", "ok").out
    n_rare = sum(plain["classes"].values()) - plain["classes"]["ok"]
    assert f'Rare: "{STOLEN}", typo, {n_rare} rows' in " ".join(shown.split())
    assert command("look", rows, "--normal", "ok").code == ExitCode.USAGE
    assert command("look", rows, "-t", "kind", "--normal", "no").code == ExitCode.INPUT


def test_learn_marks_missing_numbers(rows: Path, command: Command) -> None:
    run = ["learn", rows, "--oracle", "kind", "--max-labels", 40, "--method", "border"]
    for missing in ("mean", "indicate"):
        model = rows.with_name(f"{missing}.rarebit")
        outcome = command(
            *run, "--missing", missing, "-o", model, "--labels", rows.with_name(f"{missing}.db")
        )
        assert outcome.code == ExitCode.OK, outcome.err
        names = load_model(model).encoder.get_feature_names_out().tolist()
        assert ("refund_missing" in names) == (missing == "indicate")


def test_fit_suggests_break_even_where_alarms_are_often_false(
    tmp_path: Path, command: Command
) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(2000) < 0.03
    path = tmp_path / "hard.csv"
    pl.DataFrame(
        {
            "a": rng.normal(size=2000) + 2.2 * rare,
            "b": rng.normal(size=2000),
            "class": np.where(rare, "bad", "ok"),
        }
    ).write_csv(path)
    fit = ["fit", path, "-t", "class", "-m", "kernel", "--folds", 3, "-o", tmp_path / "m.rarebit"]
    told = " ".join(command(*fit).err.split())
    assert "--threshold break-even gives fewer false alarms and more misses." in told
    assert "fewer false alarms" not in command(*fit, "--threshold", "break-even").err


def test_one_missing_column_is_told_in_the_singular(rows: Path, command: Command) -> None:
    model, less = rows.with_name("m.rarebit"), rows.with_name("less.csv")
    fit = ["fit", rows, "-t", "kind", "-m", "kernel", "--no-validation", "-o", model]
    assert command(*fit).code == ExitCode.OK
    frame = pl.read_csv(rows)
    frame.rename({"rate": "tariff"}).write_csv(less)
    error = command("predict", model, less).error
    assert error.endswith("'rate'; add it, or rename 'tariff' to 'rate' if it is that column.")
    frame.drop("rate", "amount").write_csv(less)
    assert command("predict", model, less).error.endswith("'amount', 'rate'; add them.")


def test_a_method_that_is_misspelt_is_guessed(rows: Path, command: Command) -> None:
    outcome = command("compare", rows, "-t", "kind", "--normal", "ok", "-m", "SMOT")
    assert outcome.code == ExitCode.INPUT
    assert outcome.error.endswith("got 'SMOT': did you mean 'SMOTE'?")
    far = command("compare", rows, "-t", "kind", "--normal", "ok", "-m", "q")
    assert far.error.endswith("got 'q'.")


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [("--recall", "90", "0.9"), ("--recall", "95%", "0.95"), ("--holdout", "30", "0.3"),
     ("--repeats", "5", "0.05")],
)  # fmt: skip
def test_shares_in_per_cent_are_told_how_to_be_written(
    option: str, given: str, meant: str, rows: Path, command: Command
) -> None:
    outcome = command("learn", rows, "--oracle", "kind", option, given)
    assert outcome.code == ExitCode.USAGE
    assert f"{given} is not a share between 0 and 1: write {meant};" in outcome.error


def test_other_numbers_are_refused_as_ever(rows: Path, command: Command) -> None:
    for given in ("0", "1", "-3", "many"):
        outcome = command("learn", rows, "--oracle", "kind", "--recall", given)
        assert outcome.code == ExitCode.USAGE
        assert "write" not in outcome.error
