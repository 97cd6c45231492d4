"""Dates and times as people write them; day and month are told apart by the whole column."""

from __future__ import annotations

import re
from functools import partial

import polars as pl

from rarebit.tables._forms import MIXED, NAIVE, ZULU, Form

_SEPARATORS = ("/", ".", "-")
_YEAR, _MONTH = "(?:19|20)[0-9]{2}", "(?:0[1-9]|1[0-2])"
# Day and month are told apart by evidence; the year comes first or last.
_DATES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", ("%Y-%m-%d",)),
    (r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", ("%Y/%m/%d",)),
    (r"[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2}", ("%Y.%m.%d",)),
    *(
        (
            rf"[0-9]{{1,2}}{re.escape(s)}[0-9]{{1,2}}{re.escape(s)}[0-9]{{{n}}}",
            (f"%d{s}%m{s}{y}", f"%m{s}%d{s}{y}"),
        )
        for s in _SEPARATORS
        for n, y in ((4, "%Y"), (2, "%y"))
    ),
    *(
        (
            rf"[0-9]{{1,2}}\.?{re.escape(s)}[A-Za-z]{{3,9}}{re.escape(s)}[0-9]{{4}}",
            (f"%d{s}%B{s}%Y",),
        )
        for s in (" ", "-", "/")
    ),
    (r"[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}", ("%B %d, %Y",)),
    # Months without a day are their first day.
    (rf"{_YEAR}-{_MONTH}", ("%Y-%m",)),
    (rf"{_MONTH}/{_YEAR}", ("%m/%Y",)),
    (rf"[A-Za-z]{{3,9}} {_YEAR}", ("%B %Y",)),
)
_TIMES: tuple[tuple[str, str], ...] = (
    (r"", ""),
    (r"[0-9]{1,2}:[0-9]{2}", "%H:%M"),
    (r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?", "%H:%M:%S%.f"),
    (r"[0-9]{1,2}:[0-9]{2} [AaPp][Mm]", "%I:%M %p"),
    (r"[0-9]{1,2}:[0-9]{2}:[0-9]{2} [AaPp][Mm]", "%I:%M:%S %p"),
    (r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z", "%H:%M:%S%.fZ"),
    (r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?[-+][0-9]{2}:?[0-9]{2}", "%H:%M:%S%.f%z"),
)
PATTERNS = frozenset({each for _, group in _DATES for each in group} | {"s", "ms"})
_TIME_FORMATS = frozenset(
    {f"{gap}{each}" for _, each in _TIMES for gap in (" ", "T") if each} | {""}
)
ISO_DATE = "%Y-%m-%d"
_ISO_TIMES = (
    "",
    *(f"{gap}%H:%M:%S%.f{zone}" for zone in ("", "Z", "%z") for gap in ("T", " ")),
    *(f"{gap}%H:%M" for gap in ("T", " ")),
)
_CLOCK = ("%H:%M", "%H:%M:%S%.f", "%I:%M %p", "%I:%M:%S %p")
_LOOKS = r"^\s*(?:[0-9]{1,4}[-/. ]|[A-Za-z]{3,9} [0-9])"
# Seconds since 1970 of the years 2000 to 2100.
_EPOCH = (946_684_800, 4_102_444_800)
_MIXTURE = "some cells have an offset from UTC and others have none, which are taken for UTC"
_MOMENT_NAME = re.compile(r"(?i)(time|stamp|epoch|date|_at$|_ts$|^ts$)")


def is_pattern(pattern: str) -> bool:
    """Return whether a form may have this pattern."""
    date, *times = pattern.split("|")
    return date in PATTERNS and all(each in _TIME_FORMATS for each in times)


def understand_dates(
    cells: pl.Series, *, first: str | None = None, lenient: bool = False
) -> Form | None:
    """Return the form of cells that are dates, None if they are not.

    Parameters
    ----------
    cells : Series of str
        Without missing and blank ones.
    first : {"day", "month"} or None, default=None
        What a person says comes first.
    lenient : bool, default=False
        Whether cells that do not fit may be passed over.
    """
    if not lenient and not cells.head(20).str.contains(_LOOKS).all():
        return None
    text = cells.str.strip_chars()
    for shape, formats in _DATES:
        dated = text.str.contains(rf"^{shape}(?:$|[ T])")
        if not (dated.any() if lenient else dated.all()):
            continue
        text = text.filter(dated)
        rest = text.str.replace(rf"^{shape}", "")
        times = [
            f"{gap if each else ''}{each}"
            for pattern, each in _TIMES
            for gap in ((" ", "T") if each else ("",))
            if rest.str.contains(f"^{gap if each else ''}{pattern}$").any()
        ]
        chosen = [each for each in formats if not first or each.startswith(f"%{first[0]}")]
        fits = {
            "|".join([each, *times]): int(
                parse_dates(text, "|".join([each, *times])).is_not_null().sum()
            )
            for each in chosen or formats
        }
        best = max(fits.values())
        if not best or (best < len(text) and not lenient):
            return None
        likely = [pattern for pattern, count in fits.items() if count == best]
        zone = _zone(times)
        doubt = _doubt(text, likely) or (_MIXTURE if zone == MIXED else "")
        return Form("date", pattern=likely[0], doubt=doubt, zone=zone)
    return None


def _zone(times: list[str]) -> str:
    """Return the zone of texts with these times of day."""
    kinds = {"UTC" if "%z" in each else ZULU if each.endswith("Z") else NAIVE for each in times}
    if "UTC" in kinds:
        return MIXED if NAIVE in kinds else "UTC"
    # Z beside no zone is read as the same time.
    return ZULU if ZULU in kinds else NAIVE


def both_orders(pattern: str) -> tuple[str, ...]:
    """Return the formats of a date with the day and with the month first; one if there is one.

    Examples
    --------
    >>> both_orders("%m/%d/%Y")
    ('%d/%m/%Y', '%m/%d/%Y')
    """
    return next((group for _, group in _DATES if pattern in group), (pattern,))


def _doubt(text: pl.Series, likely: list[str]) -> str:
    if len(likely) < 2:
        return ""
    same = parse_dates(text, likely[0]).equals(parse_dates(text, likely[1]))
    if same:
        return ""
    return (
        f"no cell tells whether {text[0]!r} begins with the day or the month, "
        "--as COLUMN=month-first takes it otherwise"
    )


def parse_dates(cells: pl.Series, pattern: str) -> pl.Series:
    """Return the moments of cells, null where they do not fit.

    A date of ISO 8601 leaves no doubt, so that its time may be written in any way of that standard,
    whichever of them the pattern names: programs write ``2026-05-05T20:00:00Z`` where files have
    ``2026-05-05 20:00``.
    """
    date, *times = pattern.split("|")
    formats = times or [""]
    if date == ISO_DATE:
        formats = [*formats, *(each for each in _ISO_TIMES if each not in formats)]
    text = cells.str.strip_chars()
    moment = _moments(text, date + formats[0])
    for time in formats[1:]:
        if moment.null_count() == text.null_count():
            break  # most columns have one format: each of them takes as long as reading the file
        left = pl.select(pl.when(pl.lit(moment).is_null()).then(pl.lit(text))).to_series()
        further = _moments(left, date + time)
        moment = pl.select(pl.coalesce(pl.lit(moment), pl.lit(further))).to_series()
    # A year of two digits is no year of the Roman empire.
    return pl.select(pl.when(pl.lit(moment).dt.year() > 99).then(pl.lit(moment))).to_series()


def date_expression(column: pl.Expr, pattern: str) -> pl.Expr:
    """Return the moments of a column of strings as `parse_dates` does.

    As an expression of polars alone it would parse every cell once per format, and again wherever
    the result is used.
    """
    return column.map_batches(
        partial(parse_dates, pattern=pattern), return_dtype=pl.Datetime("us"), is_elementwise=True
    )


def _moments(text: pl.Series, pattern: str) -> pl.Series:
    zone = "UTC" if "%z" in pattern else None
    if "%d" not in pattern:
        text, pattern = text + " 1", f"{pattern} %d"
    moment = text.str.to_datetime(pattern, strict=False, time_unit="us", time_zone=zone)
    return moment if zone is None else moment.dt.replace_time_zone(None)


def understand_times(cells: pl.Series, *, lenient: bool = False) -> Form | None:
    """Return the form of cells that are times of day, None if they are not."""
    if not lenient and not cells.head(20).str.contains(r"^\s*[0-9]{1,2}:[0-9]{2}").all():
        return None
    for pattern in _CLOCK:
        fits = pl.select(time_expression(pl.lit(cells), pattern)).to_series().is_not_null()
        if fits.any() if lenient else fits.all():
            return Form("time", pattern=pattern)
    return None


def time_expression(column: pl.Expr, pattern: str) -> pl.Expr:
    """Return the nanoseconds since midnight of a column of strings, null where one does not fit."""
    moment = column.str.strip_chars().str.to_time(pattern, strict=False)
    return moment.to_physical().cast(pl.Float64)


def is_clock(pattern: str) -> bool:
    """Return whether a form of times may have this pattern."""
    return pattern in _CLOCK


def may_be_moment(name: str) -> bool:
    """Return whether a column of whole numbers has the name of a moment."""
    return _MOMENT_NAME.search(name) is not None


def understand_epochs(name: str, values: pl.Series) -> Form | None:
    """Return the form of whole numbers that count seconds since 1970, by their name and range."""
    if not len(values) or not may_be_moment(name):
        return None
    low, high = int(values.min()), int(values.max())  # type: ignore[arg-type]
    for pattern, scale in (("s", 1), ("ms", 1000)):
        if low >= scale * _EPOCH[0] and high <= scale * _EPOCH[1]:
            return Form("date", pattern=pattern)
    return None
