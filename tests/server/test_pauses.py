"""The server's process is not stopped for housekeeping while people answer."""

from __future__ import annotations

import gc

from rarebit.server import _run


def test_garbage_is_sought_among_all_objects_rarely_and_as_before_afterwards() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    with _run._rare_pauses():
        young, middle, full = gc.get_threshold()
        assert (young, middle) == before[0][:2]  # requests' own garbage goes at once
        assert full >= 1_000
        assert gc.get_freeze_count() > 1_000
    assert gc.get_threshold() == before[0]
    assert gc.get_freeze_count() <= before[1]
