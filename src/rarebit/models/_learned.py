"""A model from labels that people or a column gave in a labelling session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from rarebit.classifiers import BaggedSVC
from rarebit.models._file import current_versions
from rarebit.models._methods import make_classifier
from rarebit.models._model import Model
from rarebit.models._train import _plain_parameters
from rarebit.svm import KernelSVC
from rarebit.tables import Table, TableEncoder

# Labels of the rarer class from which on bags are drawn from them.
LEAST_FOR_BAGS = 10


def last_classifier(
    border: KernelSVC,
    X: Any,
    labels: Mapping[int, Any],
    method: str = "auto",
    random_state: int | None = 0,
) -> KernelSVC | BaggedSVC:
    """Choose the classifier that a labelling session ends in.

    The machine that asks weighs all errors alike, which is what finds the border; as a classifier
    it misses rare rows. Balanced bags of the same labels do not: on letter-A, satimage-4, ecoli,
    glass and waveform their g-mean is 1 to 57 points higher.

    Parameters
    ----------
    border : KernelSVC
        ``classifier_`` of a `BorderLearner` or a `Hunt`.
    X : array or CSR matrix
        All rows of the pool.
    labels : mapping of int to str
        Row to class, as told.
    method : {"auto", "bagged", "border"}, default="auto"
        ``"auto"`` takes bags for two classes with ten labels or more of each, else the border's
        own machine.
    random_state : int or None, default=0
        Of the bags.

    Returns
    -------
    BaggedSVC or KernelSVC
        Fitted.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import KernelSVC
    >>> from rarebit.models import last_classifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> labels = dict(enumerate(y[:150]))
    >>> type(last_classifier(KernelSVC().fit(X[:150], y[:150]), X, labels)).__name__
    'BaggedSVC'
    """
    counts = Counter(labels.values())
    if method == "auto":
        enough = len(counts) == 2 and min(counts.values()) >= LEAST_FOR_BAGS
        method = "bagged" if enough else "border"
    if method == "border":
        return border
    rows = np.array(list(labels))
    bags: BaggedSVC = make_classifier(
        method,
        random_state,
        kernel=border.kernel,
        C=border.C,
        gamma=border.gamma,
        degree=border.degree,
        coef0=border.coef0,
    )
    return bags.fit(X[rows], np.array(list(labels.values())))


def learned_model(
    table: Table,
    encoder: TableEncoder,
    classifier: Any,
    labels: Mapping[int, Any],
    *,
    stop_reasons: Mapping[str, str],
    metrics: Mapping[str, Any] | None = None,
) -> Model:
    """Put together what a labelling session has learned.

    Parameters
    ----------
    table : Table
        The file that the rows are of.
    encoder : TableEncoder
        Fitted to it.
    classifier : KernelSVC or BaggedSVC
        As `last_classifier` gives it, from labels that are text.
    labels : mapping of int to str
        Row to class, as told.
    stop_reasons : mapping of str to str
        Why asking ended.
    metrics : mapping, optional
        Figures of rows that were held out.

    Returns
    -------
    Model
        Can be saved, and judges rows of other files with these columns.
    """
    counts = Counter(str(label) for label in labels.values())
    manifest = {
        "format": 1,
        "method": "learned",
        "parameters": _plain_parameters(classifier),
        "classes": dict(sorted(counts.items())),
        "rare_class": str(classifier.minority_class_),
        "threshold": None,
        "threshold_aim": "own",
        "columns": dict(encoder.schema_),
        "dropped": dict(encoder.dropped_),
        "missing": dict(encoder.missing_),
        "n_features": encoder.n_features_,
        "target": table.target_name,
        "id": None if table.id_name == "row" else table.id_name,
        "text": table.text,
        "source": {
            "file": table.source,
            "rows": len(labels),
            "rows_without_class": table.n_rows - len(labels),
            "sha256": table.fingerprint,
        },
        "metrics": None if metrics is None else dict(metrics),
        "versions": current_versions(),
        "labels_used": len(labels),
        "stop_reasons": dict(stop_reasons),
    }
    return Model(encoder, classifier, manifest)
