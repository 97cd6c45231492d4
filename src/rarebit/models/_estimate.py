"""Recall and precision of a model that nobody measured on rows held out: estimated, and said so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarebit._text import counted


def estimate_quality(classifier: Any, rare_class: str, n_labels: int) -> dict[str, Any] | None:
    """Return what labels that a learner chose say of thresholds over the whole pool.

    Parameters
    ----------
    classifier : estimator
        Fitted; a `BlendedClassifier` has such points.
    rare_class : str
        The class that the score of the model refers to.
    n_labels : int
        Labels that the classifier was fitted to.

    Returns
    -------
    dict or None
        ``labels``, ``recall`` and ``precision`` at the threshold of the classifier, and ``points``
        as `operating_points` returns them; None where nothing can be estimated.
    """
    points = getattr(classifier, "pool_points_", None)
    if points is None or not len(points) or str(classifier.minority_class_) != rare_class:
        return None
    # Of two classes the second needs a score above 0, and the first is called at 0 as well.
    classes = classifier.classes_
    at_zero = len(classes) == 2 and str(classes[0]) == rare_class
    called = [point for point in points.tolist() if point[0] > 0.0 or (at_zero and point[0] == 0.0)]
    recall, precision = called[-1][1:] if called else (0.0, None)
    return {
        "labels": n_labels,
        "recall": recall,
        "precision": precision,
        "points": points.tolist(),
    }


def estimate_sentences(manifest: Mapping[str, Any], *, proves: bool = False) -> list[str]:
    """Say what is estimated of a model, and that it is no measurement; nothing without estimate.

    Parameters
    ----------
    manifest : mapping
        As ``manifest`` of `Model`.
    proves : bool, default=False
        Whether a recall is proved beside it, so that this need not be advised.

    Returns
    -------
    list of str
        Whole sentences.
    """
    known = manifest.get("estimate")
    if known is None or manifest.get("metrics") is not None:
        return []
    rare = manifest["rare_class"]
    if known["precision"] is None:
        said = f"Estimate: no row would be called {rare!r} at the threshold of the model."
    else:
        said = (
            f"Estimate: the model calls about {100 * known['recall']:.0f} % of the {rare!r} rows "
            f"{rare!r} (recall), and about {100 * known['precision']:.0f} % of the rows that it "
            f"calls {rare!r} really are (precision)."
        )
    advice = "" if proves else "; --recall proves a recall"
    return [
        said,
        f"This is not a measurement: it comes from {counted(known['labels'], 'label')} that the "
        "learner chose and from its own probabilities for the other rows. rarebit evaluate "
        f"measures on labelled rows of another file{advice}.",
    ]


def is_estimate(manifest: Mapping[str, Any]) -> bool:
    """Return whether a precision or recall of the model is looked up in an estimate."""
    return not manifest.get("operating_points") and bool(manifest.get("estimate"))
