"""The first question comes before the features and the learner, and is a draw that counts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.active import Draw, Hunt
from rarebit.exceptions import RarebitError
from rarebit.projects import Desk, ProjectError, _dealing

N_ROWS = 300
FRAUD = np.random.default_rng(0).random(N_ROWS) < 0.1
SETTINGS = {"reading": {"id": "id"}, "goal": "find", "recall": 0.5, "rare": ["fraud"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "payments.csv"
    columns = {name: rng.normal(size=N_ROWS) + 3 * FRAUD for name in "ab"}
    pl.DataFrame({"id": [f"T-{i}" for i in range(N_ROWS)], **columns}).write_csv(path)
    return path


def opened(file: Path) -> Desk:
    return Desk.open(file, store=file.with_suffix(".db"), settings=SETTINGS, at_once=True)


def until(holds: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.01)


def test_the_first_question_imports_nothing_that_learns(file: Path) -> None:
    program = (
        "import sys, rarebit.server\n"
        "from rarebit.projects import Desk, brief_progress\n"
        "desk = Desk.open(sys.argv[1], store=sys.argv[1] + '.db', at_once=True)\n"
        "row = desk.deal('', 'tab', 2).rows[0]\n"
        "desk.display.row(row), brief_progress(desk, ''), desk.insight.opinions([row])\n"
        "desk.answer(row, 'ok'); desk.close()\n"
        "slow = {'sklearn', 'scipy', 'pandas', 'matplotlib', 'skrub', 'rarebit.active'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rows_are_drawn_before_the_learner_begins_and_count_in_the_proof(file: Path) -> None:
    with opened(file) as desk:
        dealt = desk.deal("", "tab", 6)
        assert len(dealt.rows) == 2  # the others are the asker's to choose
        assert dealt.waiting
        assert not desk.is_prepared
        asked = [desk.board.asked[row] for row in dealt.rows]
        assert [each.reason for each in asked] == ["random", "random"]
        assert [each.audit and each.audit.n for each in asked] == [N_ROWS, N_ROWS - 1]
        assert desk.deal("", "tab", 6).rows == dealt.rows
        for row in dealt.rows:
            desk.answer(row, "fraud" if FRAUD[row] else "ok")
        desk.begin_learning()
        until(lambda: desk.n_behind == 0 and desk.state == "idle")
        asker = desk.learner.call("asker")
        assert isinstance(asker, Hunt)
        assert [query.row for query in asker.queries_[:2]] == dealt.rows
        assert [query.draw for query in asker.queries_[:2]] == [
            Draw(N_ROWS, 0.5),
            Draw(N_ROWS - 1, 0.5),
        ]
        # Whoever comes next gets what the asker has chosen.
        row = desk.deal("", "tab", 1).rows[0]
        assert desk.board.asked[row].by


def test_given_rows_are_not_drawn_and_not_counted_among_the_rows_left(file: Path) -> None:
    with opened(file) as desk:
        for row in range(N_ROWS - 5):
            desk.answer(row, "ok")
        dealt = desk.deal("", "tab", 2)
        assert set(dealt.rows) <= set(range(N_ROWS - 5, N_ROWS))
        audit = desk.board.asked[dealt.rows[0]].audit
        assert audit is not None
        assert audit.n == 5


def test_a_program_does_not_have_the_pool_drawn(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_dealing, "_PACE", 3600.0)
    with opened(file) as desk:
        for row in desk.deal("", "tab", 2).rows:
            desk.answer(row, "ok")
        dealt = desk.deal("", "tab", 2)
        assert (dealt.rows, dealt.waiting, dealt.done) == ([], True, False)
        assert len(desk.deal("", "another tab", 2).rows) == 2


def test_settings_that_only_people_see_do_not_wait_for_features(file: Path) -> None:
    with opened(file) as desk:
        desk.change_settings({"guidelines": "Look twice."})
        assert desk.settings.guidelines == "Look twice."


def test_a_desk_that_is_closed_meanwhile_starts_no_learner(file: Path) -> None:
    desk = opened(file)
    desk.close()
    desk.begin_learning()
    assert desk.learner.pid is None


def test_data_without_features_are_refused_behind_the_first_row(tmp_path: Path) -> None:
    file = tmp_path / "nothing.csv"
    file.write_text("id,same\n" + "".join(f"T-{i},1\n" for i in range(30)))
    with opened(file) as desk:
        assert desk.deal("", "tab", 1).rows
        with pytest.raises(RarebitError) as problem:
            desk.begin_learning()
        with pytest.raises(ProjectError, match=str(problem.value)[:20]):
            _ = desk.prepared
    with pytest.raises(RarebitError):
        Desk.open(file, store=tmp_path / "other.db", settings={"reading": {"id": "id"}})
