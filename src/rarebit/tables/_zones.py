"""Time zones of columns of dates: a model keeps the one that it learned from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from rarebit.tables._errors import ColumnsMismatchError
from rarebit.tables._forms import MIXED, NAIVE, ZULU, Form
from rarebit.tables._frame_errors import short

_WITHOUT = (NAIVE, MIXED)
_OFFSET = r"[0-9][-+][0-9]{2}:?[0-9]{2}\s*$"


def zone_of(dtype: Any, form: Form | None = None) -> str:
    """Return the zone of a column: that of its type, or that its cells are written with.

    Examples
    --------
    >>> zone_of(pl.Datetime("us", "Europe/Paris")), zone_of(pl.Date())
    ('Europe/Paris', 'none')
    """
    if dtype == pl.Date or dtype == pl.Datetime:
        return getattr(dtype, "time_zone", None) or NAIVE
    return "" if form is None else form.zone


def with_zone(dtype: Any, form: Form | None) -> Form | None:
    """Return the form of a column with the zone that its type has, a new one if there is none."""
    if dtype != pl.Date and dtype != pl.Datetime:
        return form
    if form is not None and form.kind != "date":
        return form
    return replace(form or Form("date"), zone=zone_of(dtype))


def fit_zones(
    known: Mapping[str, Form], own: Mapping[str, Form], dtypes: Mapping[str, Any], source: str
) -> dict[str, Form]:
    """Return the forms by which dates are read, in the zones that a model learned from.

    Times with a zone are refused where the model learned from times without one, and the other way
    round: the hour of the day would be another. A column of which nobody knows the zone, as in
    models of earlier versions, is read as ever, in UTC.

    Parameters
    ----------
    known : mapping of str to Form
        Forms of the model.
    own : mapping of str to Form
        Forms of columns that are written otherwise here.
    dtypes : mapping of str to DataType
        Types of the columns here.
    source : str
        Name of the file, for errors.
    """
    found = {**known, **own}
    for name, form in known.items():
        if form.kind != "date" or not form.zone or found[name].kind != "date":
            continue
        typed = dtypes[name] in (pl.Date, pl.Datetime)
        if not typed and name not in own:
            continue  # cells are read by the pattern of the model
        zone = zone_of(dtypes[name], own.get(name))
        if _differ(form, zone):
            raise ColumnsMismatchError(_refusal(name, form.zone, zone, source))
        if form.zone not in (ZULU, MIXED):
            found[name] = replace(found[name], zone=form.zone)
    return found


def _differ(form: Form, zone: str) -> bool:
    """Whether times in a zone cannot be compared with those of a model."""
    # Programs write Z for times of which nobody knows the zone.
    if not zone or form.zone in (ZULU, MIXED) or (zone == ZULU and form.zone == NAIVE):
        return False
    if zone == MIXED:
        return True
    return (form.zone == NAIVE) != (zone == NAIVE)


def _refusal(name: str, known: str, zone: str, source: str) -> str:
    column = f"Column {short(name)!r} of {source}"
    if known in _WITHOUT:
        have = "some of its times have one" if zone == MIXED else f"its times are in {short(zone)}"
        return (
            f"{column} must hold times without a time zone, as the model was trained, and {have}: "
            "convert them to the local time that the model learned from and leave out the zone, "
            "such as by .dt.tz_convert(ZONE).dt.tz_localize(None)."
        )
    have = "some of its times have none" if zone == MIXED else "its times have none"
    return (
        f"{column} must hold times with a time zone, as the model was trained ({short(known)}), "
        f"and {have}: give them their zone, such as by .dt.tz_localize({short(known)!r})."
    )


def tell_offsets(name: str, form: Form, cells: pl.Series) -> str:
    """Say that texts have offsets from UTC where those of the model have none, or lack them.

    Such texts are read in UTC, as a file that has both is.

    Parameters
    ----------
    name : str
        The column.
    form : Form
        As the model has it.
    cells : Series
        Some cells of the column.

    Examples
    --------
    >>> form = Form("date", pattern="%Y-%m-%d| %H:%M", zone="none")
    >>> tell_offsets("opened", form, pl.Series(["2026-05-05T22:30:00+02:00"]))[:49]
    "opened: cells such as '2026-05-05T22:30:00+02:00'"
    """
    if form.kind != "date" or form.zone not in (NAIVE, "UTC") or cells.dtype != pl.String:
        return ""
    known = cells.drop_nulls()
    has = known.str.contains(_OFFSET) & known.str.contains(":", literal=True)
    lacks = ~has & ~known.str.contains(r"Z\s*$") & known.str.contains(":", literal=True)
    odd = known.filter(has if form.zone == NAIVE else lacks)
    if not len(odd):
        return ""
    what = ("have an offset from UTC", "had none")
    if form.zone != NAIVE:
        what = ("lack an offset from UTC", "had one")
    return (
        f"{short(name)}: cells such as {short(str(odd[0]))!r} {what[0]}, and those that the model "
        f"learned from {what[1]}; all are read as times in UTC."
    )
