"""Which classes are rare, told as one union and as each of its members.

A union of rare classes is learned as one class against the rest, where all rows of it count, and a
second classifier, fitted to the rare rows alone, names the member that a row looks like.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import name_list, whole_names
from rarebit.metrics import rare_report
from rarebit.svm import KernelSVC
from rarebit.tables import TableError

REST = "rest"
# One class or several; those of a frame may be numbers, or true and false.
Names = str | float | bool | np.generic | Iterable[Any] | None
_MOST_NAMED = 3  # members that the name of a union spells out


def as_names(given: Names) -> tuple[str, ...]:
    """Return names that were given as one text or as several."""
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (_name(given),)
    return tuple(_name(each) for each in given)


def _name(label: Any) -> str:
    """Return what a label is called in a table: 1 for 1.0, true for True."""
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


# Numbers whose digits may be written otherwise: 1.0, not 01, which is a code.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")


def _value(name: str) -> str:
    """Return what spellings of a truth value or of a number share: true for TRUE, 1 for 1.0."""
    if name.casefold() in ("true", "false"):
        return name.casefold()
    if "." in name and _NUMBER.fullmatch(name):
        return name.rstrip("0").rstrip(".")
    return name


def as_known(names: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return names as the classes that are known spell them.

    Files name truth values true, True and TRUE, and numbers 1 and 1.0: a name that is not known
    counts as the one class that is known and has the same value.

    Parameters
    ----------
    names : iterable of str
        Names of classes.
    known : iterable of str
        Classes that are known.

    Returns
    -------
    dict of str to str
        By name; names that nothing else spells are as they were.

    Examples
    --------
    >>> as_known(["True", "1.0", "01", "OK"], ["true", "1", "ok"])
    {'True': 'true', '1.0': '1', '01': '01', 'OK': 'OK'}
    """
    spelt: dict[str, list[str]] = {}
    there = set(known)
    for each in there:
        spelt.setdefault(_value(each), []).append(each)
    found = {}
    for name in names:
        same = spelt.get(_value(name), [])
        found[name] = same[0] if name not in there and len(same) == 1 else name
    return found


def _among(names: Names, counts: Mapping[str, int]) -> Names:
    """Return names as the classes have them: labels of a project write True and 1.0."""
    if names is None:
        return None
    given = whole_names(as_names(names), counts)
    spelling = as_known(given, counts)
    return [spelling[name] for name in given]


def choose_rare(
    counts: Mapping[str, int], rare: Names = None, normal: Names = None, source: str = "The data"
) -> tuple[str, ...]:
    """Return the rare classes.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each class.
    rare : str, iterable of str or None, default=None
        The rare classes.
    normal : str, iterable of str or None, default=None
        The classes that are not rare, instead of `rare`.
    source : str, default="The data"
        What has these classes, for messages.

    Returns
    -------
    tuple of str
        In the order of the alphabet; without `rare` and `normal` the class with the fewest rows.

    Examples
    --------
    >>> choose_rare({"ok": 90, "scratch": 4, "dent": 6}, normal="ok")
    ('dent', 'scratch')
    """
    if rare is not None and normal is not None:
        raise TableError("rare and normal cannot be combined: give one of them.")
    rare, normal = _among(rare, counts), _among(normal, counts)
    for name in (*as_names(rare), *as_names(normal)):
        if name not in counts:
            raise TableError(
                f"{source} has no class {name!r}: it has {_listed(list(counts))}; "
                f"{_meant(name, counts)}"
            )
    if normal is not None:
        chosen = tuple(sorted(set(counts) - set(as_names(normal))))
    elif rare is not None:
        chosen = tuple(sorted(set(as_names(rare))))
    else:
        # Of equally rare classes the greatest label, as everywhere in the package.
        return (min(sorted(counts, reverse=True), key=counts.__getitem__),)
    if not chosen:
        raise TableError(f"{source} has no class beside {_listed(as_names(normal))}: none is rare.")
    if len(chosen) == len(counts):
        raise TableError(
            f"All classes of {source} are called rare ({_listed(chosen)}), and at least one must "
            "not be: name fewer."
        )
    return chosen


def union_name(members: Sequence[str], normal: Names = None) -> str:
    """Return what a union of rare classes is called.

    Examples
    --------
    >>> union_name(["dent", "scratch"]), union_name(["dent", "scratch"], "ok")
    ('dent or scratch', 'not ok')
    """
    if len(members) == 1:
        return members[0]
    if normal is not None:
        return f"not {' or '.join(as_names(normal))}"
    if len(members) > _MOST_NAMED:
        return f"{', '.join(members[:2])} or {len(members) - 2} more"
    return " or ".join(members)


def rest_name(names: Iterable[str], members: Sequence[str]) -> str:
    """Return what the classes that are not rare are called: the only one keeps its name."""
    others = [name for name in names if name not in members]
    return others[0] if len(others) == 1 else REST


def as_union(
    classes: NDArray[Any], members: Sequence[str], union: str, rest: str
) -> NDArray[np.str_]:
    """Return classes as the union of rare ones and the rest."""
    return np.where(np.isin(classes, list(members)), union, rest)


def fit_namer(X: Any, names: NDArray[Any], kernel: str = "rbf") -> KernelSVC | str:
    """Fit what tells rare classes apart; where there is one only, return it.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rare, n_features)
        Rare rows.
    names : ndarray of shape (n_rare,)
        Their classes.
    kernel : str, default="rbf"
        Kernel of the SVM.

    Returns
    -------
    KernelSVC or str
        Fitted with weights that balance the classes.
    """
    found = np.unique(names)
    if len(found) == 1:
        return str(found[0])
    return KernelSVC(kernel=kernel, class_weight="balanced").fit(X, names)


def name_margins(
    namer: KernelSVC | str | None, X: Any, members: Sequence[str]
) -> NDArray[np.float64]:
    """Return how far each rare class lies above the best of the others, by row.

    Parameters
    ----------
    namer : KernelSVC, str or None
        As `fit_namer` returns it; None where one class is rare.
    X : array or CSR matrix of shape (n_rows, n_features)
        Rows.
    members : sequence of str
        The rare classes.

    Returns
    -------
    ndarray of shape (n_rows, n_members)
        Positive for the class that a row looks like most; a class that was not there to learn from
        has −1.
    """
    margins = np.full((X.shape[0], len(members)), -1.0)
    if namer is None or isinstance(namer, str):
        margins[:, list(members).index(namer) if namer is not None else 0] = 1.0
        return margins
    values = np.asarray(namer.decision_function(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values]) / 2.0
    for column, name in enumerate(namer.classes_.tolist()):
        best = np.delete(values, column, axis=1).max(axis=1)
        margins[:, list(members).index(name)] = values[:, column] - best
    return margins


def scores_of_each(
    scores: NDArray[np.float64], margins: NDArray[np.float64], members: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return scores of each rare class: a row must be rare, and of this class among them."""
    return {name: np.minimum(scores, margins[:, i]) for i, name in enumerate(members)}


def margin_of(values: NDArray[np.float64], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how far the best of some classes lies above the best of the others.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_classes)
        Decision values or probabilities.
    inside : ndarray of shape (n_classes,)
        Which classes.

    Returns
    -------
    ndarray of shape (n_rows,)
        Positive where one of them is predicted.
    """
    margin: NDArray[np.float64] = values[:, inside].max(axis=1) - values[:, ~inside].max(axis=1)
    return margin


def report_of_each(
    truth: NDArray[Any],
    decided: NDArray[Any],
    each: Mapping[str, NDArray[np.float64]],
    members: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Measure every rare class of a union.

    Parameters
    ----------
    truth, decided : ndarray of shape (n_rows,)
        True classes, and classes that were decided on, members by their names.
    each : mapping of str to ndarray of shape (n_rows,)
        Scores of each member.
    members : sequence of str
        The rare classes.

    Returns
    -------
    dict of str to dict
        Per member: ``support`` (rows), ``found`` (of these, called rare), ``named`` (of these,
        called by the right name), ``predicted`` (rows called so), ``average_precision`` and
        ``roc_auc`` of its scores.
    """
    rare = np.isin(decided, list(members))
    report = {}
    for name in members:
        own, called = truth == name, decided == name
        figures = rare_report(
            own.astype(int), called.astype(int), each[name], pos_label=1, labels=[0, 1],
            output="dict",
        )  # fmt: skip
        report[name] = {
            "support": int(own.sum()),
            "found": int((own & rare).sum()),
            "named": int((own & called).sum()),
            "predicted": int(called.sum()),
            "average_precision": figures["average_precision"],
            "roc_auc": figures["roc_auc"],
        }
    return report


def _listed(names: Sequence[str]) -> str:
    return name_list(names, 10)


def _meant(name: str, known: Iterable[str]) -> str:
    """Say which class was probably meant, and how a name with a comma is written."""
    names = list(known)
    parts = [each for each in names if "," in each and name in map(str.strip, each.split(","))]
    if parts:
        quoted = shlex.quote(name_list(parts[:1]))
        return f"a name with a comma stands in double quotes, in a shell --rare {quoted}."
    near = get_close_matches(name.lower(), [each.lower() for each in names], n=1)
    likely = [each for each in names if near and each.lower() == near[0]]
    return f"did you mean {likely[0]!r}?" if likely else "give one of them."
