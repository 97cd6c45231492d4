"""What is installed, what a model is, and what a shell may complete."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rarebit import Project
from rarebit.cli import ExitCode, _doctor
from rarebit.models import load_model, model_card, read_manifest
from rarebit.projects import Settings
from rarebit.tables import read_table

ROOT = Path(__file__).resolve().parents[2]


def test_doctor_tells_versions_and_what_is_missing(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    told = command("doctor", "--json")
    assert told.code == ExitCode.OK
    assert told.json["packages"]["needed"]["numpy"] == np.__version__
    assert told.json["engine"]["works"] is True
    assert "Compiled engine: works" in command("doctor").out
    extras = {**_doctor._EXTRAS, "dask": (("no-such-package",), "clusters")}
    monkeypatch.setattr(_doctor, "_EXTRAS", extras)
    missing = command("doctor")
    assert missing.code == ExitCode.OK
    assert "Missing for clusters: no-such-package. Run pip install '.[dask]'" in missing.out
    monkeypatch.setattr(_doctor, "_NEEDED", ("no-such-package",))
    assert command("doctor").code == ExitCode.MISSING_PACKAGE


def test_doctor_knows_every_extra_that_people_use() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def packages(lines: list[str]) -> set[str]:
        names = {re.split(r"[\[>=<;]", line)[0] for line in lines}
        return names - {"rarebit"}

    assert packages(project["dependencies"]) == set(_doctor._NEEDED)
    known = {extra: set(names) for extra, (names, _) in _doctor._EXTRAS.items()}
    assert known.keys() == {"cli", "excel", "server", "postgres", "dask"}
    for extra, names in known.items():
        others = known["cli"] if extra != "cli" else set()
        assert packages(project["optional-dependencies"][extra]) - others == names, extra
    assert project["optional-dependencies"]["all"] == [f"rarebit[{','.join(known)}]"]


def test_the_card_is_in_the_file_and_has_its_figures(
    command: Any, good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.rarebit"
    fitted = command("fit", good, "-t", "class", "--id", "id", "-m", "kernel", "-o", path, "--json")
    manifest = read_manifest(path)
    text = command("card", path).out
    assert text == model_card(manifest, "m.rarebit")
    own = fitted.json["metrics"]["classes"]["fraud"]
    assert f"| fraud | {own['support']:,} | {own['tp']:,} | {own['sensitivity']:.3f} |" in text
    assert f"g-mean {fitted.json['metrics']['g_mean']:.3f}" in text
    assert manifest["source"]["sha256"] in text
    assert "held out at random" in text
    with zipfile.ZipFile(path) as archive:
        inside = archive.read("README.md").decode()
    assert inside == model_card(load_model(path).manifest)
    out = tmp_path / "card.md"
    assert command("card", path, "--out", out).code == ExitCode.OK
    assert out.read_text(encoding="utf-8") == text
    assert command("card", good).code == ExitCode.INPUT


def test_the_card_says_that_people_gave_the_classes(good: Path, tmp_path: Path) -> None:
    table = read_table(good, id="id", target="class")
    assert table.target is not None
    with Project.open(table, store=tmp_path / "l.db", settings=Settings(max_labels=40)) as project:
        while (question := project.question()) is not None:
            project.answer(question.row, str(table.target[question.row]))
        text = model_card(project.finish().manifest)
    assert "- Classes were given by people" in text
    assert "those of the column" not in text


def test_names_of_a_file_do_not_steer_the_card() -> None:
    manifest: dict[str, Any] = {
        "method": "kernel", "parameters": {}, "classes": {"a|b\n# x": 3, "<ok>": 9},
        "rare_class": "a|b\n# x", "rare_classes": {"a|b\n# x": 3}, "threshold": 0.5,
        "columns": {"[x](y)": "number"}, "target": "t", "metrics": None, "versions": {},
        "source": {"file": "f.csv", "rows": 12, "sha256": ""},
    }  # fmt: skip
    text = model_card(manifest)
    assert "\n# x" not in text
    assert "| a\\|b # x | 3 |" in text
    assert "<ok>" not in text.replace("\\<ok\\>", "")
    assert "[x](y)" not in text


def complete(words: str, cwd: Path) -> list[str]:
    """Ask rarebit what may follow, as bash does, which breaks words at ``=``."""
    broken = words.replace("=", " = ").removesuffix(" ") if "=" in words else words
    source = str(Path(_doctor.__file__).parents[2])
    environment = {
        **os.environ, "PYTHONPATH": source, "_RAREBIT_COMPLETE": "bash_complete",
        "COMP_WORDS": broken, "COMP_CWORD": str(len(broken.split(" ")) - 1),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "rarebit"], env=environment, cwd=cwd, capture_output=True, text=True
    )
    assert not done.stderr, done.stderr
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_shells_complete_commands_options_and_columns(command: Any, good: Path) -> None:
    folder = good.parent
    assert {"fit", "predict", "labels", "doctor"} <= set(complete("rarebit ", folder))
    assert complete("rarebit eval", folder) == ["evaluate"]
    assert "--threshold" in complete("rarebit fit good.csv --th", folder)
    columns = good.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert complete("rarebit fit good.csv --target ", folder) == columns
    assert complete("rarebit learn good.csv --oracle cl", folder) == ["class"]
    assert not any(complete("rarebit fit none.csv --target ", folder))
    for shell in ("bash", "zsh", "fish"):
        script = command("completion", shell)
        assert script.code == ExitCode.OK
        assert "_RAREBIT_COMPLETE" in script.out
    assert json.loads(command("completion", "bash", "--json").out)["file"] == "~/.bashrc"


def test_shells_complete_kinds_of_columns_and_the_classes_of_folders(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("amount,area,kind\n1,2,x\n3,4,y\n", encoding="utf-8")
    (tmp_path / "parts").mkdir()
    assert complete("rarebit fit pay.csv --as a", tmp_path) == ["amount=", "area="]
    kinds = complete("rarebit fit pay.csv --as amount=", tmp_path)
    assert {"money", "date", "drop"} <= set(kinds)
    # What all have in common is completed, and no space follows.
    assert complete("rarebit fit pay.csv --as am", tmp_path) == [f"amount={k}" for k in kinds]
    assert complete("rarebit fit pay.csv --as amount=mon", tmp_path) == ["money", "month-first"]
    assert complete("rarebit fit pay.csv --as=amount=mone", tmp_path) == ["money"]
    assert complete("rarebit fit pay.csv --as amount=money --target k", tmp_path) == ["kind"]
    assert complete("rarebit fit pay.csv --target=k", tmp_path) == ["kind"]
    assert complete("rarebit discover parts --oracle ", tmp_path) == ["folder"]
    assert complete("rarebit fit parts --target f", tmp_path) == ["folder"]


ODD = ["Covidence #", "it's", 'say "x"', "a $b & (c)", "50 * 2; `d`", "back\\slash", "Title"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_reads_completed_columns_back(command: Any, tmp_path: Path, quote: str) -> None:
    odd = [name for name in ODD if quote == "" or quote not in name]
    with (tmp_path / "odd.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([odd, ["1"] * len(odd), ["2"] * len(odd)])
    program = tmp_path / "rarebit"
    source = str(Path(_doctor.__file__).parents[2])
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m rarebit "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    script = command("completion", "bash").out
    # As bash does: a quote that was typed stands before the word, and is closed.
    around = '\\"' if quote == '"' else quote
    script += f"""
COMP_WORDS=(rarebit fit odd.csv --target {shlex.quote(quote)}); COMP_CWORD=4
_rarebit_completion rarebit
for word in "${{COMPREPLY[@]}}"; do eval "printf '%s\\n' {around}$word{around}"; done
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stdout.splitlines() == odd, done.stderr


def test_shells_complete_columns_behind_a_model_and_of_commands_of_labels(tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("paid,kind\n1.5,a\n2.5,b\n")
    (tmp_path / "m.rarebit").write_bytes(b"PK")
    for words in ("predict m.rarebit new.csv --id", "evaluate m.rarebit new.csv --target",
                  "evaluate m.rarebit new.csv --json --group",
                  "labels import new.csv new.csv --id"):  # fmt: skip
        assert complete(f"rarebit {words} ", tmp_path) == ["paid", "kind"], words
    assert complete("rarebit predict m.rarebit new.csv --as p", tmp_path)[0] == "paid=number"


def test_shells_complete_columns_of_the_file_of_labels(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("paid,kind\n1.5,a\n2.5,b\n")
    (tmp_path / "done.csv").write_text("payment,verdict\n1,a\n2,b\n")
    for option in ("--column", "--id-column"):
        words = f"rarebit labels import data.csv done.csv {option}"
        assert complete(f"{words} ", tmp_path) == ["payment", "verdict"]
        assert complete(f"{words}=v", tmp_path) == ["verdict"]
        words = f"rarebit labels import data.csv {option}"
        assert complete(f"{words} ", tmp_path) in ([], [""])  # that file is not typed yet
    for words in ("data.csv done.csv --id", "data.csv --id"):
        assert complete(f"rarebit labels import {words} ", tmp_path) == ["paid", "kind"]


def test_shells_complete_fields_of_papers(tmp_path: Path) -> None:
    ris = "TY  - JOUR\nTI  - A title\nAB  - Words of it\nC1  - relevant\nER  - \n"
    (tmp_path / "refs.ris").write_text(ris, encoding="utf-8")
    bib = "@article{a1, title={A title}, abstract={Words}, decision={relevant}}\n"
    (tmp_path / "refs.bib").write_text(bib, encoding="utf-8")
    assert complete("rarebit learn refs.ris --oracle C", tmp_path) == ["C1"]
    assert {"title", "abstract", "C1"} <= set(complete("rarebit learn refs.ris --show ", tmp_path))
    assert complete("rarebit learn refs.bib --oracle dec", tmp_path) == ["decision"]
