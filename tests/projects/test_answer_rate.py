"""How fast answers come: only those of the last seconds count."""

from __future__ import annotations

import pytest

from rarebit.projects._hands import AnswerRate


def test_answers_are_forgotten_after_their_time() -> None:
    now = 100.0
    rate = AnswerRate(seconds=10.0, clock=lambda: now)
    assert rate.per_second == 0.0
    for _ in range(5):
        rate.note()
    now = 105.0
    rate.note()
    assert rate.per_second == pytest.approx(0.6)
    now = 110.0
    assert rate.per_second == pytest.approx(0.1)
    now = 115.0
    assert rate.per_second == 0.0
