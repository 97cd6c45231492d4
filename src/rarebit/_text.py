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


def tell_alike(counts: Mapping[str, int]) -> list[str]:
    """Say which names differ by capitals or blanks only, and are counted one by one.

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
    alike: dict[str, list[str]] = {}
    for name in counts:
        alike.setdefault(" ".join(name.casefold().split()), []).append(name)
    said = []
    for names in alike.values():
        if len(names) > 1 and any(counts[name] for name in names):
            listed = " and ".join(f"{name!r} ({counts[name]:,})" for name in sorted(names))
            said.append(f"{listed} count as different classes: spell them alike if they are one.")
    return said


def _quoted(name: str) -> str:
    """Return a name as one field of a line of CSV."""
    if "," not in name:
        return name
    return '"' + name.replace('"', '""') + '"'
