"""What every asker must do, whatever it looks for."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rarebit.active import Asker, ContradictionError, QueryReason, Status
from rarebit.testing._asker_case import AskerCase, Pool


def check_asker(make: Callable[[], Asker], pool: Pool | None = None) -> None:
    """Run every check of the kit on new askers of one kind.

    Parameters
    ----------
    make : callable
        Returns a new asker that was not started, with the same seed at every call.
    pool : tuple of ndarray, optional
        Rows of shape (n_rows, n_features) and their labels; a small pool of three classes by
        default.

    Raises
    ------
    AssertionError
        Where an asker does not keep the protocol.

    Examples
    --------
    >>> from rarebit import RandomExplorer
    >>> from rarebit.testing import check_asker
    >>> check_asker(lambda: RandomExplorer(random_state=0))
    """
    case = AskerCase(make) if pool is None else AskerCase(make, pool)
    for check in ASKER_CHECKS:
        check(case)


def refused(call: Callable[[], object], kind: type[Exception] = ValueError) -> str:
    """Return the message of a call that must be refused in one sentence with its next step."""
    try:
        call()
    except kind as error:
        message = str(error)
        assert message.endswith("."), message
        assert "\n" not in message, message
        return message
    raise AssertionError("the call was accepted")


# --- the protocol -----------------------------------------------------------------------


def check_protocol_members(case: AskerCase) -> None:
    """It has every method and attribute of `Asker`, and can be cloned."""
    asker = case.start()
    assert isinstance(asker, Asker), "a method or an attribute of the protocol is missing"
    assert str(clone(case.make())) == str(case.make())


def check_nothing_works_before_start(case: AskerCase) -> None:
    """Whatever is called first, the message says to call start."""
    asker: Any = case.make()
    for call in (
        asker.ask,
        asker.status,
        lambda: asker.done,
        lambda: asker.pending_,
        lambda: asker.labels_,
        lambda: asker.queries_,
        lambda: asker.tell(0, "a"),
        lambda: asker.skip(0),
        lambda: asker.retract(0),
    ):
        assert "call start(X)" in refused(call, NotFittedError)


def check_all_rows_are_asked_once(case: AskerCase) -> None:
    """Every question is new, and at the end there is none."""
    asker, n = case.start(), len(case.pool[1])
    asked = case.answer(asker)
    assert len(set(asked)) == len(asked)
    assert set(asked) <= set(range(n))
    assert list(asker.labels_) == asked
    assert asker.done
    assert asker.ask().size == 0


def check_questions_repeat(case: AskerCase) -> None:
    """The same seed asks the same questions; a second start forgets the first."""
    asker = case.start()
    first = case.answer(asker, 40)
    assert case.answer(case.start(), 40) == first
    assert case.answer(asker.start(case.pool[0]), 40) == first


def check_batches(case: AskerCase) -> None:
    """Several rows at once differ; when all rows wait, there is nothing to ask."""
    asker, n = case.start(), len(case.pool[1])
    first, second = asker.ask(2), asker.ask(3)
    assert first.dtype.kind == "i"
    assert asker.pending_.tolist() == [*first.tolist(), *second.tolist()]
    assert len(set(asker.pending_.tolist())) == 5
    asker.tell(first, case.pool[1][first])
    assert asker.pending_.tolist() == second.tolist()
    everything = case.start()
    rows = everything.ask(n)
    assert sorted(rows.tolist()) == list(range(n))
    assert everything.ask().size == 0
    everything.tell(rows, case.pool[1][rows])
    assert everything.done


def check_order_asked(case: AskerCase) -> None:
    """Every question has a rising number and a reason, which answers do not change."""
    asker = case.start()
    rows = [*asker.ask(3).tolist(), *asker.ask().tolist()]
    queries = asker.queries_
    assert [query.row for query in queries] == rows
    assert [query.order for query in queries] == [1, 2, 3, 4]
    assert all(isinstance(query.reason, QueryReason) for query in queries)
    asker.tell(rows[:2], case.pool[1][rows[:2]])
    asker.skip(rows[2])
    asker.retract(rows[:1])
    assert asker.queries_ == queries
    assert set(asker.pending_.tolist()) == {rows[0], rows[3]}


def check_saving(case: AskerCase) -> None:
    """A copy made by pickle continues with the same questions."""
    for spent in (0, 1, 7):
        asker = case.start()
        case.answer(asker, spent)
        if not asker.done:
            asker.skip(asker.ask())
            asker.ask(2)
        copy = pickle.loads(pickle.dumps(asker))
        assert copy.status() == asker.status()
        assert copy.queries_ == asker.queries_
        assert copy.pending_.tolist() == asker.pending_.tolist()
        assert case.answer(copy, 30) == case.answer(asker, 30)


# --- answers ----------------------------------------------------------------------------


def check_labels_known_from_the_start(case: AskerCase) -> None:
    """Labels given are learned, are not asked for, and come first."""
    y = case.pool[1]
    known = {int(np.flatnonzero(y == name)[0]): name for name in np.unique(y).tolist()[:2]}
    asker = case.start(known)
    assert asker.labels_ == known
    assert asker.status().n_given == len(known)
    assert [found.first_label for found in asker.status().classes] == [0] * len(known)
    assert not set(case.answer(asker, 20)) & set(known)
    assert not {query.row for query in asker.queries_} & set(known)


def check_rows_told_without_being_asked(case: AskerCase) -> None:
    """Rows may be told that nobody asked for; they are not asked for later."""
    asker = case.start()
    asker.tell(np.arange(5), case.pool[1][:5])
    assert not set(case.answer(asker)) & set(range(5))


def check_late_answers(case: AskerCase) -> None:
    """Answers may come late and in another order."""
    asker = case.start()
    rows = asker.ask(4)
    asker.tell(rows[::-1], case.pool[1][rows[::-1]])
    assert list(asker.labels_) == rows[::-1].tolist()
    assert asker.pending_.size == 0
    asked = case.answer(asker, 20)
    assert not set(asked) & set(rows.tolist())


def check_skips(case: AskerCase) -> None:
    """Skipped rows are not asked for again, but may be told after all."""
    asker = case.start()
    rows = asker.ask(3)
    asker.skip(rows)
    asker.skip(int(rows[0]))
    assert asker.status().n_skipped == 3
    assert asker.pending_.size == 0
    asker.tell(int(rows[0]), case.pool[1][rows[0]])
    assert asker.status().n_skipped == 2
    assert not set(case.answer(asker)) & set(rows.tolist())


def check_contradictions(case: AskerCase) -> None:
    """A row is told once, unless the label is to be replaced."""
    asker = case.start()
    row = int(asker.ask()[0])
    asker.tell(row, "a")
    for label in ("a", "b"):
        message = refused(lambda label=label: asker.tell(row, label), ContradictionError)  # type: ignore[misc]
        assert f"Row {row} was told class 'a'" in message
        assert "replace=True" in message
    other = (row + 1) % len(case.pool[1])
    assert "once" in refused(lambda: asker.tell([other, other], ["a", "b"]), ContradictionError)
    assert "skip" in refused(lambda: asker.skip(row))
    assert asker.labels_ == {row: "a"}


def check_corrections(case: AskerCase) -> None:
    """A label that was replaced leaves no trace."""
    asker, other = case.start(), case.start()
    rows = asker.ask(3)
    asker.tell(rows, ["a", "a", "b"])
    asker.tell(rows[0], "b", replace=True)
    other.ask(3)
    other.tell(rows, ["b", "a", "b"])
    assert asker.labels_ == other.labels_
    assert list(asker.labels_) == list(other.labels_)
    assert set(asker.status().classes) == set(other.status().classes)


def check_retractions(case: AskerCase) -> None:
    """An answer that was taken back leaves no trace; its row waits again."""
    doubting, plain = case.start(), case.start()
    for count in range(25):
        if plain.done:
            break
        (row,), (same,) = doubting.ask().tolist(), plain.ask().tolist()
        assert row == same, "an answer that was taken back changed a question"
        if count in (0, 1, 5, 19):
            doubting.tell(row, "never seen" if count % 2 else "b")
            doubting.retract(row)
            assert doubting.pending_.tolist() == [row]
        doubting.tell(row, case.pool[1][row])
        plain.tell(row, case.pool[1][row])
    assert doubting.status() == plain.status()
    assert doubting.queries_ == plain.queries_


def check_a_skip_is_taken_back(case: AskerCase) -> None:
    """A row whose skip is taken back waits for an answer again."""
    asker = case.start()
    row = int(asker.ask()[0])
    assert "neither told nor skipped" in refused(lambda: asker.retract(row))
    asker.skip(row)
    asker.retract(row)
    assert asker.pending_.tolist() == [row]
    assert asker.status().n_skipped == 0
    assert row not in asker.ask(5).tolist()
    asker.tell(row, case.pool[1][row])
    assert asker.labels_ == {row: case.pool[1][row]}


# --- what is refused --------------------------------------------------------------------


def check_rows_that_are_refused(case: AskerCase) -> None:
    """Rows outside of the pool, and what is no row."""
    asker, n = case.start(), len(case.pool[1])
    for bad in (n, -1, 10**9):
        for call in (asker.skip, asker.retract, lambda row: asker.tell([0, row], ["a", "b"])):
            message = refused(lambda call=call, bad=bad: call(bad))  # type: ignore[misc]
            assert f"rows 0 to {n - 1}, got row {bad}" in message
        refused(lambda bad=bad: case.start({bad: "a"}))  # type: ignore[misc]
    for strange in (1.5, "3", [True, False], [[1, 2]]):
        assert "whole numbers" in refused(
            lambda strange=strange: asker.tell(strange, "a"),  # type: ignore[misc]
            TypeError,
        )
    assert asker.labels_ == {}


def check_labels_that_are_refused(case: AskerCase) -> None:
    """Missing labels, labels that cannot be keys, and too many of them: nothing is learned."""
    asker = case.start()
    for bad in (None, float("nan"), np.float64("nan")):
        assert "call skip" in refused(lambda bad=bad: asker.tell([0, 1], ["a", bad]))  # type: ignore[misc]
        refused(lambda bad=bad: case.start({0: bad}))  # type: ignore[misc]
    assert "hashable" in refused(lambda: asker.tell([0], [{}]), TypeError)
    assert "got 2 labels for 1 row" in refused(lambda: asker.tell([0], ["a", "b"]))
    assert asker.labels_ == {}
    assert asker.status().n_labels == 0


def check_numbers_that_are_refused(case: AskerCase) -> None:
    """Numbers of rows that cannot be asked for."""
    asker, n = case.start(), len(case.pool[1])
    for bad in (0, -1, n + 1, 1.0, True, "one", None):
        assert f"from 1 to the {n:,} of the pool" in refused(lambda bad=bad: asker.ask(bad))  # type: ignore[misc]
    assert asker.pending_.size == 0


def check_pools_that_are_refused(case: AskerCase) -> None:
    """Values that are not finite; what did not start has no pool."""
    for bad in (np.nan, np.inf, -np.inf):
        X = case.pool[0].copy()
        X[17, 1] = bad
        asker: Any = case.make()
        try:
            asker.start(X)
        except ValueError:
            pass
        else:
            raise AssertionError(f"a pool with {bad} was accepted")
        refused(asker.ask, NotFittedError)


# --- status -----------------------------------------------------------------------------


def check_status(case: AskerCase) -> None:
    """The status counts what happened, becomes JSON, and reads as sentences."""
    asker, n = case.start(), len(case.pool[1])
    status = asker.status()
    assert isinstance(status, Status)
    assert (status.n_rows, status.n_labels, status.done, status.classes) == (n, 0, False, ())
    assert str(status).startswith(f"0 labels told of {n} rows; 0 classes found.")
    row = int(asker.ask()[0])
    assert asker.status().n_pending == 1
    label = case.pool[1][row]
    asker.tell(row, label)
    status = asker.status()
    (found,) = status.classes
    assert (found.name, found.n_labels, found.first_label) == (label, 1, 1)
    assert f"1 label told of {n} rows; 1 class found: {label.item()!r} (label 1)." in str(status)
    case.answer(asker)
    status = asker.status()
    assert status.done
    assert status.phase == "done"
    assert status.reasons
    assert sum(found.n_labels for found in status.classes) == status.n_labels
    assert json.loads(json.dumps(status.to_dict()))["n_labels"] == status.n_labels
    assert str(status).endswith(".")


ASKER_CHECKS: tuple[Callable[[AskerCase], None], ...] = (
    check_protocol_members,
    check_nothing_works_before_start,
    check_all_rows_are_asked_once,
    check_questions_repeat,
    check_batches,
    check_order_asked,
    check_saving,
    check_labels_known_from_the_start,
    check_rows_told_without_being_asked,
    check_late_answers,
    check_skips,
    check_contradictions,
    check_corrections,
    check_retractions,
    check_a_skip_is_taken_back,
    check_rows_that_are_refused,
    check_labels_that_are_refused,
    check_numbers_that_are_refused,
    check_pools_that_are_refused,
    check_status,
)
