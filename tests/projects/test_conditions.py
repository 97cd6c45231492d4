"""Conditions of a search compare dates, times and amounts as such, however they are written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.projects import Desk, ProjectError, search

_N = 240
_DAYS = [date(2026, 9, 20) + timedelta(days=i % 20) for i in range(_N)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    path = tmp_path_factory.mktemp("conditions") / "payments.csv"
    moments = [datetime(2026, 9, 20) + timedelta(hours=7 * i) for i in range(_N)]
    pl.DataFrame(
        {
            "id": [f"t{i}" for i in range(_N)],
            "date": [str(day) for day in _DAYS],
            "booked": [day.strftime("%d.%m.%Y") for day in _DAYS],
            "american": [day.strftime("%m/%d/%Y") for day in _DAYS],
            "moment": [each.strftime("%Y-%m-%d %H:%M") for each in moments],
            "time": [f"{i % 24:02}:{i % 60:02}" for i in range(_N)],
            "amount": [f"€{100 * i:,.2f}" for i in range(_N)],
            "share": [f"{i % 100}%" for i in range(_N)],
            "weight": [f"{i}.000,5" for i in range(1, _N + 1)],
        }
    ).write_csv(path)
    settings = {"reading": {"id": "id"}}
    with Desk.open(path, store=path.with_suffix(".labels.db"), settings=settings) as opened:
        yield opened


def _total(desk: Desk, column: str, op: str, value: Any) -> int:
    return search(desk, where=[{"column": column, "op": op, "value": value}])[0]


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("date", "2026-10-01"),
        ("booked", "2026-10-01"),
        ("booked", "01.10.2026"),
        ("american", "10/01/2026"),
    ],
)
def test_dates_are_compared_as_dates(desk: Desk, column: str, written: str) -> None:
    day = date(2026, 10, 1)
    truth = {
        "=": sum(each == day for each in _DAYS),
        "!=": sum(each != day for each in _DAYS),
        "<": sum(each < day for each in _DAYS),
        "<=": sum(each <= day for each in _DAYS),
        ">": sum(each > day for each in _DAYS),
        ">=": sum(each >= day for each in _DAYS),
    }
    assert {op: _total(desk, column, op, written) for op in truth} == truth


def test_a_day_is_all_its_moments(desk: Desk) -> None:
    on_it = _total(desk, "moment", "=", "2026-10-01")
    assert on_it in (3, 4)  # every seven hours
    before, after = (_total(desk, "moment", op, "2026-10-01") for op in "<>")
    assert before + on_it + after == _N
    assert _total(desk, "moment", "<=", "2026-10-01") == before + on_it
    assert _total(desk, "moment", "=", "2026-09-20T07:00") == 1
    assert _total(desk, "moment", ">", "2026-09-20 07:00:00Z") == _N - 2


def test_times_are_compared_as_times(desk: Desk) -> None:
    assert _total(desk, "time", "<", "05:00") == _N // 24 * 5
    assert _total(desk, "time", "=", "05:05:00") == _N // 120
    assert _total(desk, "time", "contains", "05:") >= _N // 24


def test_amounts_are_taken_as_they_are_written(desk: Desk) -> None:
    for written in ("€1,000", "1,000", "1000", 1000, "1e3"):
        assert _total(desk, "amount", "<", written) == 10
    assert _total(desk, "share", "<", "12%") == _total(desk, "share", "<", 12)
    assert _total(desk, "weight", "<", "3.000,5") == 2  # three thousand and a half
    assert _total(desk, "weight", "<", "3.000") == 2
    assert _total(desk, "amount", "contains", "€1,0") == 1


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("date", "yesterday", "'yesterday' is not a date: write 2026-10-01."),
        ("booked", "10/01/2026", "'10/01/2026' is not a date: write 2026-10-01."),
        ("time", "early", "'early' is not a time: write 05:00."),
        ("amount", "much", "Column 'amount' holds numbers, got 'much': give a number."),
        ("amount", "$300", "Column 'amount' holds numbers, got '$300': give a number."),
        ("amount", "nan", "Column 'amount' holds numbers, got 'nan': give a number."),
    ],
)
def test_other_values_are_refused(desk: Desk, column: str, value: str, said: str) -> None:
    with pytest.raises(ProjectError) as refused:
        _total(desk, column, ">", value)
    assert str(refused.value) == said


def test_numbers_between_words_are_compared_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    ages = [str(i % 110) for i in range(_N - 40)] + ["unknown"] * 20 + ["refused"] * 20
    names = [chr(ord("a") + i % 20) * 3 for i in range(_N)]
    frame = pl.DataFrame({"id": [f"t{i}" for i in range(_N)], "age": ages, "name": names})
    frame.with_columns(x=pl.int_range(_N)).write_csv(path)
    settings = {"reading": {"id": "id"}}
    with Desk.open(path, store=path.with_suffix(".labels.db"), settings=settings) as desk:
        assert desk.display.kinds["age"] != "number"  # or this tests nothing
        numbers = [int(age) for age in ages if age.isdecimal()]
        assert _total(desk, "age", ">", "90") == sum(age > 90 for age in numbers)
        assert _total(desk, "age", ">=", 100) == sum(age >= 100 for age in numbers)
        assert _total(desk, "age", "<=", "9.5") == sum(age <= 9.5 for age in numbers)
        assert _total(desk, "age", "=", "unknown") == 20
        assert _total(desk, "age", "=", "7") == numbers.count(7)
        assert _total(desk, "name", ">=", "rrr") == sum(name >= "rrr" for name in names)
        with pytest.raises(ProjectError, match="'age' has words and numbers, got 'old'"):
            _total(desk, "age", ">", "old")


def test_words_in_quotation_marks_stand_beside_each_other(tmp_path: Path) -> None:
    texts = ["the gas bill is high", "bill: smell of gas", 'a 19" rack', "Gas  bill"]
    pl.DataFrame({"text": texts * 5, "x": range(20)}).write_csv(tmp_path / "texts.csv")
    with Desk.open(tmp_path / "texts.csv", store=tmp_path / "texts.db") as desk:
        typed = ["gas bill", '"gas bill"', "“Gas bill” high", 'bill "smell of"', '19"']
        assert [search(desk, words=words)[0] for words in typed] == [15, 5, 5, 5, 5]


def test_unusual_times_are_earlier_or_later(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    clocks = [f"{8 + i % 9:02}:{i % 60:02}" for i in range(400)]
    days = [str(date(2026, 1, 1) + timedelta(days=i % 60)) for i in range(400)]
    clocks[:2], days[:2] = ["04:56", "23:59"], ["2019-05-01", "2031-05-01"]
    pl.DataFrame({"id": range(400), "time": clocks, "day": days}).write_csv(path)
    settings = {"reading": {"id": "id"}}
    with Desk.open(path, store=path.with_suffix(".labels.db"), settings=settings) as opened:
        marks = [
            {cell["name"]: cell["unusual"] for cell in row["cells"]}
            for row in opened.display.rows([0, 1, 2])
        ]
        kinds = opened.display.kinds
    assert kinds == {"time": "time", "day": "date"}
    assert marks[0] == dict.fromkeys(("time", "day"), "earlier than in 99.7 % of the rows")
    assert marks[1] == dict.fromkeys(("time", "day"), "later than in 99.7 % of the rows")
    assert marks[2] == dict.fromkeys(("time", "day"))


def test_usual_times_have_no_mark(desk: Desk) -> None:
    """A text beside numbers was smaller than nearly all of them."""
    for row in range(24):
        cells = {cell["name"]: cell["unusual"] for cell in desk.display.row(row)["cells"]}
        assert cells["time"] is None
