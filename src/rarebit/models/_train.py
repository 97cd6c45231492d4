"""From a labelled table to a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit._text import counted, tell_missing_classes, whole_names
from rarebit.exceptions import InputTypeError
from rarebit.models._class_names import (
    ClassNamesWarning,
    check_not_missing,
    names_warning,
    rest_warning,
)
from rarebit.models._leaking import LeakWarning, leak_warning
from rarebit.models._manifest import build_manifest, describe_source
from rarebit.models._methods import MANY_ROWS, choose_method
from rarebit.models._model import Model
from rarebit.models._rare import (
    Names,
    as_names,
    as_union,
    choose_rare,
    fit_namer,
    rest_name,
    union_name,
)
from rarebit.models._reading import ReadingWarning, reading_warning
from rarebit.models._splits import SplitBy, column_of
from rarebit.models._support_rows import describe_support
from rarebit.models._threshold import Threshold, operating_points
from rarebit.models._validation import Members, judge_by_folds, judge_held_out, measure
from rarebit.tables import Table, TableEncoder, TableError, as_table

# Classes beyond which a column is taken for a measurement.
_MANY_CLASSES = 200
_HELD_OUT = 0.2
_FOLDS = 5


def labelled_rows(
    table: Table, rare: Names = None, normal: Names = None
) -> tuple[Table, NDArray[np.str_], str]:
    """Return the rows that have a class, their classes, and the rare class.

    Parameters
    ----------
    table : Table
        Rows with a target; those without a class are left out.
    rare : str, iterable of str or None, default=None
        The class or classes of interest: several become one, and of more than two classes all
        others become ``"rest"``. None takes the class with the fewest rows.
    normal : str, iterable of str or None, default=None
        The class or classes that are not of interest, instead of `rare`; all others become one.

    Returns
    -------
    tuple of Table, ndarray of str and str
        At least two classes with at least two rows each; several rare classes are called
        ``"a or b"`` or ``"not c"``, and `target` of the table has their names.
    """
    if table.target is None:
        raise TableError(
            f"{table.source} has no classes: name the column that holds them as the target."
        )
    known = table.target != ""
    unnamed = tell_missing_classes(table.missing_classes, table.target_name)
    hint = f" {unnamed}" if unnamed else ""
    if not known.any():
        raise TableError(
            f"The target {table.target_name!r} of {table.source} is empty in every row: label some "
            f"rows of every class.{hint}"
        )
    kept = table if known.all() else table.take(known)
    y = table.target if known.all() else table.target[known]
    names, counts = np.unique(y, return_counts=True)
    if len(names) < 2:
        raise TableError(
            f"The target {table.target_name!r} of {table.source} has one class only "
            f"({str(names[0])!r}), and two are needed: add rows of another class, or find them "
            f"with rarebit discover.{hint}"
        )
    if len(names) > _MANY_CLASSES and len(names) > 0.05 * len(y):
        raise TableError(
            f"The target {table.target_name!r} of {table.source} has {len(names):,} different "
            "values and looks like a measurement: choose a column of classes."
        )
    sizes = {str(name): int(n) for name, n in zip(names, counts, strict=True)}
    if unnamed:
        check_not_missing(table, {*as_names(rare), *as_names(normal)} - set(sizes))
    members = choose_rare(sizes, rare, normal, table.source)
    union = union_name(members, None if normal is None else whole_names(as_names(normal), sizes))
    if rare is not None or normal is not None:
        y = as_union(y, members, union, rest_name(sizes, members))
        names, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise TableError(
            f"The class {str(names[np.argmin(counts)])!r} of {table.source} has one row, and at "
            "least two are needed: label more of it, or leave it out."
        )
    return kept, y, union


def train_model(
    table: Any,
    *,
    target: str | Sequence[Any] | None = None,
    id: str | None = None,
    method: str = "auto",
    rare: Names = None,
    normal: Names = None,
    threshold: float | str = "auto",
    folds: int | None = None,
    holdout: float | None = None,
    group: str | None = None,
    time: str | None = None,
    validate: bool = True,
    random_state: int | None = 0,
    encoder: TableEncoder | None = None,
    copy: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
    **options: Any,
) -> Model:
    """Make features, judge the method on rows held out, and fit it to all rows.

    Parameters
    ----------
    table : Table, or a pandas, polars or Arrow frame, or a mapping of columns
        Rows with a target.
    target : str, array-like or None, default=None
        For frames: the column of classes, or the class of each row. `Model.predict` returns whole
        numbers, numbers, `decimal.Decimal`, or true and false where these were the classes, and
        text else. Classes of several types are refused.
    id : str or None, default=None
        For frames: the column of ids, or a named level of the index of a pandas frame; they must be
        unique and are not a feature.
    method : {"auto", "blend", "border", "bagged", "boosted", "pruned", "kernel"}, default="auto"
        Classifier; ``"auto"`` is blend up to 20,000 rows, border beyond.
    rare : str, iterable of str or None, default=None
        The class or classes of interest. None scores the one with the fewest rows, and all
        classes are learned and predicted under their names. Where it is given, the other classes
        become one, ``"rest"``, unless there is only one, which keeps its name; with a rest,
        `Model.predict` returns texts also where the classes were numbers. Several rare ones
        are learned as one class, and a second classifier names the one that a rare row looks like.
    normal : str, iterable of str or None, default=None
        The class or classes that are not of interest, instead of `rare`: all others are rare.
    threshold : float or str, default="auto"
        As `Threshold.parse` reads it, or a number; ``"auto"`` is the greatest g-mean for border,
        which learns from rows that it chose itself, and the classifier's own border for the others
        (that of blend has the greatest g-mean, too).
    folds : int or None, default=None
        Folds that judge the method; None for 5 up to 20,000 rows, else a fifth is held out.
    holdout : float or None, default=None
        Share of rows that judges the method, instead of folds.
    group : str or None, default=None
        Column of the table, such as a customer: rows with the same value are never both trained on
        and held out. Of a frame it is no feature; read a file with it as ``aside``.
    time : str or None, default=None
        Column of times: the latest rows are held out, a fifth unless `holdout` says otherwise. It
        is no feature either.
    validate : bool, default=True
        Whether to judge at all; a model without has no metrics.
    random_state : int or None, default=0
        Seed of the classifier and of the rows held out.
    encoder : TableEncoder or None, default=None
        Makes the features; None for the default one. It is fitted to all rows, without classes.
    copy : bool, default=True
        Whether the table must stay as it is; False saves memory.
    advance : function of int, optional
        Called with the fits that were finished since the last call.
    **options
        Parameters of the classifier.

    Returns
    -------
    Model
        The classifier of all rows; its metrics are of rows that were held out.

    Warns
    -----
    ClassNamesWarning
        Of a frame: names of classes differ by capitals or blanks only, or count as missing cells,
        as ``"None"`` does; or classes that are no texts are predicted as texts, because of a rest.
    LeakWarning
        Of a frame: columns that are learned from give a class away by themselves. Of a `Table`,
        `rarebit.tables.find_leaks` tells them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, polars as pl
    >>> from rarebit.models import train_model
    >>> from rarebit.tables import read_table
    >>> rng = np.random.default_rng(0)
    >>> rare = rng.random(300) < 0.1
    >>> frame = pl.DataFrame(
    ...     {"x": rng.normal(size=300) + 4 * rare, "class": np.where(rare, "b", "a")}
    ... )
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "rows.csv"
    >>> frame.write_csv(path)
    >>> model = train_model(read_table(path, target="class"), method="kernel")
    >>> model.rare_class, model.manifest["metrics"]["g_mean"] > 0.9
    ('b', True)
    >>> folder.cleanup()
    """
    if not isinstance(encoder, TableEncoder | None):
        raise InputTypeError(
            f"The encoder must be a TableEncoder or None, got {type(encoder).__name__}: pass one, "
            "such as TableEncoder(max_categories=80)."
        )
    columns = None if encoder is None else encoder.columns
    split = SplitBy(group, time)
    in_memory = not isinstance(table, Table)
    table = as_table(table, target=target, id=id, columns=columns, aside=split.columns)
    for name in split.columns:
        column_of(table, name)  # a misspelt name is an error, even if nothing is held out
    kept, y, union = labelled_rows(table, rare, normal)
    own = kept is not table or not copy
    kind = choose_method(method, kept.n_rows)
    chosen = kind.name
    if threshold == "auto":
        threshold = "g-mean" if chosen == "border" and validate else "own"
    threshold = str(threshold)
    aim = Threshold.parse(threshold)
    names, counts = np.unique(y, return_counts=True)
    if time is not None:
        if folds is not None:
            raise ValueError("Rows are held out by time once, and not in folds: leave out folds.")
        holdout = _HELD_OUT if holdout is None else holdout
    judge = _check_judge(folds, holdout, validate, int(counts.min()), len(y))
    if judge is not None and split.columns:
        judge = _split_judge(judge, split, kept, y, random_state)
    if aim.needs_scores and judge is None:
        raise ValueError(
            f"The threshold {threshold!r} is chosen on rows held out: leave out validate=False, or "
            "give a number."
        )
    encoder = TableEncoder(random_state=random_state) if encoder is None else encoder
    encoder.fit(kept)
    if in_memory and (unsure := reading_warning(kept, table.n_rows - kept.n_rows)):
        warnings.warn(unsure, ReadingWarning, stacklevel=2)
    if in_memory and (alike := names_warning(kept)):
        warnings.warn(alike, ClassNamesWarning, stacklevel=2)
    if in_memory and (texts := rest_warning(table.target_kind, names.tolist())):
        warnings.warn(texts, ClassNamesWarning, stacklevel=2)
    if in_memory and (told := leak_warning(kept, encoder.schema_)):
        warnings.warn(told, LeakWarning, stacklevel=2)
    source, n_rows, label_kind = describe_source(table), kept.n_rows, table.target_kind
    X = encoder.transform(kept, copy=not own)
    members = _members(kept, y, union, "linear" if sparse.issparse(X) else "rbf")
    assert kept.target is not None
    own_names, own_counts = np.unique(kept.target[y == union], return_counts=True)
    order = np.arange(len(y))
    # Of the rows only what names the support vectors is needed from here on.
    own_ids, own_classes = kept.ids, kept.target if copy else kept.target.copy()
    del table, kept
    if sparse.issparse(X) and chosen not in ("boosted", "blend"):
        options = {"kernel": "linear", **options}  # words are many, and far apart already
    classifier = kind.make(random_state, **options)
    rest = str(max((n for n in names if n != union), key=lambda n: int(counts[names == n][0])))
    cut, metrics = aim.choose(np.zeros(0, bool), np.zeros(0)) if judge is None else None, None
    judged, points = None, None
    if judge is not None:
        if copy:
            y = y.copy()  # rows may change their places
        held_out = judge(
            classifier, X, y, union, random_state=random_state, advance=advance, members=members,
            **({"along": [order]} if judge.func is judge_held_out else {}),
        )  # fmt: skip
        cut, metrics, judged = measure(held_out, y, union, rest, aim, members)
        points = operating_points(judged.truth == union, judged.scores)
        judged = replace(judged, rows=order[judged.rows])
    classifier.fit(X, y)
    advance(1)
    namer = None
    if members is not None:
        namer = fit_namer(X[y == union], members.of_rows[y == union], members.kernel)
    asked = chosen == "border"
    manifest = build_manifest(
        method=chosen,
        classifier=classifier,
        encoder=encoder,
        source=source,
        classes={str(name): int(n) for name, n in zip(names, counts, strict=True)},
        rare_class=union,
        rare_classes={str(c): int(n) for c, n in zip(own_names, own_counts, strict=True)},
        n_rows=n_rows,
        threshold=cut,
        threshold_aim=threshold,
        points=points,
        metrics=metrics,
        labels_used=int(classifier.n_labels_) if asked else None,
        stop_reasons=classifier.stop_reasons_ if asked else None,
        label_kind=label_kind,
        support_rows=describe_support(
            classifier,
            X[:1],
            union,
            lambda rows: (own_ids[order[rows]].tolist(), own_classes[order[rows]].tolist()),
        ),
    )
    return Model(encoder, classifier, manifest, judged=judged, namer=namer)


def _members(table: Table, y: NDArray[np.str_], union: str, kernel: str) -> Members | None:
    assert table.target is not None
    names = np.unique(table.target[y == union])
    if len(names) == 1:
        return None
    return Members(tuple(names.tolist()), table.target.copy(), kernel)


def _split_judge(
    judge: partial[Any], split: SplitBy, table: Table, y: NDArray[np.str_], seed: int | None
) -> partial[Any]:
    """Return what judges the method with rows held out by group or time."""
    if judge.func is judge_held_out:
        share = judge.keywords["share"]
        test = split.held_out(table, y, share, seed)
        split.check(y, test, share)
        what = "held out by group" if split.group else "held out, the latest"
        return partial(judge_held_out, share=share, test=test, what=what)
    groups = split.groups(table)
    assert groups is not None
    n_folds = judge.keywords["n_folds"]
    for name in np.unique(y):
        n_groups = len(np.unique(groups[y == name]))
        if n_groups < n_folds:
            raise TableError(
                f"The rows of {str(name)!r} are of {counted(n_groups, 'group')} of the column "
                f"{split.group!r}, and {n_folds} folds need as many at least: use fewer folds, or "
                "another column."
            )
    return partial(judge_by_folds, n_folds=n_folds, groups=groups)


def count_fits(n_rows: int, folds: int | None, holdout: float | None, validate: bool = True) -> int:
    """Fits that `train_model` will make, for a progress bar."""
    if not validate:
        return 1
    if holdout is not None:
        return 2
    if folds is None and n_rows > MANY_ROWS:
        return 2
    return (folds or _FOLDS) + 1


def _check_judge(
    folds: int | None, holdout: float | None, validate: bool, fewest: int, n_rows: int
) -> partial[Any] | None:
    """Return what judges the method, or None."""
    if not validate:
        return None
    if folds is not None and holdout is not None:
        raise ValueError("Folds and a share held out cannot be combined: give one of them.")
    if folds is None and holdout is None and n_rows > MANY_ROWS:
        holdout = _HELD_OUT
    if holdout is not None:
        if not 0.0 < holdout < 1.0:
            raise ValueError(
                f"The share held out must be between 0 and 1, got {holdout:g}: 0.2 is usual."
            )
        if fewest * min(holdout, 1.0 - holdout) < 1.0:
            raise ValueError(
                f"The rarest class has {counted(fewest, 'row')}, too few to hold out "
                f"{100 * holdout:g} % of them: use folds, or label more."
            )
        return partial(judge_held_out, share=holdout)
    # As many as the rarest class allows: two rows allow two.
    wanted = folds if folds is not None else min(_FOLDS, fewest)
    if wanted < 2 or wanted > fewest:
        raise ValueError(
            f"Every fold needs a row of every class: from 2 to {fewest} folds are possible here, "
            f"got {wanted}; change the number or label more."
        )
    return partial(judge_by_folds, n_folds=wanted)
