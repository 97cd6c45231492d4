"""Text for people: from files, made safe to show; names in a row; numbers with their nouns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

# Control characters (C0 and C1), what steers the direction or the place of text without being seen
# (bidirectional overrides and marks, spaces of no width, tags), ends of lines and paragraphs, and
# halves of characters. The two joiners stay: Persian, Indic scripts and emoji need them.
_UNSEEN = (
    r"\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
_ALL = re.compile(rf"[\x00-\x1f{_UNSEEN}]")
_ALL_BUT_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f{_UNSEEN}]")
_WHOLE = re.compile(r"[+-]?[0-9]+\.0*")
_LONG = 60  # characters of a cell that a sentence shows
_LEFT_BY_JSON = re.compile(f"[{_UNSEEN}]")


def visible(value: object, *, lines: bool = False) -> str:
    r"""Return text that cannot steer a terminal or pretend to be other text.

    Everything that came from a file (cells, names of columns, classes and files, messages that
    quote them) passes here before it is shown.

    Parameters
    ----------
    value : object
        What is to be shown; anything that is not text is converted by `str`.
    lines : bool, default=False
        Whether ends of lines and tabs stay as they are: for a document of several lines.

    Returns
    -------
    str
        The text with control characters, escape sequences, bidirectional overrides and halves of
        characters written as Python writes them (``\x1b``, ``\u202e``).

    Examples
    --------
    >>> print(visible("fraud\x1b[2J\r"))
    fraud\x1b[2J\r
    >>> visible("Größe 文字")
    'Größe 文字'
    """
    pattern = _ALL_BUT_LINES if lines else _ALL
    return pattern.sub(lambda found: ascii(found[0])[1:-1], str(value))


def visible_json(text: str) -> str:
    r"""Return JSON in which also the control characters that JSON leaves raw are escaped.

    Parameters
    ----------
    text : str
        JSON as `json.dumps` writes it without ``ensure_ascii``.

    Returns
    -------
    str
        The same JSON value.

    Examples
    --------
    >>> print(visible_json('"a\u202eb é"'))
    "a\u202eb é"
    """
    return _LEFT_BY_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def name_list(names: Iterable[str], most: int | None = None) -> str:
    """Return names one after the other; one that has a comma itself stands in double quotes.

    Parameters
    ----------
    names : iterable of str
        Names of classes.
    most : int or None, default=None
        How many are shown; None for all.

    Returns
    -------
    str
        As ``--rare`` takes them.

    Examples
    --------
    >>> print(name_list(["ok", "card, stolen"]))
    ok, "card, stolen"
    """
    shown = [_quoted(name) for name in names]
    return ", ".join(shown[:most]) + (", …" if most is not None and len(shown) > most else "")


def whole_names(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return names with those put together again that a comma of their own has cut.

    A shell takes the quotes away that a person puts around a name with a comma.

    Parameters
    ----------
    names : iterable of str
        As they were cut at commas, in their order.
    known : iterable of str
        Classes that there are; pieces that are a class themselves stay as they are.

    Examples
    --------
    >>> whole_names(["ok", "card", "stolen"], ["ok", "card, stolen", "typo"])
    ('ok', 'card, stolen')
    """
    there = set(known)
    cut = {tuple(part.strip() for part in each.split(",")): each for each in there if "," in each}
    pieces, found = list(names), []
    while pieces:
        runs = (
            [] if pieces[0] in there else [run for run in cut if tuple(pieces[: len(run)]) == run]
        )
        longest = max(runs, key=len, default=())
        found.append(cut[longest] if longest else pieces[0])
        del pieces[: max(len(longest), 1)]
    return tuple(found)


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "label"), counted(1200, "class", "classes")
    ('1 label', '1,200 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def rough_percent(share: float) -> str:
    """Return a share in percent with two digits, and never as a power of ten.

    Examples
    --------
    >>> rough_percent(0.9999), rough_percent(0.1234), rough_percent(0.00123)
    ('100 %', '12 %', '0.12 %')
    """
    return f"{float(f'{100.0 * share:.2g}'):g} %"


def name_counts(counts: Mapping[str, int]) -> str:
    """Return names with their numbers.

    Examples
    --------
    >>> print(name_counts({"ok": 1200, "card, stolen": 3}))
    ok 1,200, "card, stolen" 3
    """
    return ", ".join(f"{_quoted(name)} {n:,}" for name, n in counts.items())


def column_name(name: str) -> str:
    """Return what a column is called in a sentence, where it may have no name.

    Examples
    --------
    >>> column_name("paid"), column_name("")
    ('paid', 'the column without a name')
    """
    return name if name.strip() else "the column without a name"


def alike_names(names: Iterable[str], *, numbers: bool = False) -> list[list[str]]:
    """Return the groups of names that differ by capitals or blanks only, in the order given.

    Parameters
    ----------
    names : iterable of str
        Names of classes.
    numbers : bool, default=False
        Whether whole numbers such as 1 and 1.0 are alike, too.

    Examples
    --------
    >>> alike_names(["ok", "fraud", "Fraud"])
    [['fraud', 'Fraud']]
    """
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        key = " ".join(name.casefold().split())
        if numbers and _WHOLE.fullmatch(key):
            key = key.partition(".")[0]
        alike.setdefault(key, []).append(name)
    return [group for group in alike.values() if len(group) > 1]


def tell_alike(counts: Mapping[str, int]) -> list[str]:
    """Say which names differ by capitals, blanks or a .0 only, and are counted one by one.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each class; names without rows are told beside those that have some.

    Returns
    -------
    list of str
        A sentence for each group of such names.

    Examples
    --------
    >>> tell_alike({"Fraud": 3, "fraud": 40, "ok": 900})
    ["'Fraud' (3) and 'fraud' (40) count as different classes: spell them alike if they are one."]
    """
    said = []
    for names in alike_names(counts, numbers=True):
        if any(counts[name] for name in names):
            listed = " and ".join(f"{name!r} ({counts[name]:,})" for name in sorted(names))
            said.append(f"{listed} count as different classes: spell them alike if they are one.")
    return said


def tell_missing_classes(counts: Mapping[str, int], target: str | None) -> str:
    """Say which cells of a target count as missing though they may be the name of a class.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each such cell.
    target : str or None
        Name of the column.

    Returns
    -------
    str
        Empty where there are none.

    Examples
    --------
    >>> tell_missing_classes({"None": 761}, "y")  # doctest: +NORMALIZE_WHITESPACE
    "761 rows of the target 'y' have no class, because 'None' counts as a missing cell: give the
    class another name, such as 'normal', if it is one."
    """
    if not counts:
        return ""
    names = " and ".join(repr(name) for name in counts)
    total = counted(sum(counts.values()), "row")
    one = sum(counts.values()) == 1
    return (
        f"{total} of the target {target!r} {'has' if one else 'have'} no class, because {names} "
        f"{'counts' if len(counts) == 1 else 'count'} as a missing cell: give the class another "
        "name, such as 'normal', if it is one."
    )


def tell_stripped(counts: Mapping[str, int]) -> str:
    """Say which cells of a target count as a class that other cells name without blanks.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each such cell, as it is written.

    Returns
    -------
    str
        Empty where there are none.

    Examples
    --------
    >>> tell_stripped({"fraud ": 37})
    "Blanks around the name of a class do not count: 'fraud ' (37 rows) is taken as 'fraud'."
    """
    if not counts:
        return ""
    told = [
        f"{_padded(cell)} ({counted(rows, 'row')}) is taken as {_cut(cell.strip())!r}"
        for cell, rows in list(counts.items())[:3]
    ]
    more = ", …" if len(counts) > 3 else ""
    return f"Blanks around the name of a class do not count: {', '.join(told)}{more}."


def _padded(cell: str) -> str:
    """Return a cell with blanks around it as it is written, in words if it is long."""
    if len(cell) <= _LONG:
        return repr(cell)
    bare = cell.strip()
    return f"{_cut(bare)!r} with {counted(len(cell) - len(bare), 'blank')} around it"


def _cut(name: str) -> str:
    return name if len(name) <= _LONG else f"{name[: _LONG - 1]}…"


def _quoted(name: str) -> str:
    """Return a name as one field of a line of CSV."""
    if "," not in name:
        return name
    return '"' + name.replace('"', '""') + '"'
