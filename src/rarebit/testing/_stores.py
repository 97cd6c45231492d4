"""What every store of labels must do, whatever keeps its events."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

from rarebit.projects.stores import Audit, Event, Store
from rarebit.testing._store_case import IDS, StoreCase, refused
from rarebit.testing._store_load import check_kills, check_processes, check_threads
from rarebit.testing._store_sharing import (
    check_growing_data,
    check_leases,
    check_overdue_leases,
    check_settings,
    check_two_handles,
)


def check_store(case: StoreCase) -> None:
    """Run every check of the kit on new stores of one kind.

    Parameters
    ----------
    case : StoreCase
        How stores of that kind are made.

    Raises
    ------
    AssertionError
        Where a store does not keep the protocol.

    Examples
    --------
    >>> import itertools, tempfile
    >>> from rarebit.testing import STORE_CHECKS, StoreCase
    >>> folder, numbers = tempfile.TemporaryDirectory(), itertools.count()
    >>> case = StoreCase(lambda: f"{folder.name}/{next(numbers)}.db")
    >>> STORE_CHECKS[0](case)
    >>> folder.cleanup()
    """
    for check in STORE_CHECKS:
        check(case)


def check_answers(case: StoreCase) -> None:
    """Labels, skips and corrections are the last standing answer of an annotator to a row."""
    with case.open(case.new_place()) as store:
        assert isinstance(store, Store)
        assert store.events() == []
        assert store.labels() == {}
        assert store.undo() is None
        first = store.append("label", 7, "fraud")
        assert (first.number, first.row, first.id, first.label) == (1, 7, "T-7", "fraud")
        store.append("label", 3, "ok")
        store.append("skip", 9)
        store.append("note", 9, note="blurred")
        store.append("ask", 11, reason="border", order=4)
        store.append("correction", 3, "fraud")
        assert store.labels() == {7: "fraud", 3: "fraud"}
        assert list(store.labels()) == [7, 3]
        assert store.skipped() == [9]
        undo = store.undo()
        assert undo is not None
        assert (undo.what, undo.row, undo.of) == ("undo", 3, 6)
        assert store.labels() == {7: "fraud", 3: "ok"}
        store.undo()
        assert store.skipped() == []
        store.append("label", 9, "ok")
        assert store.labels() == {7: "fraud", 3: "ok", 9: "ok"}
        assert [event.number for event in store.events()] == list(range(1, 10))
        assert store.events(after=7) == store.events()[7:]
        assert store.events(after=99) == []
        # A blind second answer is an answer to whoever gave it: an undo takes back that one first.
        store.append("repeat", 7, "ok")
        assert store.labels() == {7: "fraud", 3: "ok", 9: "ok"}
        undo = store.undo()
        assert undo is not None
        assert (undo.row, undo.of) == (7, 10)
        assert store.labels() == {7: "fraud", 3: "ok", 9: "ok"}
        store.undo()
        assert store.labels() == {7: "fraud", 3: "ok"}


def check_annotators(case: StoreCase) -> None:
    """Answers of several people to one row are all kept; an undo takes back one's own."""
    with case.open(case.new_place()) as store:
        store.append("label", 1, "ok", annotator="ann")
        store.append("label", 1, "fraud", annotator="bob")
        store.append("label", 2, "ok", annotator="bob")
        store.append("label", 1, "fraud", annotator="cyd")
        store.append("skip", 3, annotator="ann")
        store.append("label", 3, "ok", annotator="bob")
        assert {who: len(rows) for who, rows in store.answers().items()} == {
            "ann": 2, "bob": 3, "cyd": 1,
        }  # fmt: skip
        assert list(store.answers_of(1)) == ["ann", "bob", "cyd"]
        assert store.labels("first") == {1: "ok", 2: "ok", 3: "ok"}
        assert store.labels("majority")[1] == "fraud"
        assert store.labels("owner", owner="own") == {2: "ok", 3: "ok"}
        assert store.disagreements() == {1: {"ann": "ok", "bob": "fraud", "cyd": "fraud"}}
        store.append("correction", 1, "fraud", annotator="own")
        assert store.labels("first", owner="own")[1] == "fraud"
        assert store.labels("owner", owner="own")[1] == "fraud"
        assert store.labels("first")[1] == "ok"
        undo = store.undo("ann")
        assert undo is not None
        assert (undo.row, undo.annotator) == (3, "ann")
        undo = store.undo("ann")
        assert undo is not None
        assert undo.row == 1
        assert store.undo("ann") is None
        assert store.labels("first")[1] == "fraud"
        assert store.disagreements() == {}
        refused(lambda: store.labels("loudest"))
        refused(lambda: store.labels("owner"))


def check_keys(case: StoreCase) -> None:
    """A repeated request changes nothing; a key with another content is an error."""
    place = case.new_place()
    with case.open(place) as store:
        assert store.undo("ann", key="early") is None
        first = store.append("label", 5, "ok", annotator="ann", key="k1", reason="border")
        assert store.undo("ann", key="early") is None
        assert store.append("label", 5, "ok", annotator="ann", key="k1") == first
        refused(lambda: store.append("label", 5, "fraud", annotator="ann", key="k1"))
        refused(lambda: store.append("label", 5, "ok", annotator="bob", key="k1"))
        refused(lambda: store.append("skip", 5, annotator="ann", key="k1"))
        second = store.append("label", 6, "ok", annotator="ann", key="k2")
        undo = store.undo("ann", key="u1")
        assert undo is not None
        assert undo.of == second.number
        assert store.undo("ann", key="u1") == undo
        assert store.append("label", 6, "ok", annotator="ann", key="k2") == second
        assert store.labels() == {5: "ok"}
        n_events = len(store.events())
        batch = [Event(0, "label", row, label="ok", key=f"b{row}") for row in (10, 11, 10)]
        stored = store.append_many(batch)
        assert stored[0] == stored[2]
        assert len(store.events()) == n_events + 2
        spoiled = [replace(batch[0], row=12, key="b12"), replace(batch[1], label="fraud")]
        refused(lambda: store.append_many(spoiled))
        assert len(store.events()) == n_events + 2
    with case.open(place) as store:
        assert store.append("label", 5, "ok", annotator="ann", key="k1") == first
        assert store.undo("ann", key="u1") == undo
        assert len(store.events()) == n_events + 2


def check_repeated_and_reordered_requests(case: StoreCase) -> None:
    """Requests that arrive late and several times leave what each would leave once."""
    draw = random.Random(7)
    people = ("ann", "bob", "cyd")
    requests = [
        (who, row, f"{who}-{row}", draw.choice(("ok", "fraud")))
        for who in people
        for row in range(20)
    ]
    arrivals = requests * 3
    draw.shuffle(arrivals)
    with case.open(case.new_place()) as store:
        for who, row, key, label in arrivals:
            store.append("label", row, label, annotator=who, key=key)
        assert len(store.events()) == len(requests)
        for who, row, _, label in requests:
            assert store.answers()[who][row].label == label


def check_values(case: StoreCase) -> None:
    """Everything comes back as it was given, also from a store that was closed."""
    place = case.new_place()
    labels = [1, 1.5, True, "1", "", " é\u2028'\"; DROP TABLE x; --<b>", 10**15, -0.25, "null"]
    with case.open(place) as store:
        for row, label in enumerate(labels):
            event = store.append(
                "label", row, label, annotator="Zoë", key=f"k{row}", reason="audit", order=row,
                audit=Audit(200 - row, 0.9, "low"), source="import", note="a\nb\tc", by="hunt 1",
            )  # fmt: skip
            assert json.dumps(event.label) == json.dumps(label)
        before = store.events()
        assert store.address
    with case.open(place) as store:
        assert store.events() == before
        assert [json.dumps(label) for label in store.labels().values()] == [
            json.dumps(label) for label in labels
        ]
        last = store.events()[-1]
        assert (last.annotator, last.reason, last.order) == ("Zoë", "audit", 8)
        assert last.audit == Audit(192, 0.9, "low")
        assert (last.source, last.note, last.by, last.key) == ("import", "a\nb\tc", "hunt 1", "k8")
        assert Event.from_json(json.loads(json.dumps(last.to_json()))) == last
        store.close()


def check_refusals(case: StoreCase) -> None:
    """What cannot be stored is refused in one sentence and leaves nothing behind."""
    with case.open(case.new_place()) as store:
        for row in (-1, len(IDS), None, "3", 1.5):
            refused(lambda row=row: store.append("label", row, "ok"))  # type: ignore[misc]
        for label in (None, float("nan"), float("inf"), ["ok"], "a\0b", "\ud800"):
            refused(lambda label=label: store.append("label", 1, label))  # type: ignore[misc]
        refused(lambda: store.append("skip", 1, "ok"))
        refused(lambda: store.append("settings", 1))
        refused(lambda: store.append("vote", 1))  # type: ignore[arg-type]
        refused(lambda: store.append("label", 1, "ok", annotator="a\0"))
        refused(lambda: store.append("note", 1, note="\0"))
        refused(lambda: store.save_settings({"x": float("nan")}))
        assert store.events() == []
    refused(lambda: store.append("label", 1, "ok"))  # closed


def check_other_data(case: StoreCase) -> None:
    """A store of other data is refused and stays as it was."""
    open_other = case.open_other
    if open_other is None:
        return
    place = case.new_place()
    with case.open(place) as store:
        store.append("label", 7, "fraud")
    refused(lambda: open_other(place))
    with case.open(place) as store:
        assert store.labels() == {7: "fraud"}


STORE_CHECKS: list[Callable[[StoreCase], None]] = [
    check_answers,
    check_annotators,
    check_keys,
    check_repeated_and_reordered_requests,
    check_values,
    check_refusals,
    check_other_data,
    check_settings,
    check_growing_data,
    check_leases,
    check_overdue_leases,
    check_two_handles,
    check_threads,
    check_processes,
    check_kills,
]
