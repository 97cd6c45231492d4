"""docs/architecture.md tells the truth: files that it names exist, and a label walks as it says."""

from __future__ import annotations

import os
import re
import sys
from importlib import resources
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MOST_MODULES = 12

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the documents are not beside the tests")


def test_every_file_that_the_page_names_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w.-]+\.(?:py|js|md|d\.ts))`", PAGE.read_text("utf-8"))
    named += re.findall(r"pytest (tests/[\w/.]+)", PAGE.read_text("utf-8"))
    assert len(named) > 12
    places = (ROOT, ROOT / "src" / "rarebit")
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    assert not missing


def test_names_of_choices_agree() -> None:
    from rarebit.active import STOP_RULES
    from rarebit.projects import STOPS

    assert (*STOP_RULES, "never") == STOPS


@pytest.mark.parametrize("sparse", [False, True])
def test_every_explorer_that_can_be_named_is_made(sparse: bool) -> None:
    pytest.importorskip("polars")
    from rarebit._choices import WITH_PRIORS
    from rarebit.projects import EXPLORERS, Settings
    from rarebit.projects._assembly import make_explorer

    made = []
    for name in EXPLORERS:
        priors = (0.1,) if name in WITH_PRIORS else ()
        explorer = make_explorer(Settings(explorer=name, priors=priors), sparse=sparse)
        assert len(explorer.start(np.eye(8)).ask()) == 1
        made.append(type(explorer))
    assert len(set(made)) == len(EXPLORERS)


def test_the_page_offers_the_same_stop_rules() -> None:
    from rarebit.projects import STOPS

    view = resources.files("rarebit").joinpath("server/page/views/project.js").read_text("utf-8")
    offered = re.search(r"^const STOPS = \{(.*?)^\};", view, re.MULTILINE | re.DOTALL)
    assert offered is not None
    assert tuple(re.findall(r"^ +(\w+):", offered[1], re.MULTILINE)) == STOPS


def pool_file(folder: Path) -> tuple[Path, Any]:
    import polars as pl

    rare = np.arange(300) % 10 == 0
    columns = np.random.default_rng(0).normal(size=(300, 2)) + 3 * rare[:, None]
    names = [f"r{row}" for row in range(300)]
    file = folder / "pool.csv"
    pl.DataFrame({"id": names, "a": columns[:, 0], "b": columns[:, 1]}).write_csv(file)
    return file, rare


def stack(frame: FrameType | None) -> list[str]:
    """Return the modules of the package on the call stack, the caller first."""
    found: list[str] = []
    while frame is not None:
        found.append(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return [name for name in reversed(found) if name.startswith("rarebit.")]


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_a_label_walks_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("polars")
    import pty

    from rarebit.cli._annotator import ask_annotator
    from rarebit.cli._keys import Keys
    from rarebit.projects import Project, Settings

    file, rare = pool_file(tmp_path)
    master, slave = pty.openpty()
    walks: dict[str, list[str]] = {}
    listening = False

    def listen(frame: FrameType, event: str, thing: Any) -> None:
        if not listening:
            return
        if event == "call" and frame.f_code.co_qualname == "Keys.read":
            walks.setdefault("key", stack(frame))
        elif event == "call" and frame.f_code.co_qualname == "BorderSearch.learn":
            walks.setdefault("engine", stack(frame))
        elif event == "c_call" and getattr(thing, "__qualname__", "") == "Connection.commit":
            walks.setdefault("disk", stack(frame))

    with (
        os.fdopen(slave, "r") as keyboard,
        Project.open(
            file, store=tmp_path / "pool.db", settings=Settings(classes=("a", "b"))
        ) as project,
    ):
        monkeypatch.setattr(sys, "stdin", keyboard)
        read = Keys.read

        def press(keys: Keys) -> str:
            nonlocal listening
            n_labels = project.status().n_labels
            question = project.question()
            assert question is not None
            key = "q" if n_labels == 25 else "2" if rare[question.row] else "1"
            os.write(master, key.encode())
            listening = n_labels == 24  # both classes are known, so that the border is learned
            return read(keys)

        monkeypatch.setattr(Keys, "read", press)
        with Keys() as keys:
            sys.setprofile(listen)
            try:
                ask_annotator(project, keys)
            finally:
                sys.setprofile(None)
    os.close(master)
    assert set(walks) == {"key", "disk", "engine"}
    walked = {name for walk in walks.values() for name in walk}
    block = PAGE.read_text("utf-8").split("```text\n")[2].split("```")[0]
    told = [line.split()[1] for line in block.splitlines()]
    assert set(told) == walked
    assert told == list(dict.fromkeys([*reversed(walks["key"]), *walks["disk"], *walks["engine"]]))
    assert len(told) <= MOST_MODULES
