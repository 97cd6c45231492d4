"""The path of a proof is the bound of every prefix, and ends in the guarantee."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit.statistics import LedgerError, ceiling, proof_path, share_interval


def searched(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Rows in the order asked, their ledger, the places of its draws, rows of the pool."""
    rng = np.random.default_rng(seed)
    n_rows, outcomes, draws, places = 300, [], [], []
    rare = set(rng.permutation(n_rows)[:30].tolist())
    free = list(range(n_rows))
    for at in range(150):
        harvest = at < 60
        pick = next((row for row in free if row in rare), free[0]) if harvest and at % 3 else None
        row = int(rng.choice(free)) if pick is None else pick
        y = -1 if rng.random() < 0.04 else int(row in rare)
        if pick is None:
            m = sum(told != 0 for told in outcomes)
            draws.append((len(free), m, 0.0 if at < 90 else 0.5, int(y != 0)))
            places.append(at)
        outcomes.append(y)
        free.remove(row)
    return np.array(outcomes), np.array(draws, dtype=float), np.array(places), n_rows


@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_the_bound_of_its_prefix(seed: int) -> None:
    outcomes, draws, places, n_rows = searched(seed)
    path = proof_path(outcomes, draws, places, n_rows, points=1000)
    assert len(path.labels) == len(outcomes)
    for i in range(0, len(outcomes), 7):
        part = outcomes[: i + 1]
        known, negatives = int((part == 1).sum()), int((part == 0).sum())
        top = ceiling(draws[places <= i], n_rows, known, known_negatives=negatives)
        assert path.total_max[i] == top
        assert path.found[i] == known
        assert path.recall_min[i] == (known / top if known else 0.0)
    assert path.audits[-1] == (outcomes[places] >= 0).sum()
    assert path.hits[-1] == (outcomes[places] == 1).sum()
    assert len(path.audit_labels) == path.audits[-1]
    assert np.all(np.diff(path.total_max) <= 0)
    few = proof_path(outcomes, draws, places, n_rows, points=9)
    assert len(few.labels) == 9
    assert few.total_max[-1] == path.total_max[-1]
    assert few.to_json()["recall_min"][-1] == path.recall_min[-1]


def test_nothing_asked_and_nothing_drawn() -> None:
    assert len(proof_path([], [], [], 10).labels) == 0
    path = proof_path([1, 0, -1], [], [], 10)
    assert path.total_max.tolist() == [10, 9, 9]


def test_places_that_cannot_be_are_refused() -> None:
    draws = [(10, 0, 0.0, 0), (9, 0, 0.0, 0)]
    for places in ([0], [1, 0], [0, 5]):
        with pytest.raises(LedgerError, match="places"):
            proof_path([0, 0], draws, places, 10)


def test_intervals_of_shares() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
    assert share_interval(0, 20)[0] == 0.0
    assert share_interval(0, 20)[1] == pytest.approx(1 - 0.025 ** (1 / 20))
    assert share_interval(20, 20)[0] == pytest.approx(0.025 ** (1 / 20))
    with pytest.raises(LedgerError, match="hits"):
        share_interval(3, 2)
