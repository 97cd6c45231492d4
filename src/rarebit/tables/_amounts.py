"""Numbers as people write them: money, percent, units, thousands, decimal commas, accounts."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from rarebit.tables._forms import SIDES, Form

_SPACE = r"[ \u00a0\u202f\u2009]"
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|INR|BRL|MXN|CAD|AUD|NZD|ZAR|"
    "SGD|HKD|KRW|ILS|THB|IDR|MYR|PHP|AED|SAR|UAH|ISK"
)
_SIGNS = r"(?:US|CA|AU|NZ|HK|MX|A|C|S|R)?\$|[€£¥₹₽₩₺₪฿₫₴₦₱¢]"
_WORDS = r"[kK]r\.?|zł|Kč|Ft|lei|S?Fr\.|Rs\.?"
CURRENCY = f"(?:{_SIGNS}|{_CODES}|{_CODES.lower()}|{_WORDS})"
_MINUS = "[-−–]"
_BODY = r"[0-9][0-9.,'’ \u00a0\u202f\u2009]*(?:[eE][-+]?[0-9]+)?|[.,][0-9]+"
_SIDE = f"(?:{'|'.join(each for side in SIDES for each in (side, side.title(), side.lower()))})"
# Any cell that may be an amount: currency, sign, digits, and what follows them.
CELL = (
    rf"^\s*(?P<before>{CURRENCY})?\s*(?P<open>\()?\s*(?P<minus>[-+−–])?\s*(?P<inside>{CURRENCY})?"
    rf"\s*(?P<late>[-+−–])?\s*(?P<body>{_BODY})(?P<after>[^0-9()]*?)(?P<trailing>{_MINUS})?\s*"
    rf"(?P<close>\))?\s*(?P<last>{CURRENCY}|%)?"
    rf"\s*(?:(?P<side>{_SIDE})\.?)?\s*$"
)
_BESIDE = ("before", "inside", "after", "last")  # parts of a cell that may hold its unit
_UNIT = re.compile(r"(?:[^\W\d_]{1,6}[²³]?|°[CFK]?)(?:/[^\W\d_]{1,6}[²³]?)?", re.UNICODE)
_PERCENT = {"%", "‰", "percent", "Prozent", "pct"}
_CURRENCY = re.compile(CURRENCY)
_NO_GROUP = r"[0-9]+"
# Cells that stand for a missing one where numbers or dates are expected.
BLANK = r"(?i)^\s*(?:[-–—.]*|n\.\s?a\.|k\.\s?a\.|#[A-Z/0!?]+)\s*$"


def body_pattern(decimal: str) -> str:
    """Return the pattern of digits with this decimal mark and the thousands that go with it."""
    if decimal == ",":
        marks, mark = r"[.'’ \u00a0\u202f\u2009]", ","
        grouped = rf"[1-9][0-9]{{0,2}}(?:{marks}[0-9]{{3}})+"
    else:
        marks, mark = r"[,'’ \u00a0\u202f\u2009]", r"\."
        # India groups by two above the thousand.
        grouped = rf"[1-9][0-9]{{0,2}}(?:{marks}[0-9]{{3}})+|[1-9][0-9]?(?:,[0-9]{{2}})+,[0-9]{{3}}"
    return rf"(?:(?:{grouped}|{_NO_GROUP})(?:{mark}[0-9]+)?|{mark}[0-9]+)(?:[eE][-+]?[0-9]+)?"


def split_cells(cells: pl.Series) -> pl.DataFrame:
    """Return the parts of each cell, null where it is no amount."""
    parts = cells.str.extract_groups(CELL).struct.unnest()
    body = parts["body"].str.strip_chars()
    return parts.with_columns(
        body=body,
        after=(parts["after"].str.strip_chars()).fill_null(""),
        fits=body.is_not_null() & (parts["open"].is_null() == parts["close"].is_null()),
    )


def understand_amounts(
    cells: pl.Series,
    locale: str | None,
    *,
    lenient: bool = False,
    sort: str | None = None,
    mark: str | None = None,
) -> Form | None:
    """Return the form of cells that are numbers written for people, None if they are not.

    Parameters
    ----------
    cells : Series of str
        Without missing and blank ones.
    locale : {".", ","} or None
        Decimal mark of other columns of the file, for cells that do not tell.
    lenient : bool, default=False
        Whether cells that do not fit may be passed over.
    sort : str or None, default=None
        Kind of the numbers as a person says it; None for that of their currencies and units.
    mark : {".", ","} or None, default=None
        Decimal mark as a person says it, whatever most cells show; None for that of the cells.
    """
    # Most columns of words are told apart by their first cells.
    if not lenient and not cells.head(20).str.contains(CELL).all():
        return None
    parts = split_cells(cells)
    if not lenient and not parts["fits"].all():
        return None
    parts = parts.filter(pl.col("fits"))
    if not parts.height:
        return None
    named = kind_of(parts, lenient=lenient)
    if named is None:
        return None
    kind, units = named
    # Codes such as 0042 or telephone numbers are names, not amounts.
    if kind == "number" and not lenient and parts["body"].str.contains(r"^0[0-9]").any():
        return None
    fits = {mark: parts["body"].str.contains(f"^(?:{body_pattern(mark)})$") for mark in (".", ",")}
    counts = {mark: int(found.sum()) for mark, found in fits.items()}
    best = max(counts.values())
    if not best or (not lenient and best < parts.height):
        return None
    decimal, doubt = (
        _decimal(parts["body"], counts, best, locale, sort or kind) if mark is None else (mark, "")
    )
    used = parts["body"].filter(fits[decimal])
    return Form(kind, decimal, _grouping(used, decimal), units, doubt=doubt)


def kind_of(parts: pl.DataFrame, *, lenient: bool) -> tuple[str, tuple[str, ...]] | None:
    """Return the kind of numbers by what stands beside them, and their units; None for words."""
    seen = _count_units(parts)
    sides = tuple(parts["side"].drop_nulls().str.to_uppercase().unique().sort())
    # Cr alone is a crore as well as a credit; Cr beside Dr is no crore.
    if len(sides) == 1 and not parts["side"].drop_nulls().is_in(SIDES).all():
        seen |= dict(parts["side"].drop_nulls().value_counts().iter_rows())
        sides = ()
    tokens = sorted(seen, key=lambda token: (-seen[token], token))
    if not tokens and not sides:
        return "number", ()
    if all(_CURRENCY.fullmatch(token) for token in tokens):
        return "money", (*tokens[: 20 - len(sides)], *sides)
    if sides and not lenient:
        return None
    if all(token in _PERCENT for token in tokens):
        return "percent", tuple(tokens[1:])
    # Numbers of several units cannot be compared.
    if len(tokens) == 1 and _UNIT.fullmatch(tokens[0]) and seen[tokens[0]] * 2 > parts.height:
        return "number", (tokens[0],)
    return ("number", (*tokens[: 20 - len(sides)], *sides)) if lenient else None


def without_few_units(parts: pl.DataFrame, share: float) -> pl.DataFrame:
    """Return parts of cells of which those do not fit that have a unit which few others have.

    Examples
    --------
    >>> parts = split_cells(pl.Series(["$2.50"] * 40 + ["$1.00 net"]))
    >>> int(without_few_units(parts, 0.05)["fits"].sum())
    40
    """
    few = [
        unit
        for unit, count in _count_units(parts).items()
        if count <= share * parts.height and unit not in _PERCENT and not _CURRENCY.fullmatch(unit)
    ]
    has_one = pl.any_horizontal(pl.col(*_BESIDE).is_in(few).fill_null(False))
    return parts.with_columns(fits=pl.col("fits") & ~has_one)


def _count_units(parts: pl.DataFrame) -> dict[str, int]:
    seen: dict[str, int] = {}
    for name in _BESIDE:
        for value, count in parts[name].drop_nulls().value_counts().iter_rows():
            if value:
                seen[value] = seen.get(value, 0) + count
    return seen


def _decimal(
    body: pl.Series, counts: dict[str, int], best: int, locale: str | None, kind: str
) -> tuple[str, str]:
    """Return the decimal mark and what is doubtful about it."""
    if counts["."] != counts[","]:
        return (".", "") if counts["."] == best else (",", "")
    if not body.str.contains(r"[.,]").any():
        return ".", ""
    if locale is not None:
        return locale, ""
    # Three digits after every mark: thousands are likelier than three decimals of an amount.
    commas = bool(body.str.contains(",", literal=True).any())
    decimal = "." if commas else ("," if kind == "money" else ".")
    return decimal, doubt_about(_first_marked(body), decimal)


def doubt_of(cells: pl.Series, decimal: str) -> str:
    """Say how cells are read whose mark may be that of decimals or of thousands."""
    return doubt_about(_first_marked(split_cells(cells)["body"].drop_nulls()), decimal)


def _first_marked(body: pl.Series) -> str:
    return str(body.filter(body.str.contains(r"[.,]"))[0])


def doubt_about(example: str, decimal: str) -> str:
    """Say how a cell is read whose mark may be that of decimals or of thousands.

    Examples
    --------
    >>> doubt_about("86,655", ".")
    '86,655 is taken as 86655 (comma for thousands), --as COLUMN=decimal-comma takes it otherwise'
    """
    mark = "," if "," in example else "."
    name = {",": "comma", ".": "point"}[mark]
    meant = f"decimal {name}" if mark == decimal else f"{name} for thousands"
    other = "decimal-comma" if decimal == "." else "decimal-point"
    value = f"{_value(example, decimal):.15g}"
    return f"{example} is taken as {value} ({meant}), --as COLUMN={other} takes it otherwise"


def _value(body: str, decimal: str) -> float:
    plain = re.sub(r"[^0-9,.eE+-]", "", body)
    plain = plain.replace("." if decimal == "," else ",", "").replace(",", ".")
    return float(plain)


def _grouping(body: pl.Series, decimal: str) -> str:
    marks = (".", "'", " ") if decimal == "," else (",", "'", " ")
    for mark in marks:
        pattern = {"'": "['’]", " ": _SPACE, ".": r"\.", ",": ","}[mark]
        if body.str.contains(rf"[0-9]{pattern}[0-9]").any():
            return mark
    return ""


def amount_expression(column: pl.Expr, form: Form) -> tuple[pl.Expr, pl.Expr]:
    """Return the numbers of a column of strings, and which cells fit the form."""
    units = "|".join(re.escape(unit) for unit in sorted(form.currencies, key=len, reverse=True))
    if form.kind == "percent":
        units = "|".join(re.escape(unit) for unit in sorted(_PERCENT, key=len, reverse=True))
    token = f"(?:{units})?" if units else ""
    body = body_pattern(form.decimal)
    side = rf"(?:{_SIDE}\.?)?\s*" if form.minus else ""
    pattern = (
        rf"^\s*{token}\s*(?P<open>\()?\s*[-+−–]?\s*{token}\s*[-+−–]?\s*({body})\s*{token}\s*"
        rf"{_MINUS}?\s*\)?\s*{token}\s*{side}$"
    )
    found = column.str.extract(pattern, 2)
    balanced = column.str.contains(r"\(") == column.str.contains(r"\)")
    others = r"[.'’\s]" if form.decimal == "," else r"[,'’\s]"
    digits = found.str.replace_all(others, "")
    if form.decimal == ",":
        digits = digits.str.replace(",", ".", literal=True)
    # An exponent has a minus of its own.
    negative = column.str.contains(rf"^[^0-9]*(?:{_MINUS}|\()|[0-9]{_MINUS}|{_MINUS}\s*\)?\s*$")
    negative = negative & ~column.str.contains(r"^[^-−–(]*[eE]-[0-9]+\s*\D*$")
    if form.minus:
        negative = negative | column.str.contains(rf"(?i:{form.minus})\.?\s*$")
    value = digits.cast(pl.Float64, strict=False)
    return pl.when(negative).then(-value).otherwise(value), found.is_not_null() & balanced


def sure_locale(cells: Any) -> str | None:
    """Return the decimal mark that cells show beyond doubt, None if they show none or both."""
    comma = point = False
    for cell in cells:
        text = cell.strip()
        comma = comma or bool(_SURE_COMMA.search(text))
        point = point or bool(_SURE_POINT.search(text))
    if comma == point:
        return None
    return "," if comma else "."


_EDGE = r"[^0-9A-Za-z.,:/]*"
_SURE_COMMA = re.compile(
    rf"^{_EDGE}(?:[0-9]+,(?:[0-9]{{1,2}}|[0-9]{{4,}})|0,[0-9]+|[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]+)"
    rf"{_EDGE}$"
)
_SURE_POINT = re.compile(
    rf"^{_EDGE}(?:[0-9]+\.(?:[0-9]{{1,2}}|[0-9]{{4,}})|0\.[0-9]+|[0-9]{{1,3}}(?:,[0-9]{{3}})+\.[0-9]+"
    rf"|[0-9]{{1,3}}(?:,[0-9]{{3}}){{2,}}){_EDGE}$"
)
