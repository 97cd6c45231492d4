"""A file that lies outside the range of the training file is noticed; the next month is not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from rarebit.tables import RangeCheck, TableEncoder, as_table, is_range


def payments(n: int, seed: int, *, times: float = 1.0, days: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    start = datetime(2026, 1, 1) + timedelta(days=days)
    return pl.DataFrame(
        {
            "amount": np.exp(rng.normal(4.0, 1.0, n)) * times,
            "hour": rng.integers(0, 24, n).astype(float),
            "paid": [start + timedelta(minutes=int(m)) for m in rng.integers(0, 90 * 1440, n)],
            "land": rng.choice(["DE", "FR"], n),
        }
    )


def checked(training: Any, *new: Any) -> RangeCheck:
    check = RangeCheck(TableEncoder().fit(training))
    for batch in new:
        check.add(as_table(batch))
    return check


@pytest.mark.parametrize("n_training", [60, 500, 4000])
@pytest.mark.parametrize("n_new", [1, 10, 100, 3000])
def test_rows_like_those_of_training_are_no_news(n_training: int, n_new: int) -> None:
    for seed in range(5):
        check = checked(payments(n_training, seed), payments(n_new, seed + 100, days=90))
        assert check.sentence() == ""


def test_another_unit_is_told_with_its_column() -> None:
    new = payments(500, 2, times=100.0)
    check = checked(payments(2000, 1), new[:200], new[200:])
    found = check.found()
    assert list(found) == ["amount"]
    amount = new["amount"].to_numpy()
    high = float(np.quantile(payments(2000, 1)["amount"].to_numpy(), 0.995, method="higher"))
    assert found["amount"].n_outside == int((amount > high).sum())
    assert found["amount"].n_rows == 500
    assert check.sentence().startswith(
        f"{found['amount'].n_outside} of 500 rows have a value of 'amount' outside "
    )
    assert check.sentence().endswith("check units and dates, or train with newer rows.")


def test_a_date_is_far_from_training_when_two_periods_lie_between() -> None:
    check = checked(payments(500, 1), payments(300, 2, days=400))
    assert list(check.found()) == ["paid"]
    assert "300 of 300 rows have a value of 'paid' far from 2026-01-01 to 2026-03-" in (
        check.sentence()
    )


def test_many_columns_are_counted_and_not_listed() -> None:
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(6)]
    training = pl.DataFrame(rng.normal(size=(300, 6)), schema=names)
    said = checked(training, training + 50.0).sentence()
    assert said.count("300 of 300 rows") == 3
    assert "and so it is with 3 more columns;" in said


def test_missing_cells_sparse_rows_and_few_rows_have_no_range() -> None:
    training = pl.DataFrame({"x": [1.0, 2.0, None] * 100, "y": [float("inf"), 1.0, 2.0] * 100})
    assert checked(training, training).sentence() == ""
    assert TableEncoder().fit(training).ranges_ == {
        "x": [1.0, 2.0, 200.0],
        "y": [1.0, 2.0, 200.0],
    }
    assert TableEncoder().fit(training[:9]).ranges_ == {}
    table = as_table(training)
    table = type(table)(**{**vars(table), "numbers": sparse.csr_array(np.eye(300, 2))})
    assert TableEncoder().fit(table).ranges_ == {}


def test_an_encoder_of_an_earlier_version_counts_nothing() -> None:
    encoder = TableEncoder().fit(payments(200, 1))
    state = encoder.__getstate__()
    old = TableEncoder()
    old.__setstate__({key: v for key, v in state.items() if not key.startswith("ranges_")})
    assert old.ranges_ is None
    check = RangeCheck(old)
    check.add(as_table(payments(100, 2, times=1000.0)))
    assert check.sentence() == ""
    assert "ranges_|names" not in old.__getstate__()
    new = TableEncoder()
    new.__setstate__(state)
    assert new.ranges_ == encoder.ranges_


def test_ranges_of_a_file_are_checked() -> None:
    assert is_range([0.0, 1.0, 60.0], "number")
    assert is_range([0.0, 2.5e17, 60.0], "date")  # 9999-12-31 stands for no end
    for ends in ([1.0, 0.0, 60.0], [0.0, 1.0], [0.0, float("nan"), 60.0], [0, 1, "x"], "abc"):
        assert not is_range(ends, "number")
    assert not is_range([0.0, 1e18, 60.0], "date")
    assert not is_range([0.0, 1.0, 60.0], "text")
    far = pl.DataFrame({"day": [datetime(2026, 1, 1), datetime(9999, 12, 31)] * 50})
    ends = TableEncoder().fit(far).ranges_["day"]  # type: ignore[index]
    assert is_range(ends, "date")
