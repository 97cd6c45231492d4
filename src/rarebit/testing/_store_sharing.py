"""What several people and processes share: settings, data, leases and each other's events."""

from __future__ import annotations

import time

from rarebit.testing._store_case import IDS, StoreCase, refused

# --- settings and data ------------------------------------------------------------------


def check_settings(case: StoreCase) -> None:
    """Settings have versions, and a change based on an old version is refused."""
    place = case.new_place()
    with case.open(place) as store:
        version, settings = store.settings
        assert version == 0
        assert not settings
        assert store.append("label", 0, "ok").settings == 0
        assert store.save_settings({"goal": "find", "target": 0.9, "classes": ["a"]}) == 1
        assert store.save_settings({"goal": "find", "target": 0.9, "classes": ["a"]}) == 1
        assert store.append("label", 1, "ok").settings == 1
        assert store.save_settings({"goal": "both"}, annotator="own", expected=1) == 2
        assert "version" in refused(lambda: store.save_settings({"goal": "x"}, expected=1))
        store.settings[1]["goal"] = "changed by the caller"
    with case.open(place) as store:
        assert store.settings == (2, {"goal": "both"})
        assert store.append("label", 2, "ok").settings == 2


def check_growing_data(case: StoreCase) -> None:
    """Rows can be added at the end; the shorter data are refused afterwards."""
    place = case.new_place()
    with case.open(place) as store:
        store.append("label", 1, "ok")
        refused(lambda: store.extend(["other", *IDS], source="kit.csv", fingerprint="2"))
        refused(lambda: store.extend(IDS[:-1], source="kit.csv", fingerprint="2"))
        store.extend([*IDS, "T-200"], source="kit.csv", fingerprint="2")
        assert store.append("label", 200, "ok").id == "T-200"
    assert "kit.csv" in refused(lambda: case.open(place))


# --- leases -----------------------------------------------------------------------------


def check_leases(case: StoreCase) -> None:
    """A row belongs to one person at a time, until it is answered, released or overdue."""
    with case.open(case.new_place()) as store:
        (lease,) = store.lease([4, 5], "ann", seconds=60)
        assert lease.row == 4
        assert [one.row for one in store.lease([4, 5, 6], "bob", seconds=60, n=2)] == [5, 6]
        assert store.lease([4, 5, 6], "cyd", seconds=60) == []
        again = store.lease([4], "ann", seconds=120)[0]
        assert again.until > lease.until
        assert [(one.row, one.annotator) for one in store.leases()] == [
            (4, "ann"), (5, "bob"), (6, "bob"),
        ]  # fmt: skip
        assert not store.release(4, "bob")
        assert store.renew(4, "bob", seconds=60) is None
        assert store.release(5, "bob")
        assert store.lease([5], "cyd", seconds=60)[0].annotator == "cyd"
        store.append("label", 4, "ok", annotator="bob")  # not its holder
        assert 4 in [one.row for one in store.leases()]
        store.append("label", 4, "ok", annotator="ann")
        store.append("skip", 6, annotator="bob")
        assert [one.row for one in store.leases()] == [5]
        assert store.answers_of(4).keys() == {"ann", "bob"}


def check_overdue_leases(case: StoreCase) -> None:
    """An overdue lease can be renewed by its holder until somebody has taken it over."""
    with case.open(case.new_place()) as store:
        store.lease([1, 2], "ann", seconds=0.02, n=2)
        time.sleep(0.05)
        assert store.leases() == []
        assert store.renew(1, "ann", seconds=60) is not None
        assert store.lease([1], "bob", seconds=60) == []
        assert store.lease([2], "bob", seconds=60)[0].annotator == "bob"
        assert store.renew(2, "ann", seconds=60) is None
        assert not store.release(2, "ann")
        event = store.append("label", 2, "ok", annotator="ann")  # late, and kept all the same
        assert event.label == "ok"
        assert [one.annotator for one in store.leases()] == ["ann", "bob"]


def check_two_handles(case: StoreCase) -> None:
    """Two open stores at one address see each other's events, or the second is refused."""
    place = case.new_place()
    with case.open(place) as store:
        store.append("label", 1, "ok", annotator="ann", key="k")
        if not case.several_writers:
            refused(lambda: case.open(place))
            return
        with case.open(place) as other:
            assert other.labels() == {1: "ok"}
            other.append("label", 2, "ok", annotator="bob")
            other.append("label", 1, "ok", annotator="ann", key="k")
            store.append("label", 3, "ok", annotator="ann")
            assert store.events() == other.events()
            undo = other.undo("ann")
            assert undo is not None
            assert undo.row == 3
            assert store.labels() == {1: "ok", 2: "ok"}
            assert store.lease([5], "ann", seconds=60)
            assert other.lease([5], "bob", seconds=60) == []
            assert other.save_settings({"a": 1}) == 1
            assert store.settings == (1, {"a": 1})
            refused(lambda: store.save_settings({"a": 2}, expected=0))
