"""Running plans by name, and the command that does it: names, options and messages."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rarebit.cli import ExitCode, main
from rarebit.papers import (
    Experiment,
    Plan,
    ResultTable,
    _machine,
    _paper,
    _reproduce,
    all_plans,
    find_plans,
    list_plans,
    reproduce,
)

Call = Callable[..., tuple[int, str, str]]

RUNS: list[int] = []


def run(experiment: Experiment) -> dict[str, float]:
    RUNS.append(experiment.seed)
    return {"score": experiment.seed / 4.0}


PLAN = Plan(
    "test.scores",
    "Scores of nothing",
    Experiment,
    ("score",),
    experiments=lambda scale: (Experiment("t", "m", seed) for seed in range(scale.seeds)),
    run=run,
    tables=lambda results: [
        ResultTable("Scores", ["set", "mean"], [["t", f"{results['score'].mean():.3f}"]])
    ],
    seeds=4,
    quick_seeds=2,
)


@pytest.fixture(autouse=True)
def one_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plan of this file be the only one."""
    for module in (_paper, _reproduce):
        monkeypatch.setattr(module, "all_plans", lambda: (PLAN,))


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run ``rarebit reproduce`` in this process."""

    def run_command(*arguments: str) -> tuple[int, str, str]:
        RUNS.clear()
        capsys.readouterr()
        code = main(["reproduce", *arguments])
        return code, *capsys.readouterr()

    return run_command


def test_list_names_every_plan() -> None:
    out = io.StringIO()
    plans = all_plans()
    assert len(plans) > 20
    assert reproduce(["LIST"], plans=plans, output=out) == 0
    assert [line.split()[0] for line in out.getvalue().splitlines()] == [p.name for p in plans]


def test_the_module_is_the_command(tmp_path: Path) -> None:
    run_module = [sys.executable, "-m", "rarebit.papers"]
    shown = subprocess.run([*run_module, "list"], check=True, capture_output=True, text=True)
    assert shown.stdout.startswith("border.settings")
    told = subprocess.run([*run_module, "speed"], capture_output=True, text=True)
    assert told.returncode == ExitCode.USAGE
    assert "There is no table or figure 'speed'" in told.stderr


def test_seeds_quick_fresh_and_show(tmp_path: Path, call: Call) -> None:
    folder = str(tmp_path)
    code, out, err = call("test.scores", "--quick", "--out", folder)
    assert (code, RUNS) == (0, [0, 1])
    assert "test.scores 2/2: t m, seed 1, " in err
    assert out.splitlines() == ["Scores", "set   mean", "t    0.125", ""]
    _, out, err = call("all", "--out", folder)
    assert RUNS == [2, 3]
    assert "2 of 4 are finished already" in err
    assert "0.375" in (tmp_path / "test.scores.md").read_text()
    _, again, _ = call("test", "--show", "--out", folder)
    assert (RUNS, again) == ([], out)
    call("test", "--seeds", "1", "--fresh", "--out", folder)
    assert RUNS == [0]
    assert (tmp_path / "test.scores.csv").read_text().count("1/1") == 1


def test_results_of_other_code_are_told(tmp_path: Path, call: Call) -> None:
    folder = str(tmp_path)
    call("test", "--seeds", "2", "--out", folder)
    path = tmp_path / "test.scores.csv"
    assert "other code" not in call("test", "--seeds", "3", "--out", folder)[2]
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("# edition of the code: ")
    path.write_text(f"{head}# edition of the code: older{rest[12:]}", encoding="utf-8")
    assert "--fresh measures them again" in call("test", "--seeds", "3", "--out", folder)[2]


def test_quick_results_have_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    call("test", "--quick")
    assert (tmp_path / "rarebit-papers" / "quick" / "test.scores.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speed"], "There is no table or figure 'speed': choose from all, test, test.scores"),
        (["test", "--seeds", "0"], "0 is not in the range x>=1"),
        (["test", "--jobs", "-1"], "-1 is not in the range x>=1"),
        ([], "NAME"),
    ],
)
def test_wrong_arguments_are_told(arguments: list[str], message: str, call: Call) -> None:
    code, _, err = call(*arguments)
    assert code == ExitCode.USAGE
    assert message in " ".join(err.split())
    assert RUNS == []


def test_results_of_another_edition_are_told(tmp_path: Path, call: Call) -> None:
    (tmp_path / "test.scores.csv").write_text("task,part,height\n", encoding="utf-8")
    code, _, err = call("test", "--out", str(tmp_path))
    assert code == 1
    assert "--fresh" in err


def test_nothing_to_show_is_said(tmp_path: Path, call: Call) -> None:
    _, out, err = call("test", "--show", "--out", str(tmp_path))
    assert out == ""
    assert "nothing to show" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    err = Terminal()
    assert reproduce(["test"], folder=tmp_path, output=io.StringIO(), messages=err) == 0
    assert "4/4" in err.getvalue()
    assert "test.scores 4/4: t m" not in err.getvalue()


def test_plans_are_found_by_paper() -> None:
    plans = all_plans()
    names = [plan.name for plan in find_plans(["border", "border.table1"], plans)]
    assert names == [plan.name for plan in plans if plan.name.startswith("border.")]
    assert list_plans() == ["test.scores"]


def test_the_edition_covers_packages_that_exist() -> None:
    package = Path(_machine.__file__).parents[1]
    assert [name for name in _machine.LEARNING if not (package / name).is_dir()] == []
