"""The kit finds stores that break the protocol."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from rarebit.projects.stores import Store
from rarebit.projects.stores._answers import Answers
from rarebit.projects.stores._changes import Change
from rarebit.projects.stores._header import Header
from rarebit.projects.stores._sql import _SQLTransaction
from rarebit.testing import STORE_CHECKS, StoreCase

CHECKS = {check.__name__: check for check in STORE_CHECKS}


@pytest.fixture
def case(tmp_path: Path) -> StoreCase:
    numbers = itertools.count()
    return StoreCase(lambda: str(tmp_path / f"{next(numbers)}.db"))


def without_keys(self: Change, draft: Any) -> None:
    return None


def undo_of_anybody(self: Answers, annotator: str) -> Any:
    return self.events[-1] if self.events else None


def any_data(self: Header, given: Header, place: str) -> None:
    return None


def free_for_all(self: _SQLTransaction, rows: Any = None) -> dict[int, Any]:
    return {}


@pytest.mark.parametrize(
    ("place", "name", "broken", "check"),
    [
        (Change, "first_of", without_keys, "check_repeated_and_reordered_requests"),
        (Answers, "last", undo_of_anybody, "check_annotators"),
        (Header, "check", any_data, "check_other_data"),
        (_SQLTransaction, "leases", free_for_all, "check_leases"),
        (_SQLTransaction, "leases", free_for_all, "check_threads"),
    ],
)
def test_the_kit_can_fail(
    place: type,
    name: str,
    broken: Callable[..., Any],
    check: str,
    case: StoreCase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, name, broken)
    with pytest.raises((AssertionError, ValueError)):
        CHECKS[check](case)


def test_a_store_that_acknowledges_too_early_is_found() -> None:
    from rarebit.projects.stores import Event
    from rarebit.testing import lost_answers

    held = [Event(1, "label", 1, label=1, key="answer 1")]
    assert lost_answers(held, [1]) == []
    assert lost_answers(held, [1, 2]) == [2]
    assert lost_answers([*held, *held], [1]) == [1]


def test_stores_keep_the_protocol(case: StoreCase) -> None:
    with case.open(case.new_place()) as store:
        assert isinstance(store, Store)
