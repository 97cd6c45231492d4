"""``--report`` of the commands on labelled files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rarebit.cli import ExitCode


def test_fit_evaluate_and_compare_write_reports(command: Any, good: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.rarebit"
    fit = ["fit", good, "-t", "class", "--drop", "id", "-m", "kernel", "-o", model]
    fitted = command(*fit, "--report", tmp_path / "f.html", "--json")
    assert fitted.code == ExitCode.OK, fitted.err
    page = (tmp_path / "f.html").read_text(encoding="utf-8")
    assert "Model of good.csv" in page
    assert "rows that the classifier had not seen (5 folds)" in page
    assert f">{fitted.json['metrics']['classes']['fraud']['sensitivity']:.3f}</td>" in page
    assert fitted.json["report"] == str(tmp_path / "f.html")
    refused = command(*fit, "--report", tmp_path / "f.html", "--no-validation")
    assert refused.code == ExitCode.USAGE
    assert "leave out --no-validation" in refused.error
    judged = command("evaluate", model, good, "--report", tmp_path / "e.html", "--json")
    assert judged.code == ExitCode.OK, judged.err
    page = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert "m.rarebit on good.csv" in page
    assert "found, share" in page
    sensitivity = judged.json["classes"]["fraud"]["sensitivity"]
    assert f">{sensitivity:.3f}</td>" in page
    assert '<section id="confusion"' in page

    compared = command(
        "compare", good, "-t", "class", "--drop", "id", "-m", "KernelSVC", "--folds", 2,
        "--report", tmp_path / "c.html",
    )  # fmt: skip
    assert compared.code == ExitCode.OK, compared.err
    assert "Methods, the best first" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_places_that_cannot_be_written(command: Any, good: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent" / "r.html"
    (tmp_path / "m.rarebit").touch()
    for arguments in (
        ["fit", good, "-t", "class"],
        ["evaluate", tmp_path / "m.rarebit", good],
        ["compare", good, "-t", "class"],
    ):
        outcome = command(*arguments, "--report", absent)
        assert outcome.code == ExitCode.OUTPUT
        assert "its folder does not exist" in outcome.error
