"""From a labelled table to a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.models._file import current_versions
from rarebit.models._methods import MANY_ROWS, choose_method, make_classifier
from rarebit.models._model import Model
from rarebit.models._threshold import Threshold
from rarebit.models._validation import judge_by_folds, judge_held_out, measure
from rarebit.tables import Table, TableEncoder, TableError

# Classes beyond which a column is taken for a measurement.
_MANY_CLASSES = 200
_HELD_OUT = 0.2
_FOLDS = 5
REST = "rest"


def labelled_rows(table: Table, rare: str | None = None) -> tuple[Table, NDArray[np.str_], str]:
    """Return the rows that have a class, their classes, and the rare class.

    Parameters
    ----------
    table : Table
        Rows with a target; those without a class are left out.
    rare : str or None, default=None
        The class of interest: of more than two classes, all others then become ``"rest"``. None
        takes the class with the fewest rows.

    Returns
    -------
    tuple of Table, ndarray of str and str
        At least two classes with at least two rows each.
    """
    if table.target is None:
        raise TableError(
            f"{table.source} has no classes: name the column that holds them as the target."
        )
    known = table.target != ""
    if not known.any():
        raise TableError(
            f"The target {table.target_name!r} of {table.source} is empty in every row: label some "
            "rows of every class."
        )
    kept = table if known.all() else table.take(known)
    y = table.target if known.all() else table.target[known]
    names, counts = np.unique(y, return_counts=True)
    if len(names) < 2:
        raise TableError(
            f"The target {table.target_name!r} of {table.source} has one class only "
            f"({str(names[0])!r}), and two are needed: add rows of another class, or find them "
            "with rarebit discover."
        )
    if len(names) > _MANY_CLASSES and len(names) > 0.05 * len(y):
        raise TableError(
            f"The target {table.target_name!r} of {table.source} has {len(names):,} different "
            "values and looks like a measurement: choose a column of classes."
        )
    if rare is None:
        # Of equally rare classes the greatest label, as everywhere in the package.
        rare = str(names[::-1][np.argmin(counts[::-1])])
    elif rare not in names:
        raise TableError(
            f"{table.source} has no class {rare!r}: it has {', '.join(names[:10])}; give one of "
            "them."
        )
    elif len(names) > 2:
        y = np.where(y == rare, rare, REST)
        names, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise TableError(
            f"The class {str(names[np.argmin(counts)])!r} of {table.source} has one row, and at "
            "least two are needed: label more of it, or leave it out."
        )
    return kept, y, rare


def train_model(
    table: Table,
    *,
    method: str = "auto",
    rare: str | None = None,
    threshold: str = "auto",
    folds: int | None = None,
    holdout: float | None = None,
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
    table : Table
        Rows with a target.
    method : {"auto", "border", "bagged", "boosted", "pruned", "kernel"}, default="auto"
        Classifier; ``"auto"`` is bagged up to 20,000 rows, border beyond.
    rare : str or None, default=None
        The class of interest; None for the one with the fewest rows. Of more than two classes the
        others become ``"rest"``.
    threshold : str, default="auto"
        As `Threshold.parse` reads it; ``"auto"`` is the greatest g-mean for border, which learns
        from rows that it chose itself, and the classifier's own border for the others.
    folds : int or None, default=None
        Folds that judge the method; None for 5 up to 20,000 rows, else a fifth is held out.
    holdout : float or None, default=None
        Share of rows that judges the method, instead of folds.
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
    kept, y, rare = labelled_rows(table, rare)
    own = kept is not table or not copy
    chosen = choose_method(method, kept.n_rows)
    if threshold == "auto":
        threshold = "g-mean" if chosen == "border" and validate else "own"
    aim = Threshold.parse(threshold)
    names, counts = np.unique(y, return_counts=True)
    judge = _check_judge(folds, holdout, validate, int(counts.min()), len(y))
    if aim.needs_scores and judge is None:
        raise ValueError(
            f"The threshold {threshold!r} is chosen on rows held out: leave out validate=False, or "
            "give a number."
        )
    encoder = TableEncoder(random_state=random_state) if encoder is None else encoder
    encoder.fit(kept)
    fingerprint = table.fingerprint
    source, n_rows, target = table.source, kept.n_rows, table.target_name
    n_unlabelled, text, id_name = table.n_rows - kept.n_rows, table.text, table.id_name
    X = encoder.transform(kept, copy=not own)
    del table, kept
    if sparse.issparse(X) and chosen != "boosted":
        options = {"kernel": "linear", **options}  # words are many, and far apart already
    classifier = make_classifier(chosen, random_state, **options)
    rest = str(max((n for n in names if n != rare), key=lambda n: int(counts[names == n][0])))
    cut, metrics = aim.choose(np.zeros(0, bool), np.zeros(0)) if judge is None else None, None
    judged = None
    if judge is not None:
        if copy:
            y = y.copy()  # rows may change their places
        held_out = judge(classifier, X, y, rare, random_state=random_state, advance=advance)
        cut, metrics, judged = measure(held_out, y, rare, rest, aim)
    classifier.fit(X, y)
    advance(1)
    manifest = {
        "format": 1,
        "method": chosen,
        "parameters": _plain_parameters(classifier),
        "classes": {str(name): int(n) for name, n in zip(names, counts, strict=True)},
        "rare_class": rare,
        "threshold": cut,
        "threshold_aim": threshold,
        "columns": dict(encoder.schema_),
        "dropped": dict(encoder.dropped_),
        "missing": dict(encoder.missing_),
        "n_features": encoder.n_features_,
        "target": target,
        "id": None if id_name == "row" else id_name,
        "text": text,
        "source": {
            "file": source,
            "rows": n_rows,
            "rows_without_class": n_unlabelled,
            "sha256": fingerprint,
        },
        "metrics": metrics,
        "versions": current_versions(),
    }
    if chosen == "border":
        manifest["labels_used"] = int(classifier.n_labels_)
        manifest["stop_reasons"] = dict(classifier.stop_reasons_)
    return Model(encoder, classifier, manifest, judged=judged)


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
) -> Callable[..., Any] | None:
    """Return what judges the method, or None."""
    if not validate:
        return None
    if folds is not None and holdout is not None:
        raise ValueError("Folds and a share held out exclude each other: give one of them.")
    if folds is None and holdout is None and n_rows > MANY_ROWS:
        holdout = _HELD_OUT
    if holdout is not None:
        if not 0.0 < holdout < 1.0:
            raise ValueError(
                f"The share held out must be between 0 and 1, got {holdout:g}; 0.2 is usual."
            )
        if fewest * min(holdout, 1.0 - holdout) < 1.0:
            raise ValueError(
                f"The rarest class has {fewest} rows, too few to hold out {100 * holdout:g} % of "
                "them: use folds, or label more."
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


def _plain_parameters(classifier: Any) -> dict[str, Any]:
    plain = (bool, int, float, str, type(None))
    return {
        name: value if isinstance(value, plain) else str(value)
        for name, value in classifier.get_params().items()
    }
