"""Stores under load: threads and processes at once, and writers that are killed."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from typing import Any

from rarebit.projects.stores import Event, Store
from rarebit.testing._store_case import StoreCase

_WORKERS = 4
_ANSWERS = 12

Open = Callable[[str], Store]


def processes() -> BaseContext:
    """Return how processes are started: fresh ones, which share no connection with this one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rarebit.projects.stores._sql", "rarebit.testing"])
    return context


# --- many at once -----------------------------------------------------------------------


def answer_leased_rows(store: Store, who: str, n_answers: int, n_rows: int) -> None:
    """Lease rows and answer them, every request twice, as a client with a bad network does."""
    mine: set[int] = set()
    while len(mine) < n_answers:
        free = [row for row in range(n_rows) if row not in mine]
        for lease in store.lease(free, who, seconds=600):
            key = f"{who}-{lease.row}"
            for _ in range(2):
                store.append("label", lease.row, who, annotator=who, key=key, order=len(mine))
            mine.add(lease.row)


def check_history(store: Store, people: list[str], n_answers: int) -> None:
    """Assert that a history of several annotators is whole and no row was leased twice at once."""
    events = store.events()
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    keys = [event.key for event in events if event.key is not None]
    assert len(keys) == len(set(keys)) == len(people) * n_answers
    for who in people:
        answers = store.answers()[who]
        assert len(answers) == n_answers
        assert all(event.label == who for event in answers.values())
    assert store.leases() == []
    holder: dict[int, str] = {}
    for event in events:
        assert event.row is not None
        if event.what == "lease":
            assert event.row not in holder, f"row {event.row} leased twice at once"
            holder[event.row] = event.annotator
        elif event.is_answer and holder.get(event.row) == event.annotator:
            del holder[event.row]


def check_threads(case: StoreCase) -> None:
    """Threads that share one store lose nothing and never hold the same row."""
    people = [f"thread {number}" for number in range(_WORKERS)]
    failures: list[BaseException] = []

    with case.open(case.new_place()) as store:

        def work(who: str) -> None:
            try:
                answer_leased_rows(store, who, _ANSWERS, 40)
            except BaseException as error:  # shown by the thread that asserts
                failures.append(error)

        threads = [threading.Thread(target=work, args=(who,)) for who in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures
        check_history(store, people, _ANSWERS)


def _work_in_process(open_it: Open, place: str, who: str) -> None:
    with open_it(place) as store:
        answer_leased_rows(store, who, _ANSWERS, 40)


def check_processes(case: StoreCase) -> None:
    """Processes that have one store open lose nothing and never hold the same row."""
    if not case.several_writers:
        return
    place, context = case.new_place(), processes()
    people = [f"process {number}" for number in range(_WORKERS)]
    workers = [
        context.Process(target=_work_in_process, args=(case.open, place, who))  # type: ignore[attr-defined]
        for who in people
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * _WORKERS
    with case.open(place) as store:
        check_history(store, people, _ANSWERS)


# --- writers that are killed ------------------------------------------------------------


def _answer_until_killed(
    open_it: Open, place: str, start: int, n_rows: int, told: Connection
) -> None:
    number = start
    with open_it(place) as store:
        while True:
            number += 1
            key = f"answer {number}"
            store.append("label", number % n_rows, number, annotator="ann", key=key)
            told.send(number)  # the acknowledgement: the answer must now survive everything


def kill_a_writer(
    open_it: Open,
    place: str,
    start: int,
    delay: float,
    n_rows: int = 200,
    *,
    while_opening: bool = False,
) -> list[int]:
    """Let a process answer until it is killed with SIGKILL.

    Parameters
    ----------
    open_it : callable
        Opens the store, in the process.
    place : str
        Address of the store.
    start : int
        The first answer has the next larger number.
    delay : float
        Seconds between the first acknowledgement and the kill.
    n_rows : int
        Number of rows of the data.
    while_opening : bool
        Count the delay from the start of the process, so that it may be opening the store.

    Returns
    -------
    list of int
        Numbers of the answers that were acknowledged.
    """
    context = processes()
    here, there = context.Pipe(duplex=False)
    worker = context.Process(  # type: ignore[attr-defined]
        target=_answer_until_killed, args=(open_it, place, start, n_rows, there)
    )
    worker.start()
    there.close()
    try:
        acknowledged = [here.recv()] if not while_opening and here.poll(60) else []
        time.sleep(delay)
    finally:
        worker.kill()
        worker.join()
    try:
        while here.poll():
            acknowledged.append(here.recv())
    except EOFError:
        pass
    here.close()
    return acknowledged


def lost_answers(events: list[Event], acknowledged: list[int]) -> list[int]:
    """Return the acknowledged answers that a history does not hold exactly once."""
    found: dict[Any, int] = {}
    for event in events:
        if event.what == "label" and event.key == f"answer {event.label}":
            found[event.label] = found.get(event.label, 0) + 1
    return [number for number in acknowledged if found.get(number) != 1]


def check_kills(case: StoreCase) -> None:
    """Every acknowledged answer of a killed process is there exactly once, and none is torn."""
    place, draw = case.new_place(), random.Random(3)
    acknowledged: list[int] = []
    for _ in range(3):
        start = max(acknowledged, default=0) + 1000
        got = kill_a_writer(case.open, place, start, draw.uniform(0.0, 0.05))
        assert got, "the process acknowledged nothing within a minute"
        acknowledged += got
        with case.open(place) as store:
            events = store.events()
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert lost_answers(events, acknowledged) == []
        # At most the answer under way at each kill was stored without being acknowledged.
        assert len(acknowledged) <= len(events) <= len(acknowledged) + 3
