"""The backend against a real Label Studio: `make test-label-studio`."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from rarebit.projects.stores import read_history
from tests.label_studio.studio import (
    FIELDS,
    Running,
    Studio,
    free_port,
    label_studio,
    payments,
    reviews,
)

pytestmark = [
    pytest.mark.skipif(
        not (os.environ.get("LABEL_STUDIO_BIN") or os.environ.get("LABEL_STUDIO_URL")),
        reason="run make test-label-studio",
    ),
    pytest.mark.xdist_group("label-studio"),
]
N_KILLS = int(os.environ.get("LABEL_STUDIO_KILLS", "100"))


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with label_studio(tmp_path_factory.mktemp("label-studio")) as running:
        yield running


@pytest.fixture
def run(studio: Studio, tmp_path: Path) -> Iterator[Callable[[int], Running]]:
    with ExitStack() as stack:
        yield lambda project: stack.enter_context(Running(studio, project, tmp_path, free_port()))


Run = Callable[[int], Running]


def until(holds: Callable[[], bool], seconds: float = 180.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.1)


def stored(folder: Path, project: int) -> dict[str, Any]:
    """Return task → label as the store of the backend has it."""
    history = read_history(str(folder / f"label-studio-{project}.labels.db"))
    return {str(event.id): event.label for event in history.standing() if event.what != "skip"}


def labelled(studio: Studio, project: int) -> dict[str, Any]:
    """Return task → label as Label Studio has it."""
    query = {"exportType": "JSON", "download_all_tasks": "true"}
    found = {}
    for task in studio.call("GET", f"/api/projects/{project}/export", params=query):
        for annotation in task["annotations"]:
            if annotation["result"]:
                found[str(task["id"])] = annotation["result"][0]["value"]["choices"][0]
    return found


def test_rare_tasks_come_first_and_nothing_is_lost(
    studio: Studio, run: Run, tmp_path: Path
) -> None:
    tasks, truth = payments(300, 15)
    project = studio.new_project(tasks, FIELDS)
    backend = run(project).start()
    until(lambda: studio.call("GET", f"/api/projects/{project}/")["model_version"]
          .startswith("rarebit-"))  # fmt: skip
    assert studio.call("GET", f"/api/projects/{project}/")["sampling"] == "Uncertainty sampling"
    served: list[str] = []
    for i in range(60):
        task = studio.next(project)
        assert task is not None
        kind = truth[task["data"]["payment"]]
        studio.label(task["id"], kind)
        served.append(kind)
        if i == 30:
            backend.kill()
        elif i == 31:  # these two were labelled while nobody listened
            backend.start()
        if i != 30:
            until(lambda: is_in_step(backend, len(served)))
    found = served.count("fraud")
    expected = 60 * 15 / 300
    print(f"60 labels in the served order: {found} of 15 rare tasks; random order: {expected:.1f}")
    assert found >= 2 * expected
    until(lambda: stored(tmp_path, project) == labelled(studio, project))
    assert len(stored(tmp_path, project)) == 60
    backend.end()


def is_in_step(backend: Running, n_labels: int) -> bool:
    """Whether all answers are learned and their order is pushed, as a person's reading allows."""
    status = backend.status()
    return bool(status["labels"] == n_labels and status["behind"] == 0 and status["pushed"])


def test_changes_skips_and_deletions_are_understood(
    studio: Studio, run: Run, tmp_path: Path
) -> None:
    tasks, _ = reviews(40, 8, seed=1)
    project = studio.new_project(tasks)
    backend = run(project).start()
    numbers = [task["id"] for task in studio.call(
        "GET", "/api/tasks", params={"project": project, "page_size": 100})["tasks"]]  # fmt: skip
    first, second, third, fourth = (studio.label(number, "ok") for number in numbers[:4])
    studio.change(first, "fraud")
    studio.call("DELETE", f"/api/annotations/{second}/")
    studio.label(numbers[4], "ok", was_cancelled=True)
    wanted = {str(numbers[0]): "fraud", str(numbers[2]): "ok", str(numbers[3]): "ok"}
    until(lambda: stored(tmp_path, project) == wanted)
    until(lambda: backend.status()["skipped"] == 1)
    backend.kill()
    # All of this happens while nobody listens.
    studio.change(third, "fraud")
    studio.call("DELETE", f"/api/annotations/{fourth}/")
    studio.label(numbers[5], "fraud")
    studio.call("POST", f"/api/projects/{project}/import", json=reviews(3, 1, seed=2)[0])
    backend.start()
    wanted = {str(numbers[0]): "fraud", str(numbers[2]): "fraud", str(numbers[5]): "fraud"}
    until(lambda: stored(tmp_path, project) == wanted)
    assert backend.status()["rows"] == 43
    backend.end()


def test_nothing_is_lost_in_many_kills(studio: Studio, run: Run, tmp_path: Path) -> None:
    tasks, truth = reviews(max(300, 2 * N_KILLS + 50), 30, seed=3)
    project = studio.new_project(tasks)
    backend = run(project)
    rng, n_labels = random.Random(0), 0
    for _ in range(N_KILLS):
        backend.start()
        for _ in range(rng.randint(1, 2)):
            task = studio.next(project)
            if task is not None:
                studio.label(task["id"], truth[task["data"]["review"]])
                n_labels += 1
        time.sleep(rng.random())
        backend.kill()
    backend.start()
    until(lambda: stored(tmp_path, project) == labelled(studio, project))
    assert len(stored(tmp_path, project)) == n_labels
    print(f"{N_KILLS} kills, {n_labels} labels, none lost")
    backend.end()
