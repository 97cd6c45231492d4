"""Answers whose classes are perhaps one class, written or typed in two ways."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rarebit._text import alike_names, tell_alike
from rarebit.projects._errors import ProjectError


def check_name(label: Any, known: Iterable[Any]) -> Any:
    """Return a label without blanks around it; refuse one that cannot be told from another.

    Parameters
    ----------
    label : object
        The class of an answer.
    known : iterable
        Classes so far.

    Examples
    --------
    >>> check_name("ok ", ["fraud"])
    'ok'
    """
    if isinstance(label, str):
        return label.strip() or label  # blanks alone are refused with their own sentence
    plain = label.item() if hasattr(label, "item") else label
    for other in known:
        if type(other) is not type(plain) and not isinstance(other, str) and other == plain:
            raise ProjectError(
                f"The label {plain!r} counts as the class {other!r} of earlier answers, and is of "
                f"another type: answer {other!r}, or name the class by a text, such as "
                f"{str(plain).lower()!r}."
            )
    return label


def tell_names(labels: Iterable[Any]) -> list[str]:
    """Say which classes differ by capitals, blanks or types only.

    Parameters
    ----------
    labels : iterable
        Class of each answer.

    Returns
    -------
    list of str
        A sentence for each group of such classes.

    Examples
    --------
    >>> tell_names([1, "1", "ok"])
    ["1 (1) and '1' (1) count as different classes: answer one of them if they are one."]
    """
    counts = Counter(labels)
    texts = Counter[str]()
    typed: dict[str, list[Any]] = {}
    for label, n in counts.items():
        texts[str(label)] += n
        typed.setdefault(str(label), []).append(label)
    said = tell_alike(texts)
    for names in typed.values():
        if len(names) > 1:
            listed = " and ".join(f"{name!r} ({counts[name]:,})" for name in names)
            said.append(f"{listed} count as different classes: answer one of them if they are one.")
    return said


def tell_near(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Say which classes that are given now differ from an earlier one by capitals or blanks only.

    Parameters
    ----------
    given : iterable of str
        Classes that are given now.
    known : iterable of str
        Classes so far.

    Returns
    -------
    list of str
        A sentence for each such class.

    Examples
    --------
    >>> print(*tell_near(["Fraud", "ok"], ["fraud", "ok"]))
    'Fraud' differs from 'fraud' by capitals only: correct it under Answers if they are one class.
    """
    given = list(given)
    said = []
    for first, *others in alike_names([*known, *given]):
        for name in others:
            if name in given:
                by = "capitals" if name.casefold() == first.casefold() else "capitals or blanks"
                said.append(
                    f"{name!r} differs from {first!r} by {by} only: correct it under Answers if "
                    "they are one class."
                )
    return said


def warn_alike(sentences: Iterable[str]) -> None:
    """Warn the caller of the method that calls this."""
    for sentence in sentences:
        # Imported here: the first question of the page must not wait for scikit-learn.
        from rarebit.models import ClassNamesWarning

        warnings.warn(sentence, ClassNamesWarning, stacklevel=3)
