"""Runs: resumed after a kill, the same for any number of processes, honest about missing data."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from rarebit.datasets import DataNotFoundError
from rarebit.papers import Experiment, Plan, Results, ResultTable, Scale, reproduce, run_plan

N_EXPERIMENTS = 14

SCRIPT = """
import sys, time
from pathlib import Path
from rarebit.papers import Experiment, Plan, ResultTable, reproduce

log = Path(sys.argv[1])

def run(experiment):
    with log.open("a") as file:
        file.write(f"{experiment.seed}\\n")
    time.sleep(0.1)
    return [{"square": (experiment.seed + k) ** 2} for k in range(3)]

plan = Plan(
    "test.plan", "Squares", Experiment, ("square",),
    experiments=lambda scale: (Experiment("t", "m", seed) for seed in range(scale.seeds)),
    run=run,
    tables=lambda results: [ResultTable("Sum", ["sum"], [[str(sum(results["square"]))]])],
)
if __name__ == "__main__":
    jobs, seeds, folder = int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    sys.exit(reproduce(["test.plan"], jobs=jobs, seeds=seeds, folder=folder, plans=[plan]))
"""


def run_script(folder: Path, name: str, jobs: int = 1) -> list[str]:
    """Return the command that runs the plan into ``folder/name``, logging to ``name.log``."""
    script = folder / "plan.py"
    script.write_text(SCRIPT, encoding="utf-8")
    options = [str(jobs), str(N_EXPERIMENTS), str(folder / name)]
    return [sys.executable, str(script), str(folder / f"{name}.log"), *options]


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    subprocess.run(run_script(folder, "out"), check=True, capture_output=True)
    return folder / "out"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on_without_repeating(tmp_path: Path, whole_run: Path, jobs: int) -> None:
    csv = tmp_path / "killed" / "test.plan.csv"
    process = subprocess.Popen(
        run_script(tmp_path, "killed", jobs),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300.0
    while not csv.exists() or csv.read_text(encoding="utf-8").count("3/3") < 3:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)  # its workers too, which would wait for it otherwise
    process.wait()
    finished = [line.split(",")[2] for line in csv.read_text().splitlines() if ",3/3," in line]
    assert 3 <= len(finished) < N_EXPERIMENTS

    second = subprocess.run(
        run_script(tmp_path, "killed"), check=True, capture_output=True, text=True
    )
    assert f"{len(finished)} of {N_EXPERIMENTS} are finished already" in second.stderr
    assert csv.read_text(encoding="utf-8") == (whole_run / csv.name).read_text(encoding="utf-8")
    runs = Counter((tmp_path / "killed.log").read_text().split())
    assert all(runs[seed] == 1 for seed in finished)
    assert set(runs) == {str(seed) for seed in range(N_EXPERIMENTS)}
    table = "test.plan.md"
    assert (csv.parent / table).read_text() == (whole_run / table).read_text()


def run_needy(experiment: Experiment) -> dict[str, float]:
    if experiment.task == "absent":
        raise DataNotFoundError("Set RAREBIT_DATA.")
    return {"score": float(experiment.seed)}


def needy_plan() -> Plan:
    return Plan(
        "test.needy",
        "Half of the data is missing",
        Experiment,
        ("score",),
        experiments=lambda scale: (
            Experiment(task, "m", seed)
            for task in ("absent", "present")
            for seed in range(scale.seeds)
        ),
        run=run_needy,
        tables=lambda results: [ResultTable("Scores", ["n"], [[str(len(results))]])],
        seeds=3,
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_can_be_run_is_run_and_the_rest_is_told(tmp_path: Path, jobs: int) -> None:
    outcome = run_plan(needy_plan(), Scale(3), tmp_path, jobs=jobs)
    assert outcome.missing == {"absent": "Set RAREBIT_DATA."}
    assert outcome.results["score"].tolist() == [0.0, 1.0, 2.0]
    assert outcome.n_run == 3


def test_missing_data_is_an_exit_code_and_a_sentence(tmp_path: Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    code = reproduce(["test"], folder=tmp_path, plans=[needy_plan()], output=out, messages=err)
    assert code == 1
    assert "Left out: absent. Set RAREBIT_DATA." in err.getvalue()
    assert "Scores" in out.getvalue()


def test_a_failing_experiment_leaves_the_finished_ones(tmp_path: Path) -> None:
    def run(experiment: Experiment) -> dict[str, float]:
        if experiment.seed == 2:
            raise ZeroDivisionError
        return {"score": 1.0}

    plan = Plan(
        "test.failing",
        "",
        Experiment,
        ("score",),
        experiments=lambda scale: (Experiment("t", "m", seed) for seed in range(scale.seeds)),
        run=run,
        tables=lambda results: [],
    )
    with pytest.raises(ZeroDivisionError):
        run_plan(plan, Scale(4), tmp_path)
    outcome = run_plan(plan, Scale(2), tmp_path)
    assert (outcome.n_kept, outcome.n_run) == (2, 0)
    assert isinstance(outcome.results, Results)
