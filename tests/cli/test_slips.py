"""Slips of the hand on the command line, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from rarebit.cli import ExitCode


@pytest.mark.parametrize("option", ["--rare", "--normal"])
def test_a_sought_class_close_to_an_expected_one(command: Any, tmp_path: Path, option: str) -> None:
    file = tmp_path / "t.csv"
    y = ["relevant" if i % 9 == 4 else "irrelevant" for i in range(90)]
    pl.DataFrame({"x": np.arange(90.0) % 13, "z": np.arange(90.0) % 9, "y": y}).write_csv(file)
    words = ("learn", file, "--oracle", "y", "--max-labels", 20, "--labels", tmp_path / "l.db")
    words += ("-o", tmp_path / "m.rarebit", "--classes", "relevant,irrelevant", option)
    refused = command(*words, "relevan")
    assert refused.code == ExitCode.USAGE
    assert f"{option} 'relevan' is none of --classes" in refused.error
    assert "close to 'relevant'" in refused.error
    assert command(*words, "relevant").code == ExitCode.OK


def test_a_model_of_images_says_so_of_a_table(command: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for i in range(40):
        folder = tmp_path / "parts" / ("bad" if i % 5 == 0 else "good")
        folder.mkdir(parents=True, exist_ok=True)
        pixels = rng.integers(0, 60 if i % 5 else 250, (24, 24), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{i}.png")
    model, table = tmp_path / "m.rarebit", tmp_path / "screen.csv"
    fitted = command(
        "fit", tmp_path / "parts", "-t", "folder", "-o", model, "-m", "kernel", "--no-validation"
    )
    assert fitted.code == ExitCode.OK, fitted.err
    table.write_text("title,year\na,2001\nb,2002\n")
    refused = command("predict", model, table)
    assert refused.code != ExitCode.OK
    assert "screen.csv is a table, and the model is of images: give a folder" in refused.error
    assert "gradient" not in refused.error


def test_a_model_of_a_table_says_so_of_a_folder_of_images(command: Any, tmp_path: Path) -> None:
    for i in range(4):
        folder = tmp_path / "parts" / ("bad" if i % 2 else "good")
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((24, 24), 40 * i, dtype=np.uint8)).save(folder / f"{i}.png")
    table = tmp_path / "t.csv"
    rows = [f"{i},{'mill' if i % 3 else 'inn'},text of {i},{'ab'[i % 5 == 0]}" for i in range(60)]
    table.write_text("\n".join(["amount,shop,body,kind", *rows]))
    words = ("-t", "kind", "-m", "kernel", "--no-validation")
    for name, more in (
        ("all", ("--text", "body")),
        ("numbers", ("--drop", "shop", "--drop", "body")),
    ):
        model = tmp_path / f"{name}.rarebit"
        fitted = command("fit", table, *words, *more, "-o", model)
        assert fitted.code == ExitCode.OK, fitted.err
        for judge in ("predict",), ("evaluate", "--target", "folder"):
            refused = command(judge[0], model, tmp_path / "parts", *judge[1:])
            assert refused.code == ExitCode.INPUT
            assert "parts holds images, and the model is of a table: give a file with" in (
                refused.error
            )


def test_rows_without_an_id_are_counted_from_one(command: Any, tmp_path: Path) -> None:
    file = tmp_path / "p.ris"
    dois = ["a", "b", "", "d", ""]
    file.write_text(
        "".join(f"TY  - JOUR\nTI  - T{d}\n{f'DO  - {d}' if d else ''}\nER  - \n" for d in dois)
    )
    refused = command("look", file, "--id", "doi")
    assert "Row 3 of p.ris, counted from 1, has no id in column 'doi'" in refused.error


@pytest.mark.parametrize("given", ["1.2", "1.02"])
def test_a_share_just_above_one_is_not_taken_for_per_cent(command: Any, given: str) -> None:
    refused = command("learn", "absent.csv", "--recall", given)
    assert "write 0.01" not in refused.error
    assert refused.code == ExitCode.USAGE
