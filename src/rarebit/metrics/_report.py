"""One table with everything that is worth knowing about a classifier of a rare class."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import multilabel_confusion_matrix

from ._minority import positive_class
from ._ranking import area_under_roc, average_precision, break_even
from ._rates import class_rates, g_mean_score
from ._validation import (
    as_plain,
    check_choice,
    check_classes,
    check_count,
    check_positive,
    check_predictions,
    check_same_length,
    check_scores,
)


class ClassReport(TypedDict):
    """Counts and rates of one class against the rest."""

    support: int
    predicted: int
    tp: int
    fp: int
    fn: int
    tn: int
    sensitivity: float
    specificity: float
    precision: float


class RareReport(TypedDict):
    """What ``rare_report(..., output="dict")`` returns."""

    n_rows: int
    positive_class: Any
    minority_class: Any
    classes: dict[Any, ClassReport]
    g_mean: float
    balanced_accuracy: float
    accuracy: float
    prbep: NotRequired[float]
    roc_auc: NotRequired[float]
    average_precision: NotRequired[float]
    notes: list[str]


@overload
def rare_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None = ...,
    *,
    pos_label: Any = ...,
    labels: ArrayLike | None = ...,
    output: Literal["text"] = ...,
    digits: int = ...,
) -> str: ...


@overload
def rare_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None = ...,
    *,
    pos_label: Any = ...,
    labels: ArrayLike | None = ...,
    output: Literal["dict"],
    digits: int = ...,
) -> RareReport: ...


def rare_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    output: Literal["text", "dict"] = "text",
    digits: int = 4,
) -> str | RareReport:
    """Counts and scores of every class, and which class is the rare one.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        True and predicted classes, two classes or more.
    y_score : array-like of shape (n_rows,), default=None
        The higher, the more the row looks like the positive class (the rare one, or `pos_label`).
        It is never inverted: ``minority_score`` of rarebit's classifiers is right as it is,
        ``decision_function`` has to be negated when the positive class is ``classes_[0]``.
    pos_label : str, int or bool, default=None
        The positive class. None takes the class with the fewest rows in `y_true` (of equally rare
        classes, the greatest label).
    labels : array-like, default=None
        All classes, in the order of the table. It may name classes that have no rows here.
    output : {"text", "dict"}, default="text"
        A table to print, or a dictionary of plain numbers.
    digits : int, default=4
        Decimals of the table, 0 to 15. The dictionary is not rounded.

    Returns
    -------
    str or dict
        For each class against the rest: rows (support), rows predicted, TP, FP, FN, TN,
        sensitivity, specificity and precision. For all: g-mean, balanced accuracy, accuracy; with
        `y_score` also PRBEP, ROC AUC and average precision of the positive class against the rest.
        Notes at the end say what is undefined in these rows.

    Notes
    -----
    Undefined values have a fixed meaning and never a warning. Sensitivity, precision, PRBEP and
    average precision are 0.0 when there is nothing to divide by, and so is the specificity of a
    class that has all rows. ROC AUC is 0.5 when `y_true` holds one side only. The g-mean is 0.0
    when a class has no rows; balanced accuracy is the mean over the classes that have rows.

    Examples
    --------
    >>> from rarebit.metrics import rare_report
    >>> truth = ["attack", "attack", "normal", "normal", "normal", "normal"]
    >>> guess = ["attack", "normal", "normal", "normal", "normal", "attack"]
    >>> print(rare_report(truth, guess, digits=2))
    Rare class: 'attack' (2 of 6 rows, 33.33 %)
    <BLANKLINE>
    class     support  predicted  TP  FP  FN  TN  sensitivity  specificity  precision
    'attack'        2          2   1   1   1   3         0.50         0.75       0.50
    'normal'        4          4   3   1   1   1         0.75         0.50       0.75
    <BLANKLINE>
    g-mean             0.61
    balanced accuracy  0.62
    accuracy           0.67
    >>> rare_report(truth, guess, output="dict")["minority_class"]
    'attack'
    """
    check_choice(output, "output", ("text", "dict"))
    if not 0 <= check_count(digits, "digits") <= 15:
        raise ValueError(
            "digits must be a number of decimals: an integer from 0 to 15 is allowed, got "
            f"{digits!r}; 4 is the default."
        )
    report = _measure(y_true, y_pred, y_score, pos_label, labels)
    return report if output == "dict" else _render(report, int(digits))


def _measure(
    y_true: ArrayLike, y_pred: ArrayLike, y_score: Any, pos_label: Any, labels: Any
) -> RareReport:
    true, predicted, _ = check_predictions(y_true, y_pred)
    classes = check_classes(labels, true, predicted)
    if pos_label is not None:
        classes = check_positive(pos_label, classes, named=labels is not None)
    positive = positive_class(true, classes, pos_label)
    sensitivity, specificity, support = class_rates(true, predicted, classes)

    rows: dict[Any, ClassReport] = {}
    matrices = multilabel_confusion_matrix(true, predicted, labels=classes)
    for label, matrix, found, left_alone in zip(
        classes, matrices, sensitivity, specificity, strict=True
    ):
        (tn, fp), (fn, tp) = matrix.astype(np.int64).tolist()  # floats where no row is right
        rows[as_plain(label)] = {
            "support": tp + fn,
            "predicted": tp + fp,
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "tn": tn,
            "sensitivity": float(found),
            "specificity": float(left_alone),
            "precision": tp / (tp + fp) if tp + fp else 0.0,
        }
    report: RareReport = {
        "n_rows": len(true),
        "positive_class": as_plain(positive),
        "minority_class": as_plain(positive_class(true, classes, None)),
        "classes": rows,
        "g_mean": g_mean_score(true, predicted, labels=classes),
        "balanced_accuracy": float(np.mean(sensitivity[support > 0])),
        "accuracy": float(np.mean(true == predicted)),
        "notes": [],
    }
    if y_score is not None:
        scores = check_scores(y_score, "y_score")
        check_same_length(true, scores, "y_true and y_score")
        is_positive = np.zeros(len(true), dtype=bool) if positive is None else true == positive
        report["prbep"] = break_even(is_positive, scores)
        report["roc_auc"] = area_under_roc(is_positive, scores)
        report["average_precision"] = average_precision(is_positive, scores)
    report["notes"] = _notes(report)
    return report


def _notes(report: RareReport) -> list[str]:
    """Say which numbers are a convention rather than a measurement, and what looks wrong."""
    notes = []
    for label, row in report["classes"].items():
        if row["support"] == 0:
            notes.append(
                f"{label!r} has no rows: its sensitivity and the g-mean are 0 by definition."
            )
        if row["support"] == report["n_rows"]:
            notes.append(
                f"{label!r} has all rows: its specificity and the g-mean are 0 by definition."
            )
        if row["predicted"] == 0:
            notes.append(f"{label!r} is never predicted: its precision is 0 by definition.")
    if "roc_auc" in report:
        positive = report["positive_class"]
        size = 0 if positive is None else report["classes"][positive]["support"]
        if size == 0:
            notes.append(
                "No row is positive: PRBEP and average precision are 0, ROC AUC 0.5 by definition."
            )
        elif size == report["n_rows"]:
            notes.append("Every row is positive: ROC AUC is 0.5 by definition.")
        elif report["roc_auc"] < 0.5:
            notes.append(
                f"ROC AUC is below 0.5: the scores rank {positive!r} below the other rows. "
                "Nothing useful was learned, unless the scores are higher for another class."
            )
    return notes


def _render(report: RareReport, digits: int) -> str:
    rates = ["sensitivity", "specificity", "precision"]
    header = ["class", "support", "predicted", "TP", "FP", "FN", "TN", *rates]
    table = [header]
    for label, row in report["classes"].items():
        cells = [
            f"{value:.{digits}f}" if isinstance(value, float) else str(value)
            for value in row.values()
        ]
        table.append([repr(label), *cells])
    widths = [max(len(line[column]) for line in table) for column in range(len(header))]
    lines = [_headline(report), ""]
    for first, *others in table:
        numbers = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *numbers]))
    lines.append("")

    summary = [
        ("g-mean", report["g_mean"]),
        ("balanced accuracy", report["balanced_accuracy"]),
        ("accuracy", report["accuracy"]),
    ]
    if "roc_auc" in report:
        summary += [
            ("PRBEP", report["prbep"]),
            ("ROC AUC", report["roc_auc"]),
            ("average precision", report["average_precision"]),
        ]
    width = max(len(name) for name, _ in summary)
    lines += [f"{name.ljust(width)}  {value:.{digits}f}" for name, value in summary]
    if report["notes"]:
        lines += ["", *(f"Note: {note}" for note in report["notes"])]
    return "\n".join(lines)


def _headline(report: RareReport) -> str:
    minority, positive, n_rows = (
        report["minority_class"],
        report["positive_class"],
        report["n_rows"],
    )
    if minority is None:
        return f"Rare class: none; all {n_rows} rows are true and predicted {_only(report)!r}"
    size = report["classes"][minority]["support"]
    # Four significant digits: one row in 100,000 must not print as 0.00 %.
    line = f"Rare class: {minority!r} ({size} of {n_rows} rows, {100 * size / n_rows:.4g} %)"
    return line if positive == minority else f"{line}; positive class: {positive!r}"


def _only(report: RareReport) -> Any:
    return next(iter(report["classes"]))
