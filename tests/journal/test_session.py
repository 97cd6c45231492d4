"""A session over a file of labels goes on where the last one ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarebit import BorderLearner, Hunt, Malice, RandomExplorer, Scout
from rarebit._journal.file import LabelFile
from rarebit.labels import LabelSession

ASKERS: dict[str, Callable[[], Any]] = {
    "scout": lambda: Scout(),
    "malice": lambda: Malice(0.1),
    "random": lambda: RandomExplorer(random_state=3),
    "hunt": lambda: Hunt(learner=BorderLearner(random_state=3)),
}


@pytest.fixture(scope="module")
def pool() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(250, 2)), rng.normal(3.5, 0.3, size=(12, 2))])
    y = np.repeat(["usual", "rare"], [250, 12])
    order = rng.permutation(len(y))
    return X[order], y[order]


def begin(name: str, path: Path, pool: Any) -> LabelSession:
    X, _ = pool
    store = LabelFile(path, ids=range(len(X)), fingerprint="f")
    return LabelSession(ASKERS[name]().start(X), store, by=name)


def answer(session: LabelSession, y: Any, n: int) -> list[int]:
    asked = []
    for _ in range(n):
        row = session.question()
        assert row is not None
        assert session.question() == row  # until it has an answer
        asked.append(row)
        if row % 17 == 0:
            session.skip()
            continue
        if row % 11 == 0:  # a slip of the finger
            session.answer("rare" if y[row] == "usual" else "usual")
            assert session.undo() == row
            assert session.question() == row
        session.answer(str(y[row]))
    return asked


@pytest.mark.parametrize("name", ASKERS)
def test_broken_off_and_gone_on_it_asks_the_same(name: str, pool: Any, tmp_path: Path) -> None:
    _, y = pool
    whole = begin(name, tmp_path / "whole.jsonl", pool)
    expected = answer(whole, y, 60)
    asked: list[int] = []
    for part in (1, 13, 26, 20):
        session = begin(name, tmp_path / "parts.jsonl", pool)
        asked += answer(session, y, part)
        session.question()  # asked, and never answered
        session.store.close()
    assert asked == expected
    again = begin(name, tmp_path / "parts.jsonl", pool)
    assert again.store.labels == whole.store.labels
    assert again.asker.labels_ == whole.asker.labels_
    assert again.asker.discovered_ == whole.asker.discovered_
    if name == "hunt":
        how = [session.asker.learner_.history_["how"].tolist() for session in (again, whole)]
        assert how[0] == how[1]


def test_undone_across_sessions(pool: Any, tmp_path: Path) -> None:
    _, y = pool
    path = tmp_path / "labels.jsonl"
    first = begin("scout", path, pool)
    asked = answer(first, y, 10)
    first.store.close()
    second = begin("scout", path, pool)
    assert second.undo() == asked[-1]
    assert second.undo() == asked[-2]
    assert second.question() == asked[-2]
    second.store.close()
    third = begin("scout", path, pool)
    assert third.question() == asked[-2]
    third.skip()
    assert third.question() == asked[-1]
    third.store.undo()
    assert len(third.store.events) == len(second.store.events) + 2


def test_labels_of_one_asker_serve_another(pool: Any, tmp_path: Path) -> None:
    _, y = pool
    path = tmp_path / "labels.jsonl"
    found = begin("scout", path, pool)
    answer(found, y, 30)
    found.store.close()
    learned = begin("hunt", path, pool)
    assert learned.asker.labels_ == found.asker.labels_
    more = answer(learned, y, 20)
    assert not set(more) & set(found.asker.labels_)


def test_there_is_an_end(tmp_path: Path) -> None:
    X = np.arange(6.0).reshape(-1, 1)
    store = LabelFile(tmp_path / "six.jsonl", ids=range(6))
    session = LabelSession(Scout().start(X), store, by="scout")
    while session.question() is not None:
        session.answer("one")
    assert len(store.labels) == 6
    with pytest.raises(ValueError, match="no question"):
        session.answer("one")
    for _ in range(6):
        assert session.undo() is not None
    assert session.undo() is None


@pytest.mark.parametrize("name", ["scout", "hunt"])
@pytest.mark.parametrize("label", [float("nan"), np.float64("nan"), None, ["a"]])
def test_what_names_no_class_is_refused_before_it_is_written(
    name: str, label: Any, pool: Any, tmp_path: Path
) -> None:
    _, y = pool
    path = tmp_path / "labels.jsonl"
    session = begin(name, path, pool)
    answer(session, y, 5)
    row = session.question()
    before = path.read_bytes()
    with pytest.raises((TypeError, ValueError), match="A label must"):
        session.answer(label)
    assert path.read_bytes() == before
    assert session.question() == row
    session.answer("usual")
    session.store.close()
    assert begin(name, path, pool).store.labels[row] == "usual"


class Particular(Scout):
    """Knows two classes only."""

    def tell(self, rows: Any, labels: Any, *, replace: bool = False) -> None:
        if labels not in ("usual", "rare"):
            raise ValueError(f"There is no class {labels!r}.")
        super().tell(rows, labels, replace=replace)


def test_what_only_the_asker_refuses_does_not_stand_in_the_file(pool: Any, tmp_path: Path) -> None:
    X, y = pool
    path = tmp_path / "labels.jsonl"
    store = LabelFile(path, ids=range(len(X)))
    session = LabelSession(Particular().start(X), store, by="p")
    answer(session, y, 5)
    row = session.question()
    labels = dict(store.labels)
    with pytest.raises(ValueError, match="no class 'odd'"):
        session.answer("odd")
    assert store.labels == labels
    assert session.question() == row
    session.answer("rare")
    following = session.question()
    store.close()
    again = LabelSession(Particular().start(X), LabelFile(path, ids=range(len(X))), by="p")
    assert again.store.labels == {**labels, row: "rare"}
    assert again.question() == following


@pytest.mark.parametrize("undone", [False, True])
def test_files_that_hold_such_answers_already_are_continued(
    pool: Any, tmp_path: Path, undone: bool
) -> None:
    """Version 1 wrote the answer, and then the asker refused it."""
    _, y = pool
    path = tmp_path / "labels.jsonl"
    head = '{"rarebit-labels": 1, "data": "", "fingerprint": "f", "rows": 262}\n'
    line = '{"what": "%s", "row": %d, "id": %d, "label": %s, "how": "", "by": "scout", "at": ""}\n'
    fresh = begin("scout", tmp_path / "fresh.jsonl", pool)
    rows = answer(fresh, y, 3)
    text = head + "".join(line % ("label", row, row, f'"{y[row]}"') for row in rows[:2])
    text += line % ("label", rows[2], rows[2], "NaN")
    text += line % ("undo", rows[2], rows[2], "null") if undone else ""
    path.write_text(text, encoding="utf-8")
    for _ in range(2):
        session = begin("scout", path, pool)
        assert session.store.labels == {row: y[row] for row in rows[:2]}
        assert list(session.store.passed_over) == [4]
        assert list(session.passed_over) == [3]
        assert session.question() == rows[2]  # it still waits for its answer
        session.store.close()
    session = begin("scout", path, pool)
    if not undone:
        assert session.undo() == rows[2]
    session.answer(str(y[rows[2]]))
    assert session.store.labels == {row: y[row] for row in rows}
    following = session.question()
    session.store.close()
    assert following == fresh.question()
    assert begin("scout", path, pool).question() == following
