"""The backend against a real Label Studio: `make test-label-studio`."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from rarebit.projects.stores import read_history
from tests.label_studio.studio import (
    CONFIG,
    FIELDS,
    IMAGES,
    Running,
    Studio,
    free_port,
    label_studio,
    payments,
    reviews,
    scans,
)

pytestmark = pytest.mark.skipif(
    not (os.environ.get("LABEL_STUDIO_BIN") or os.environ.get("LABEL_STUDIO_URL")),
    reason="run make test-label-studio",
)
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


def label_in_order(
    studio: Studio,
    backend: Running,
    project: int,
    n_labels: int,
    kind_of: Callable[[Any], str],
    kill_at: int | None = None,
) -> list[str]:
    """Label tasks in the order in which Label Studio serves them; return their classes."""
    until(lambda: str(studio.call("GET", f"/api/projects/{project}/")["model_version"])
          .startswith("rarebit-"))  # fmt: skip
    until(lambda: bool(studio.call("GET", f"/api/projects/{project}/")["sampling"]
                       == "Uncertainty sampling"))  # fmt: skip
    served: list[str] = []
    for i in range(n_labels):
        task = studio.next(project)
        assert task is not None
        kind = kind_of(task["data"])
        studio.label(task["id"], kind)
        served.append(kind)
        if i == kill_at:
            backend.kill()
        elif kill_at is not None and i == kill_at + 1:  # two were labelled while nobody listened
            backend.start()
        if i != kill_at:
            until(lambda: is_in_step(backend, len(served)))
    return served


def test_rare_tasks_come_first_and_nothing_is_lost(
    studio: Studio, run: Run, tmp_path: Path
) -> None:
    tasks, truth = payments(300, 15)
    project = studio.new_project(tasks, FIELDS)
    backend = run(project).start()
    served = label_in_order(studio, backend, project, 60, lambda data: truth[data["payment"]], 30)
    tell("fields", served, 60 * 15 / 300, 15)
    until(lambda: stored(tmp_path, project) == labelled(studio, project))
    assert len(stored(tmp_path, project)) == 60
    backend.end()


def test_rare_texts_come_first(studio: Studio, run: Run, tmp_path: Path) -> None:
    tasks, truth = reviews(300, 15, seed=5)
    project = studio.new_project(tasks)
    backend = run(project).start()
    served = label_in_order(studio, backend, project, 60, lambda data: truth[data["review"]], 30)
    tell("texts", served, 60 * 15 / 300, 15)
    until(lambda: stored(tmp_path, project) == labelled(studio, project))
    assert len(stored(tmp_path, project)) == 60
    backend.end()


def test_rare_images_come_first(studio: Studio, run: Run, tmp_path: Path) -> None:
    files, truth = scans(200, 10)
    project = studio.new_project([], IMAGES)
    studio.upload(project, files)
    # Images of elsewhere, and other parts of Label Studio, are not fetched for anybody's task.
    foreign = ("http://127.0.0.1:1/x.png", f"/api/projects/{project}/", "/data/../api/users/", "")
    trap = [{"data": {"image": path}} for path in foreign]
    studio.call("POST", f"/api/projects/{project}/import", json=trap)

    def kind_of(data: Any) -> str:
        return truth[re.findall(r"(\d+)\.png$", unquote(data["image"]))[0]]

    backend = run(project).start()
    assert backend.status()["rows"] == 200
    assert len(list((tmp_path / f"label-studio-{project}.images").iterdir())) == 200
    served = label_in_order(studio, backend, project, 40, kind_of, 20)
    tell("images", served, 40 * 10 / 204, 10)
    until(lambda: stored(tmp_path, project) == labelled(studio, project))
    assert len(stored(tmp_path, project)) == 40
    backend.end()


def tell(what: str, served: list[str], expected: float, n_rare: int) -> None:
    """Print how many rare tasks came, and assert that they came sooner than at random."""
    found = served.count("fraud")
    print(f"\n{what}: {len(served)} labels in the served order: {found} of {n_rare} rare tasks; "
          f"random order: {expected:.1f}")  # fmt: skip
    assert found >= 2 * expected


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
    assert backend.status()["skipped"] == 1  # the skip is in Label Studio's export, too
    # A class that is added in the project's settings is one that can be learned.
    config = CONFIG.replace('<Choice value="ok"/>', '<Choice value="ok"/><Choice value="late"/>')
    studio.call("PATCH", f"/api/projects/{project}/", json={"label_config": config})
    studio.label(numbers[6], "late")
    until(lambda: stored(tmp_path, project) == {**wanted, str(numbers[6]): "late"})
    studio.call("DELETE", f"/api/tasks/{numbers[6]}/")
    until(lambda: backend.status()["rows"] == 42)
    assert stored(tmp_path, project) == wanted
    backend.end()


def test_an_order_that_people_turn_off_comes_back(studio: Studio, run: Run) -> None:
    project = studio.new_project(reviews(40, 8, seed=4)[0])
    place = f"/api/projects/{project}/"

    def is_ours() -> bool:
        found = studio.call("GET", place)
        ours = str(found["model_version"]).startswith("rarebit-")
        return ours and found["sampling"] == "Uncertainty sampling"

    backend = run(project).start()
    until(is_ours)
    # As the page does when prelabelling is switched off.
    off = {"show_collab_predictions": False, "model_version": ""}
    assert studio.call("PATCH", place, json=off)["model_version"] == ""
    until(is_ours)
    assert studio.call("GET", place)["show_collab_predictions"] is False
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
    print(f"{N_KILLS} kills, {n_labels} labels, none lost; {studio.n_repeats} given again")
    backend.end()
