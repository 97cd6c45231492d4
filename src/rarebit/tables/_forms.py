"""How the cells of one column are written, and what they are taken for."""

from __future__ import annotations

import json
import math
import re
import shlex
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rarebit._text import counted
from rarebit.tables._errors import TableError
from rarebit.tables._roles import Role

FormKind = Literal[
    "number", "money", "percent", "time", "duration", "date", "boolean", "code", "category", "text"
]
# What people may say that a column is, with `columns` in Python and --as on the command line.
WISHES = (
    "number",
    "money",
    "percent",
    "decimal-comma",
    "decimal-point",
    "date",
    "day-first",
    "month-first",
    "time",
    "category",
    "text",
    "drop",
)
_KINDS: tuple[str, ...] = get_args(FormKind)
_ROLES: dict[str, Role] = {
    "date": "date", "boolean": "text", "code": "text", "category": "text", "text": "text"
}  # fmt: skip
_LONGEST = 200
_WORDS = 3  # words for missing cells that a sentence names
_UNITS = 5  # currencies that a sentence names
# What bank statements write behind amounts, in place of signs. Where there are debits these are
# negative; a statement that marks credits alone has debits as plain amounts.
SIDES = ("CR", "DR")
_ADVICE = re.compile(r"COLUMN=([a-z]+-[a-z]+)")
_TEXTS = ("kind", "decimal", "grouping", "pattern", "doubt", "zone")
# Zones beside named ones: none, UTC written as Z, some cells with an offset and some without.
PSEUDO_ZONES = NAIVE, ZULU, MIXED = "none", "Z", "mixed"
_ZONE = re.compile(r"[A-Za-z0-9_+\-/:]{0,60}")
_GROUPS = {",": "1,234", ".": "1.234", " ": "1 234", "'": "1'234"}


@dataclass(frozen=True)
class Form:
    """What a column was understood as.

    Attributes
    ----------
    kind : str
        What its cells are: ``"number"``, ``"money"``, ``"percent"``, ``"time"``, ``"duration"``
        (microseconds in a table), ``"date"``, ``"boolean"``, ``"code"`` (digits with zeros before
        them), ``"category"`` or ``"text"``.
    decimal : {".", ","}
        Decimal mark of its numbers.
    grouping : {"", ",", ".", " ", "'"}
        Mark between thousands that was seen.
    units : tuple of str
        Currencies or the unit beside the numbers; CR and DR, which are signs.
    pattern : str
        Format of its dates, as in ``strptime``; formats of the time of day follow after ``|``.
    doubt : str
        What the cells cannot tell; empty if they tell everything.
    given : bool
        Whether a person said so: cells that do not fit are then missing and no error.
    passed : float
        Share of the cells that did not fit when a person said so: about as many may be missing
        again.
    zone : str
        Time zone of its dates, in whose local time they are read: a name such as
        ``"Europe/Paris"``; ``"none"`` if they have none, ``"UTC"`` for texts with an offset,
        ``"Z"`` for texts that end so, ``"mixed"`` where some cells have an offset; empty where
        nobody knows, as in models of earlier versions.
    absent : tuple of (str, int)
        Words that count as missing cells, and how often they were met in the rows that were read;
        they are not kept in model files, which take all such words.
    """

    kind: str
    decimal: str = "."
    grouping: str = ""
    units: tuple[str, ...] = ()
    pattern: str = ""
    doubt: str = ""
    given: bool = False
    passed: float = 0.0
    zone: str = ""
    absent: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    @property
    def role(self) -> Role:
        """What the column becomes in a `Table`."""
        return _ROLES.get(self.kind, "number")

    @property
    def local_zone(self) -> str:
        """Name of the time zone in whose local time dates are read, empty if they have none."""
        return "" if self.zone in PSEUDO_ZONES else self.zone

    @property
    def plain(self) -> bool:
        """Whether nobody would expect anything else, so that it need not be reported."""
        if self.doubt or self.given:
            return False
        if self.kind == "date":
            return not self.pattern or self.pattern.startswith("%Y-%m-%d")
        simple = self.kind == "number" and not self.units and not self.grouping
        return self.kind in ("boolean", "category", "text", "time", "duration") or (
            simple and self.decimal == "."
        )

    @property
    def reworded(self) -> bool:
        """Whether cells look different in the table than in the file: money, dates, shares."""
        if self.kind in ("category", "text", "code"):
            return False
        if self.kind == "date" and not self.pattern:
            return bool(self.local_zone)  # a frame has them as they are
        return self.kind != "number" or bool(self.units or self.grouping or self.decimal != ".")

    @property
    def currencies(self) -> tuple[str, ...]:
        """The units without CR and DR."""
        return tuple(unit for unit in self.units if unit not in SIDES)

    @property
    def minus(self) -> str:
        """Which of CR and DR makes an amount negative; empty if the column has neither."""
        return "DR" if "DR" in self.units else "CR" if "CR" in self.units else ""

    @property
    def listed_units(self) -> str:
        """Currencies or the unit, in one line.

        Examples
        --------
        >>> Form("money", units=("€", "$", "£", "CHF")).listed_units
        '€, $, £, CHF'
        """
        if len(self.currencies) <= _UNITS:
            return ", ".join(self.currencies)
        return f"{', '.join(self.currencies[: _UNITS - 1])} and others"

    def sentence(self, column: str = "COLUMN") -> str:
        """Say it in a few words.

        Parameters
        ----------
        column : str, default="COLUMN"
            Name of the column, for advice how to have it read otherwise.

        Returns
        -------
        str
            Without a full stop.

        Examples
        --------
        >>> Form("money", ",", ".", ("€",)).sentence()
        'money, €, decimal comma, thousands as in 1.234'
        >>> Form("date", pattern="%d/%m/%Y").sentence()
        'date, day first (31/12/2024)'
        """
        parts = [self.kind, *([self.listed_units] if self.currencies else [])]
        parts += [f"{self.minus} as minus"] if self.minus else []
        if self.kind == "date":
            parts[0] += f", {_order(self.pattern)}" if self.pattern else ""
            parts += [f"time zone {self.zone}"] if self.local_zone else []
        elif self.kind == "code":
            parts[0] += " (leading zeros)"
        elif self.decimal == ",":
            parts.append("decimal comma")
        if self.grouping:
            parts.append(f"thousands as in {_GROUPS[self.grouping]}")
        said = ", ".join(parts) + (", as you said" if self.given else "")
        said += f", {self._told_absent()}" if self.absent else ""
        if not self.doubt:
            return said
        doubt = _ADVICE.sub(lambda kind: shlex.quote(f"{column}={kind[1]}"), self.doubt)
        return f"{said}; {doubt}"

    def _told_absent(self) -> str:
        words = [repr(word) for word, _ in self.absent[:_WORDS]]
        more = len(self.absent) - len(words)
        last = f"{more:,} more" if more else words.pop()
        listed = f"{', '.join(words)} and {last}" if words else last
        counts = "counts" if len(self.absent) == 1 else "count"
        n_cells = counted(sum(count for _, count in self.absent), "cell")
        return f"{listed} {counts} as missing ({n_cells})"

    def contradicted(self, n_passed: int, n_cells: int) -> bool:
        """Return whether more cells do not fit than a person's word on the column explains.

        A file in another format has far more of them than the one that was learned from; a few
        rows may have many by chance.

        Parameters
        ----------
        n_passed : int
            Cells that do not fit.
        n_cells : int
            All cells that say something.

        Examples
        --------
        >>> form = Form("number", ",", passed=0.5)
        >>> form.contradicted(60, 100), form.contradicted(100, 100), form.contradicted(1, 1)
        (False, True, False)
        """
        expected = n_cells * self.passed
        chance = 1.0 + 3.0 * math.sqrt(expected * (1.0 - self.passed))
        halfway = n_cells * (1.0 + self.passed) / 2.0
        return n_passed > max(expected + chance, halfway)

    def to_json(self) -> str:
        """Return it as text, without what is usual."""
        values: dict[str, Any] = {"kind": self.kind}
        for name in ("decimal", "grouping", "pattern", "doubt", "given", "passed", "zone"):
            value = getattr(self, name)
            if value != getattr(_USUAL, name):
                values[name] = value
        if self.units:
            values["units"] = list(self.units)
        return json.dumps(values, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Form:
        """Read what `to_json` wrote; anything else is refused.

        Examples
        --------
        >>> form = Form("money", ",", units=("€",))
        >>> Form.from_json(form.to_json()) == form
        True
        """
        try:
            values = json.loads(text)
            values["units"] = tuple(values.get("units", ()))
            form = cls(**values)
            texts: list[Any] = [getattr(form, name) for name in _TEXTS]
            texts += form.units
            flag: Any = form.given
            share: Any = form.passed
            good = (
                form.kind in _KINDS
                and form.decimal in (".", ",")
                and form.grouping in ("", *_GROUPS)
                and isinstance(flag, bool)
                and isinstance(share, float)
                and 0.0 <= share <= 1.0
                and all(isinstance(each, str) and len(each) <= _LONGEST for each in texts)
                and len(form.units) <= 20
                and _ZONE.fullmatch(form.zone) is not None
            )
        except (ValueError, TypeError, AttributeError, KeyError):
            good = False
        if not good:
            raise TableError("A column is described in a way that no version of rarebit writes.")
        return form


_USUAL = Form("number")


def _order(pattern: str) -> str:
    date = pattern.partition("|")[0]
    if date == "s" or date == "ms":
        return "seconds since 1970" if date == "s" else "milliseconds since 1970"
    example = date
    for code, value in (("%d", "31"), ("%m", "12"), ("%Y", "2024"), ("%y", "24"), ("%B", "Dec")):
        example = example.replace(code, value)
    where = {"%d": "day first", "%m": "month first", "%Y": "year first", "%B": "month by name"}
    return f"{where.get(date[:2], 'by itself')} ({example})"


def check_wish(column: str, wish: str) -> str:
    """Return what a person says that a column is, if there is such a kind."""
    if wish not in WISHES:
        raise TableError(
            f"Column {column!r} cannot be read as {wish!r}: say {', '.join(WISHES[:-1])} or "
            f"{WISHES[-1]}."
        )
    return wish
