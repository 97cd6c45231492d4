"""Features are made in the learner's process: the desk's has people to answer to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit._child import Child
from rarebit.projects import Desk, ProjectError
from rarebit.projects._preparing import prepare
from rarebit.projects._settings import as_settings

N_ROWS = 300
SETTINGS = {"reading": {"id": "id"}, "goal": "find", "recall": 0.5, "rare": ["fraud"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "payments.csv"
    shop = rng.choice(["north", "south"], N_ROWS)
    columns = {"a": rng.normal(size=N_ROWS), "same": np.ones(N_ROWS), "shop": shop}
    pl.DataFrame({"id": [f"T-{i}" for i in range(N_ROWS)], **columns}).write_csv(path)
    return path


def opened(file: Path, **how: Any) -> Desk:
    return Desk.open(file, store=file.with_suffix(".db"), settings=SETTINGS, at_once=True, **how)


def until(holds: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.01)


def stopped_child() -> Child:
    """Return a process that will never make features."""
    child = Child()
    os.kill(child.pid, signal.SIGSTOP)
    return child


def test_they_are_those_that_this_process_would_make(file: Path) -> None:
    with opened(file) as desk:
        desk.begin_learning()
        here = prepare(desk.table, as_settings(SETTINGS))
        np.testing.assert_array_equal(desk.prepared.features, here.features)
        assert desk.prepared.encoder.get_feature_names_out().tolist() == (
            here.encoder.get_feature_names_out().tolist()
        )
        assert here.notes
        assert set(here.notes) <= set(desk.project_notes)


def test_a_team_is_served_without_the_libraries_that_learn(file: Path) -> None:
    program = (
        "import sys, threading, time, rarebit.server\n"
        "from rarebit.projects import Desk, brief_progress, full_status\n"
        "desk = Desk.open(sys.argv[1], store=sys.argv[1] + '.db', at_once=True, team=True,\n"
        "                 settings={'reading': {'id': 'id'}, 'recall': 0.5})\n"
        "type(desk).answers_per_second = 80.0\n"  # of many people
        "beginning = threading.Thread(target=desk.begin_learning)\n"
        "beginning.start()\n"
        "desk.wait_for_features()\n"
        "limit = time.monotonic() + 300\n"
        "while desk.learner.opinion is None or not desk.learner.learned.n_events:\n"
        "    assert time.monotonic() < limit\n"
        "    for row in desk.deal('Ada', 'tab', 2, patience=5.0).rows:\n"
        "        desk.answer(row, 'odd' if row % 2 else 'even', 'Ada')\n"
        "    brief_progress(desk, 'Ada')\n"
        "slow = {'sklearn', 'scipy', 'pandas', 'matplotlib', 'skrub', 'rarebit.active'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
        "type(desk).answers_per_second = 1.0\n"
        "beginning.join()\n"  # they are brought while few answer
        "print('sklearn' in sys.modules)\n"
        "full_status(desk), desk.insight.opinions([row]), desk.insight.why(row, None)\n"
        "desk.close()"
    )
    command = [sys.executable, "-c", program, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_learner_that_is_killed_before_it_has_made_them_begins_again(file: Path) -> None:
    said: list[str] = []
    with opened(file, notify=lambda what, data: said.append(data.get("state", ""))) as desk:
        child = stopped_child()
        beginning = threading.Thread(target=desk.begin_learning, args=(child,))
        beginning.start()
        until(lambda: desk.learner.pid is not None)
        os.kill(child.pid, signal.SIGKILL)
        beginning.join()
        assert desk.is_prepared
        assert "crashed" in said
        until(lambda: desk.state == "idle")
        assert desk.prepared.features.shape[0] == N_ROWS


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_desk_can_be_closed_while_they_are_made(file: Path) -> None:
    desk = opened(file)
    child = stopped_child()
    beginning = threading.Thread(target=desk.begin_learning, args=(child,))
    beginning.start()
    until(lambda: desk.learner.pid is not None)
    desk.close()
    beginning.join()
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    with pytest.raises(ProjectError, match="closed"):
        _ = desk.prepared
