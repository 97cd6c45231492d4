"""What people see of a row in the terminal: defects without colours, ids, files that open."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from rarebit.cli import _annotator, _programs
from rarebit.cli._blocks import picture
from rarebit.projects import Project
from rarebit.tables import Shown

from .conftest import Command


def surface(seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(140.0, 3.0, (128, 160)).clip(0, 255)


@pytest.mark.parametrize("kind", ["scratch", "pit"])
def test_a_small_defect_is_seen_without_colours(kind: str) -> None:
    image = surface()
    before = picture(image, columns=64, lines=23).plain
    if kind == "scratch":
        image[61:63, 50:75] = 190.0
    else:
        image[60:67, 90:97] = 85.0
    drawn = picture(image, columns=64, lines=23).plain
    assert len(set(drawn) - {"\n"}) > 2
    assert sum(a != b for a, b in zip(before, drawn, strict=False)) > 4
    # What surrounds it is drawn evenly: noise is not made to look like something.
    (common,) = {max(set(text), key=text.count) for text in (drawn.replace("\n", ""),)}
    assert drawn.count(common) > 0.9 * len(drawn.replace("\n", ""))


@pytest.mark.parametrize("size", [(44, 16), (60, 20)])
def test_a_picture_of_low_contrast_has_shades_in_a_small_terminal(size: tuple[int, int]) -> None:
    image = surface() + np.linspace(-3.0, 3.0, 160)
    drawn = picture(image, columns=size[0], lines=size[1] - 8).plain
    assert len(set(drawn) - {"\n"}) >= 3


@pytest.mark.parametrize("size", [(80, 120), (96, 96), (128, 96)])
@pytest.mark.parametrize("lines", [18, 23])
@pytest.mark.parametrize("bright", [True, False])
def test_a_scratch_is_seen_on_a_part_on_its_ground(
    size: tuple[int, int], lines: int, bright: bool
) -> None:
    rng = np.random.default_rng(3)
    image = rng.normal(30.0, 3.0, size)
    inner = (slice(10, size[0] - 10), slice(10, size[1] - 10))
    rows, columns = size[0] - 20, size[1] - 20
    texture = 140.0 + 5.0 * np.sin(np.arange(columns) / 2.5) + rng.normal(0.0, 3.0, (rows, columns))
    image[inner] = texture
    image[size[0] // 2, 30:60] = 40.0
    drawn = picture(image if bright else 255.0 - image, columns=64, lines=lines).plain.split("\n")
    # Where the scratch is, a line is nearer to the ground than those around it.
    shades = " ░▒▓█" if bright else "█▓▒░ "
    middle = len(drawn) // 2 if bright else lines * size[0] // 2 // size[0]
    places = [[shades.index(each) for each in line] for line in drawn[3:-4]]
    usual = [sorted(column)[len(places) // 2] for column in zip(*places, strict=False)]
    fallen = [sum(u - each for u, each in zip(usual, line, strict=False)) for line in places]
    assert sorted(fallen)[-1] >= 8
    assert sorted(fallen)[-3] <= 6
    assert abs(fallen.index(max(fallen)) + 3 - middle) <= 2


def test_pictures_without_contrast_are_drawn_as_they_are() -> None:
    assert picture(np.zeros((4, 4)), columns=8).plain.strip() == ""
    assert set(picture(np.full((4, 4), 255.0), columns=8).plain) <= {"█", "\n"}
    assert set(picture(np.full((4, 4), 128.0), columns=8).plain) <= {"▒", "\n"}


def test_a_faint_defect_is_seen_with_colours() -> None:
    image = np.full((24, 32), 140.0)
    image[10:12, 8:24] = 120.0
    drawn = picture(image, columns=32, lines=12, color=True)
    shades = {int(str(span.style)[1:3], 16) for span in drawn.spans}
    assert max(shades) - min(shades) > 100
    # Colours stay what they are.
    coloured = np.repeat(image[:, :, None], 3, axis=2)
    spans = picture(coloured, columns=32, lines=12, color=True).spans
    assert {str(span.style)[:7] for span in spans} == {"#8c8c8c", "#787878"}


class Opener:
    """An opener that ends with a code, or not at all."""

    def __init__(self, code: int | None) -> None:
        self.code = code

    def __call__(self, command: list[str], **options: Any) -> Opener:
        assert options["stderr"] == subprocess.DEVNULL
        return self

    def wait(self, seconds: float) -> int:
        if self.code is None:
            raise subprocess.TimeoutExpired("xdg-open", seconds)
        return self.code


@pytest.mark.parametrize(("code", "opened"), [(0, True), (None, True), (3, False)])
def test_a_file_is_said_to_be_open_only_if_it_is(
    code: int | None, opened: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_programs.subprocess, "Popen", Opener(code))
    monkeypatch.delattr(_programs.os, "startfile", raising=False)
    said = _programs.open_file(tmp_path / "part.png")
    assert said.startswith("→ opened") == opened
    assert str(tmp_path / "part.png") in said


def test_a_system_without_an_opener(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delattr(_programs.os, "startfile", raising=False)
    assert "open it by hand" in _programs.open_file("part.png")


def test_a_long_heading_does_not_cut_off_the_id(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    person = _annotator.TerminalAnnotator(None)  # type: ignore[arg-type]
    heading = "34 labels, 2 classes, recall of at least 0.2 % proved, about 1,422 more for 80 %"
    person.show(Shown("10.5555/rt.18068", {}, "A title", None, None), heading)
    said = "".join(capsys.readouterr())
    assert "10.5555/rt.18068" in said
    assert "1,422 more for 80 %" in " ".join(said.split())


LONG = "chargeback after a delivery that was never asked for"
PROOF = (
    "1,434 labels, 2 classes, 139 rare rows found, recall of at least 79.2 % proved, "
    "about 1,422 more for 80 % (1,388 if none is rare)"
)
OPEN = (
    "1,434 labels, 3 classes, 39 rare rows found, none of the last 1,756; nothing is proved "
    "without --recall 0.9"
)


class Pressed:
    """Keys that somebody presses, and lines that they type."""

    def __init__(self, keys: str, *lines: str) -> None:
        self.keys, self.lines = list(keys), list(lines)

    def read(self) -> str:
        return self.keys.pop(0)

    def line(self, prompt: str) -> str:
        return self.lines.pop(0)


@pytest.mark.parametrize(
    ("keys", "typed", "named"),
    [
        ("cy", "frau", "fraud"),
        ("cn", "frau", "frau"),
        ("ny", "FRAUD", "fraud"),
        ("c", "fraud", "fraud"),
        ("c", "refund", "refund"),
    ],
)
def test_a_name_close_to_a_known_one_is_asked_about(keys: str, typed: str, named: str) -> None:
    pressed = Pressed(keys, typed)
    person = _annotator.TerminalAnnotator(pressed)  # type: ignore[arg-type]
    assert person.ask(Shown("p1", {}), "1 label", ["ok", "fraud"]).label == named
    assert not pressed.keys


def test_a_class_without_answers_left_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_text("x\n" + "\n".join(map(str, range(30))))
    with Project.open(Path("pay.csv"), settings={"classes": ("ok",)}) as project:
        pressed = Pressed("n1uu?q", "slip")
        _annotator.ask_annotator(project, pressed)  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert "[1] ok  [2] slip" in said
    assert "[2] slip" not in said[said.rindex("→ undone") :]
    assert "[1] ok" in said[said.rindex("→ undone") :]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("heading", [PROOF, OPEN, "1 label, 1 class", f"Labelled {LONG} {LONG}"])
def test_no_line_above_a_row_or_of_its_keys_is_wider_than_the_terminal(
    width: int,
    heading: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", "24")
    person = _annotator.TerminalAnnotator(Pressed("q"))  # type: ignore[arg-type]
    classes = ["ok", LONG, f"{LONG}, and {LONG}", "不正な取引" * 9]
    fields = {f"column {i}": f"€{i},750.21" for i in range(30)}
    assert person.ask(Shown("payment-000017", fields), heading, classes).what == "quit"
    lines = capsys.readouterr().err.splitlines()
    assert max(map(cell_len, lines)) <= width
    # All of it is in sight at once, with a line to type in.
    assert len(lines) < 24
    said = " ".join(" ".join(lines).split())
    assert "payment-000017" in said
    assert "[2] chargeback after a delivery" in said
    if heading in (PROOF, OPEN):
        assert all(part in said for part in heading.split(", "))


PAYMENTS = [
    ["id", "amount", "share", "day"],
    ["p1", "€1,750.21", "12%", "03/04/2026"],
    ["p2", "€900.00", "7.5%", "14/04/2026"],
    ["p3", "€12.50", "3%", "15/04/2026"],
]


def test_earlier_answers_show_cells_as_written(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    text = "\n".join(";".join(row) for row in PAYMENTS)
    Path("payments.csv").write_text(text + "\n", encoding="utf-8")
    Path("known.csv").write_text("id,label\np1,fraud\np2,ok\n")
    assert command("labels", "import", "payments.csv", "known.csv", "--id", "id").code == 0
    listed = command("labels", "list", "payments.csv").out
    assert "amount €1,750.21, share 12%, day 03/04/2026" in " ".join(listed.split())
    found = command("labels", "list", "payments.csv", "--search", "€1,750", "--json").json
    assert [event["id"] for event in found["answers"]] == ["p1"]
    shown = command("labels", "show", "payments.csv", "p1")
    assert "amount: €1,750.21" in shown.out
    fields = command("labels", "show", "payments.csv", "p1", "--json").json["fields"]
    assert fields == dict(zip(PAYMENTS[0][1:], PAYMENTS[1][1:], strict=True))
