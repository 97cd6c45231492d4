"""Time zones of frames are remembered, converted, and never dropped without a word."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarebit.models import load_model, save_model, train_model
from rarebit.projects import Project
from rarebit.tables import (
    ColumnsMismatchError,
    TableEncoder,
    TableError,
    as_table,
    concatenate,
    read_table,
)

ZONE = "America/New_York"


@pytest.fixture(scope="module")
def payments() -> pd.DataFrame:
    """Frauds happen at two and three o'clock at night, where people are."""
    rng = np.random.default_rng(0)
    start = pd.Timestamp("2026-01-01", tz="UTC")
    when = pd.Series(start + pd.to_timedelta(rng.integers(0, 180 * 24, 900), unit="h"))
    return pd.DataFrame({"when": when.dt.tz_convert(ZONE), "x": rng.normal(size=900)})


@pytest.fixture(scope="module")
def model(payments: pd.DataFrame):
    classes = np.where(payments.when.dt.hour.isin([2, 3]), "fraud", "ok")
    return train_model(payments, target=classes, validate=False)


def test_hours_are_those_of_the_zone_in_which_a_model_learned(model, payments, tmp_path) -> None:
    expected = model.predict(payments)
    assert 40 < np.sum(expected == "fraud") < 110
    save_model(model, tmp_path / "zone.rarebit")
    loaded = load_model(tmp_path / "zone.rarebit")
    for zone in ("UTC", "Asia/Tokyo", ZONE):
        elsewhere = payments.assign(when=payments.when.dt.tz_convert(zone))
        np.testing.assert_array_equal(loaded.predict(elsewhere), expected)
    for written in (payments.when.astype(str), payments.when.map(lambda t: t.isoformat())):
        np.testing.assert_array_equal(loaded.predict(payments.assign(when=written)), expected)
    hours = model.table(payments).records["when"].dt.hour()
    assert hours.to_list() == payments.when.dt.hour.tolist()


@pytest.mark.parametrize("as_text", [False, True])
def test_times_without_a_zone_are_refused_by_a_model_of_times_with_one(
    model, payments, as_text: bool
) -> None:
    naive = payments.assign(when=payments.when.dt.tz_localize(None))
    if as_text:
        naive = naive.assign(when=naive.when.astype(str))
    with pytest.raises(ColumnsMismatchError, match=r"with a time zone.*have none: give them their"):
        model.predict(naive)


def test_times_with_a_zone_are_refused_by_a_model_of_times_without_one(payments) -> None:
    naive = payments.assign(when=payments.when.dt.tz_localize(None))
    encoder = TableEncoder().fit(naive)
    with pytest.raises(ColumnsMismatchError, match=f"without a time zone.*are in {ZONE}: convert"):
        encoder.transform(payments)
    with pytest.raises(ColumnsMismatchError, match="without a time zone"):
        encoder.transform(payments.assign(when=payments.when.map(lambda t: t.isoformat())))
    assert encoder.transform(naive).shape[0] == 900


def test_models_of_earlier_versions_read_times_in_utc_as_ever(payments) -> None:
    encoder = TableEncoder().fit(payments.assign(when=payments.when.dt.tz_convert("UTC")))
    expected = encoder.transform(payments)
    encoder.forms_ = {}  # as it was before zones were remembered
    np.testing.assert_array_equal(encoder.transform(payments), expected)
    utc = payments.when.dt.tz_convert("UTC").dt.tz_localize(None)
    np.testing.assert_array_equal(encoder.transform(payments.assign(when=utc)), expected)


def test_texts_with_and_without_offsets_are_told() -> None:
    with_offset = ["2026-01-01T05:00:00+01:00", "2026-02-01T06:00:00+01:00"]
    without = ["2026-01-01 05:00:00", "2026-02-01 06:00:00"]
    mixed = as_table({"opened": [*with_offset, *without]})
    assert any("some cells have an offset from UTC" in note for note in mixed.notes)
    for trained, given in ((with_offset, without), (without, with_offset)):
        known = as_table({"opened": trained})
        assert not known.notes
        found = as_table({"opened": given}, schema={"opened": "date"}, forms=known.forms)
        assert any("all are read as times in UTC" in note for note in found.notes)
        again = as_table({"opened": trained}, schema={"opened": "date"}, forms=known.forms)
        assert not again.notes


def test_a_column_of_both_kinds_is_refused() -> None:
    aware = datetime.datetime(2026, 1, 1, 5, tzinfo=ZoneInfo(ZONE))
    cells = pd.Series([aware, datetime.datetime(2026, 1, 1, 5)], dtype=object)
    with pytest.raises(TableError, match="with a time zone and times without one"):
        as_table(pd.DataFrame({"when": cells}))


def test_people_see_times_with_their_zone(payments, tmp_path) -> None:
    frame = payments.head(60)
    with Project.open(frame, store=tmp_path / "seen.labels.db") as project:
        seen = project.show(3).fields["when"]
    assert seen == frame.when[3].to_pydatetime()
    assert seen.utcoffset() == frame.when[3].utcoffset()
    path = tmp_path / "payments.parquet"
    frame.to_parquet(path)
    cells = read_table(path).written_cells([3])
    assert cells is not None
    assert cells["when"][0] == frame.when[3].isoformat(sep=" ")


def test_tables_in_two_zones_are_not_put_below_each_other(payments) -> None:
    table = as_table(payments)
    naive = as_table(payments.assign(when=payments.when.dt.tz_localize(None)))
    with pytest.raises(ColumnsMismatchError, match=f"without a time zone.*in {ZONE}"):
        concatenate([table, naive])
    like = as_table(
        payments.assign(when=payments.when.dt.tz_convert("UTC")),
        schema={"x": "number", "when": "date"},
        forms=table.forms,
    )
    both = concatenate([table, like]).records["when"]
    assert both[:900].equals(both[900:])


def test_frames_of_polars_have_zones_too() -> None:
    when = pl.datetime_range(
        pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 3), "1h", time_zone="UTC", eager=True
    )
    encoder = TableEncoder().fit(pl.DataFrame({"when": when}))
    elsewhere = pl.DataFrame({"when": when.dt.convert_time_zone("Asia/Tokyo")})
    np.testing.assert_array_equal(
        encoder.transform(elsewhere), encoder.transform(pl.DataFrame({"when": when}))
    )
