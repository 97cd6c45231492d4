"""A model from labels that people or a column gave one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit._text import name_list
from rarebit.classifiers import final_classifier
from rarebit.models._estimate import estimate_quality
from rarebit.models._label_kinds import kind_of_labels
from rarebit.models._manifest import build_manifest, describe_source
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
from rarebit.models._support_rows import describe_support
from rarebit.tables import Table, TableEncoder, TableError


@dataclass(frozen=True, eq=False)
class Learned:
    """A classifier of labels, and the classes that are rare to it.

    Attributes
    ----------
    classifier : estimator
        Fitted.
    labels : dict of int to str
        Row to class as the classifier knows it: several rare classes are one.
    rare_class : str
        The class that its score refers to.
    rare_classes : dict of str to int
        Labels of each class that it stands for.
    namer : KernelSVC or None
        Tells several rare classes apart.
    fitted_rows : ndarray or None
        Row of the pool at each position that the classifier counts in its ``support_``; None where
        that is not known.
    """

    classifier: Any
    labels: dict[int, str]
    rare_class: str
    rare_classes: dict[str, int]
    namer: Any = None
    fitted_rows: NDArray[np.intp] | None = None


def learn_classifier(
    X: Any,
    labels: Mapping[int, Any],
    *,
    rare: Names = None,
    normal: Names = None,
    border: Any = None,
    history: Any = None,
    method: str = "auto",
    random_state: int | None = 0,
) -> Learned:
    """Fit the final classifier of a labelling project, with the rare classes that were named.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        All rows of the pool.
    labels : mapping of int to class
        Row to class.
    rare, normal : str, iterable of str or None, default=None
        As in `train_model`; classes that no label has are left out.
    border, history, method, random_state
        As in `final_classifier`.

    Returns
    -------
    Learned
        Classifier, and what is rare to it.
    """
    named = {row: str(label) for row, label in labels.items()}
    options: dict[str, Any] = {"method": method, "random_state": random_state, "history": history}
    if not as_names(rare) and not as_names(normal):
        classifier = final_classifier(X, named, border=border, **options)
        own = str(classifier.minority_class_)
        counts = Counter(named.values())
        order = _fitted_rows(X, named, border, method)
        return Learned(classifier, named, own, {own: counts[own]}, fitted_rows=order)
    counts = Counter(named.values())
    seen = {
        "rare": [name for name in as_names(rare) if name in counts] or None,
        "normal": [name for name in as_names(normal) if name in counts] or None,
    }
    if seen["rare"] is None and seen["normal"] is None:
        wanted = name_list((*as_names(rare), *as_names(normal)))
        raise TableError(
            f"No label is of {wanted}, and the labels have {name_list(sorted(counts))}: label "
            "more rows, or name other classes."
        )
    members = choose_rare(counts, seen["rare"], seen["normal"], "The labels")
    union = union_name(members, seen["normal"])
    rows = np.array(list(named))
    classes = np.array(list(named.values()))
    y = as_union(classes, members, union, rest_name(counts, members))
    known = dict(zip(rows.tolist(), y.tolist(), strict=True))
    classifier = final_classifier(X, known, border=border, rare=union, **options)
    namer = None
    if len(members) > 1:
        own_rows = y == union
        kernel = "linear" if sparse.issparse(X) else "rbf"
        namer = fit_namer(X[rows[own_rows]], classes[own_rows], kernel)
    sizes = {name: counts[name] for name in members}
    return Learned(classifier, known, union, sizes, namer, _fitted_rows(X, known, border, method))


def _fitted_rows(
    X: Any, labels: Mapping[int, str], border: Any, method: str
) -> NDArray[np.intp] | None:
    """Return the row of the pool at each position that the final classifier counts."""
    classes = np.unique(list(labels.values()))
    if method != "border" or border is None or not np.array_equal(border.classes_, classes):
        return np.array(list(labels), dtype=np.intp)
    # The border itself counts rows of the pool; that of a pool elsewhere or of a learner of one's
    # own may count others.
    known = np.asarray(getattr(border, "support_", ()), dtype=np.intp)
    in_memory = isinstance(X, np.ndarray) or sparse.issparse(X)
    if not in_memory or not len(known) or not all(int(row) in labels for row in known):
        return None
    gap = abs(X[known] - border.support_vectors_).max()
    return np.arange(X.shape[0]) if gap <= 1e-6 * max(1.0, abs(X[known]).max()) else None


def learned_model(
    table: Table,
    encoder: TableEncoder,
    classifier: Any,
    labels: Mapping[int, Any],
    *,
    stop_reasons: Mapping[str, str],
    metrics: Mapping[str, Any] | None = None,
    learned: Learned | None = None,
    points: Sequence[Sequence[float]] | None = None,
) -> Model:
    """Put together what a labelling session has learned.

    Parameters
    ----------
    table : Table
        The file that the rows are of.
    encoder : TableEncoder
        Encoder fitted to the table.
    classifier : estimator
        As `final_classifier` returns it, from labels that are text.
    labels : mapping of int to class
        Row to class, as told.
    stop_reasons : mapping of str to str
        Why asking ended.
    metrics : mapping, optional
        Figures of rows that were held out.
    learned : Learned or None, default=None
        Which classes are rare; None for the minority class of the classifier.
    points : sequence of [threshold, recall, precision], optional
        What thresholds are worth on the rows held out.

    Returns
    -------
    Model
        Can be saved, and judges rows of other files with these columns.
    """
    told = labels if learned is None else learned.labels
    kind = kind_of_labels(labels.values())
    kind = table.target_kind if kind == "str" else kind  # labels of a column are told as text
    counts = Counter(str(label) for label in told.values())
    own = str(classifier.minority_class_) if learned is None else learned.rare_class
    support = None
    if learned is not None and learned.fitted_rows is not None:
        order, one = learned.fitted_rows, np.array([next(iter(labels))])

        def name_rows(positions: NDArray[np.intp]) -> tuple[list[Any], list[Any]]:
            rows = order[positions]
            return table.written_ids(rows), [labels[int(row)] for row in rows]

        row = encoder.transform(table.take(one))
        support = describe_support(classifier, row, own, name_rows)
    manifest = build_manifest(
        method="learned",
        classifier=classifier,
        encoder=encoder,
        source=describe_source(table),
        classes=dict(sorted(counts.items())),
        rare_class=own,
        rare_classes=None if learned is None else learned.rare_classes,
        n_rows=len(labels),
        points=points,
        metrics=metrics,
        labels_used=len(labels),
        stop_reasons=stop_reasons,
        label_kind=kind,
        support_rows=support,
    )
    if (known := estimate_quality(classifier, own, len(labels))) is not None:
        manifest["estimate"] = known
    namer = None if learned is None else learned.namer
    return Model(encoder, classifier, manifest, namer=namer)
