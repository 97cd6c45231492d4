"""The one list of methods: their names, what they are, and how a classifier of each is made."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from rarebit.exceptions import InputTypeError

# Rows up to which "auto" reads every label.
MANY_ROWS = 20_000
AUTO = "auto"


@dataclass(frozen=True, eq=False)
class Method:
    """One way to a classifier.

    Attributes
    ----------
    name : str
        Name on the command line and in manifests.
    type_name : str
        Registered name of the classifier, as model files have it.
    summary : str
        What it does, in a few words.
    defaults : mapping of str to object
        Parameters that differ from the defaults of the class.
    seeded : bool
        Whether the classifier has a ``random_state``.
    learns : bool
        Whether a labelling session can end in it.
    tunes : bool
        Whether ``C`` and ``gamma`` may be ``"tuned"``.
    """

    name: str
    type_name: str
    summary: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = True
    learns: bool = False
    tunes: bool = False

    def make(self, random_state: int | None = 0, **options: Any) -> Any:
        """Return a classifier that is not fitted.

        Parameters
        ----------
        random_state : int or None, default=0
            Seed.
        **options
            Parameters of the classifier, such as ``C``, ``kernel`` and ``gamma``.

        Returns
        -------
        estimator
            Not fitted.

        Examples
        --------
        >>> from rarebit.models import find_method
        >>> find_method("kernel").make(C=10.0)
        KernelSVC(C=10.0, class_weight='balanced')
        """
        from rarebit.models._types import TYPES

        if not self.tunes and any(options.get(name) == "tuned" for name in ("C", "gamma")):
            able = ", ".join(method.name for method in METHODS if method.tunes)
            raise ValueError(
                f"C and gamma can be tuned for the methods {able}, got method {self.name}: give a "
                "number, or choose one of these."
            )
        seed = {"random_state": random_state} if self.seeded else {}
        maker = TYPES[self.type_name].load()
        known = inspect.signature(maker).parameters
        unknown = [name for name in options if name not in known]
        if unknown:
            near = get_close_matches(unknown[0], known, n=1)
            raise InputTypeError(
                f"The method {self.name} has no parameter {unknown[0]!r}: "
                + (f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}.")
            )
        return maker(**{**self.defaults, **seed, **options})


METHODS: tuple[Method, ...] = (
    Method(
        "blend",
        "rarebit.BlendedClassifier",
        "kernel SVMs and trees, weighted by cross-validation",
        learns=True,
        tunes=True,
    ),
    Method(
        "border",
        "rarebit.BorderSVC",
        "reads few labels, those near the border",
        learns=True,
        tunes=True,
    ),
    Method(
        "bagged",
        "rarebit.BaggedSVC",
        "an ensemble of kernel SVMs trained on balanced samples",
        # Scores of a file are read as a ranking, and a balance of votes has many ties: on tasks of
        # ecoli, glass and satimage the mean of values ranks better at the same g-mean.
        {"combiner": "average"},
        learns=True,
    ),
    Method("boosted", "rarebit.BoostedSVC", "boosted weak SVMs, weighted for the rare class"),
    Method(
        "pruned",
        "rarebit.PrunedSVC",
        "one SVM from which support vectors of the majority are removed",
        # Searches grow with the square of the removals.
        {"max_removals": 100},
    ),
    Method(
        "kernel",
        "rarebit.KernelSVC",
        "one exact SVM with balanced class weights",
        {"class_weight": "balanced"},
        seeded=False,
        tunes=True,
    ),
)


def method_names(*, learns: bool = False) -> tuple[str, ...]:
    """Return the names that a ``method`` option takes, ``"auto"`` first.

    Parameters
    ----------
    learns : bool, default=False
        Only those that a labelling session can end in.

    Examples
    --------
    >>> from rarebit.models import method_names
    >>> method_names()
    ('auto', 'blend', 'border', 'bagged', 'boosted', 'pruned', 'kernel')
    >>> method_names(learns=True)
    ('auto', 'blend', 'border', 'bagged')
    """
    return (AUTO, *(method.name for method in METHODS if method.learns or not learns))


def find_method(name: str) -> Method:
    """Return a method by its name.

    Examples
    --------
    >>> from rarebit.models import find_method
    >>> find_method("bagged").type_name
    'rarebit.BaggedSVC'
    """
    for method in METHODS:
        if method.name == name:
            return method
    raise ValueError(f"method must be one of {', '.join(method_names())}, got {name!r}.")


def choose_method(method: str, n_rows: int) -> Method:
    """Return the method of a name; ``"auto"`` depends on the number of rows.

    Examples
    --------
    >>> choose_method("auto", 1000).name, choose_method("auto", 10**6).name
    ('blend', 'border')
    """
    if method == AUTO:
        method = "blend" if n_rows <= MANY_ROWS else "border"
    return find_method(method)
