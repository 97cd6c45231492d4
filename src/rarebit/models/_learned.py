"""A model from labels that people or a column gave in a labelling session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rarebit.models._file import current_versions
from rarebit.models._model import Model
from rarebit.models._train import _plain_parameters
from rarebit.tables import Table, TableEncoder


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
    classifier : KernelSVC
        ``classifier_`` of a `BorderLearner` or a `Hunt`, whose labels are text.
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
