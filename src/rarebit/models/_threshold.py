"""From which score on a row counts as the rare class."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

Floats = NDArray[np.float64]
Aim = Literal["own", "g-mean", "break-even", "sensitivity", "specificity", "precision", "value"]
_WORDS: tuple[Aim, ...] = ("own", "g-mean", "break-even")
_RATES: dict[str, Aim] = {
    "sensitivity": "sensitivity",
    "recall": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
}


@dataclass(frozen=True)
class Threshold:
    """What a threshold is to reach.

    Parameters
    ----------
    aim : {"own", "g-mean", "break-even", "sensitivity", "specificity", "precision", "value"}
        The classifier's own border; the greatest g-mean; precision equal to sensitivity; a
        sensitivity (recall), a specificity or a precision of at least ``value``; or ``value``
        itself.
    value : float, default=0.0
        A rate, or the threshold.

    Examples
    --------
    >>> Threshold.parse("sensitivity=0.9")
    Threshold(aim='sensitivity', value=0.9)
    """

    aim: Aim = "own"
    value: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read ``own``, ``g-mean``, ``break-even``, ``recall=0.9``, ``precision=0.8``, a number."""
        for aim in _WORDS:
            if text == aim:
                return cls(aim)
        name, equals, number = text.partition("=")
        with suppress(ValueError):
            if not equals and not math.isnan(float(text)):
                return cls("value", float(text))
            if name in _RATES and 0.0 < float(number) <= 1.0:
                return cls(_RATES[name], float(number))
        hint = ": alarms=NUMBER is for predict and evaluate" if name == "alarms" else ""
        raise ValueError(
            "A threshold must be own, g-mean, break-even, precision=RATE, recall=RATE (also called "
            "sensitivity=RATE) or specificity=RATE with a rate between 0 and 1, or a number, got "
            f"{text!r}{hint}."
        )

    @property
    def needs_scores(self) -> bool:
        """Whether it is chosen on rows that the classifier has not seen."""
        return self.aim not in ("own", "value")

    def choose(self, rare: NDArray[np.bool_], scores: Any) -> float | None:
        """Return the score from which on a row counts as rare; None for the classifier's own.

        Parameters
        ----------
        rare : ndarray of bool
            Whether each row is of the rare class.
        scores : ndarray of float
            The higher, the rarer, of rows that the classifier has not seen.
        """
        if self.aim == "own":
            return None
        if self.aim == "value":
            return self.value
        if self.aim == "break-even":
            precision, recall, cuts = precision_recall_curve(rare, scores)
            return float(cuts[np.argmin(np.abs(precision[:-1] - recall[:-1]))])
        if self.aim == "precision":
            precision, _, cuts = precision_recall_curve(rare, scores)
            enough = np.flatnonzero(precision[:-1] >= self.value)
            # The lowest cut finds most; above all scores nothing is called rare.
            return float(cuts[enough[0]] if len(enough) else np.nextafter(np.max(scores), np.inf))
        false, true, cuts = roc_curve(rare, scores, drop_intermediate=False)
        # The first cut is infinite: nothing is rare.
        false, true, cuts = false[1:], true[1:], cuts[1:]
        if self.aim == "g-mean":
            return float(cuts[np.argmax(true * (1.0 - false))])
        if self.aim == "sensitivity":
            reached = np.flatnonzero(true >= self.value)
            return float(cuts[reached[0]])
        reached = np.flatnonzero(1.0 - false >= self.value)
        if not len(reached):
            return float(np.nextafter(cuts[0], np.inf))
        return float(cuts[reached[-1]])


_MOST_POINTS = 256


def operating_points(rare: NDArray[np.bool_], scores: Any) -> list[list[float]]:
    """Return what thresholds are worth on rows held out, to choose one when a model is used.

    Parameters
    ----------
    rare : ndarray of bool of shape (n_rows,)
        Whether each row is of the rare class.
    scores : ndarray of shape (n_rows,)
        The higher, the rarer, of rows that the classifier has not seen.

    Returns
    -------
    list of [threshold, recall, precision]
        The highest threshold first, at scores of rare rows; 256 at most.

    Examples
    --------
    >>> import numpy as np
    >>> operating_points(np.array([True, False, True]), np.array([3.0, 2.0, 1.0]))
    [[3.0, 0.5, 1.0], [1.0, 1.0, 0.6666666666666666]]
    """
    values = np.asarray(scores, dtype=np.float64)
    cuts = np.unique(values[rare])[::-1]
    if len(cuts) > _MOST_POINTS:
        cuts = cuts[np.linspace(0, len(cuts) - 1, _MOST_POINTS).round().astype(int)]
    points = []
    for cut in cuts.tolist():
        called = values >= cut
        hits = int(np.sum(called & rare))
        points.append([cut, hits / int(rare.sum()), hits / int(called.sum())])
    return points


def threshold_from_points(points: Any, text: str) -> float:
    """Return the threshold that reaches a precision or a recall on the rows held out.

    Parameters
    ----------
    points : sequence of [threshold, recall, precision]
        As `operating_points` returns them.
    text : str
        ``"precision=0.8"``, ``"recall=0.9"``, ``"break-even"`` or a number.

    Returns
    -------
    float
        Of all thresholds with the precision the lowest, of all with the recall the highest; for
        break-even the one where the two differ least.
    """
    try:
        wanted = Threshold.parse(text)
    except ValueError:
        wanted = Threshold()  # the sentence below lists what a model in use takes
    if text.startswith("alarms="):
        raise ValueError(
            f"How high {text} lies depends on the rows: give it to decide or predict of the model "
            "with the rows, or to rarebit predict and evaluate."
        )
    if wanted.aim == "value":
        return wanted.value
    if wanted.aim not in ("precision", "sensitivity", "break-even"):
        raise ValueError(
            "The threshold of a model in use must be precision=RATE or recall=RATE (also called "
            "sensitivity=RATE) with a rate between 0 and 1, break-even, alarms=NUMBER or a number, "
            f"got {text!r}: give one of these."
        )
    if not points:
        raise ValueError(
            f"The model has neither rows held out nor an estimate to look up {text}: give "
            "alarms=NUMBER or a number, or fit it with rows held out, or learn it with the method "
            "blend from five or more rare labels and at least as many others."
        )
    if wanted.aim == "break-even":
        return float(min(points, key=lambda point: abs(point[1] - point[2]))[0])
    column, least = (2 if wanted.aim == "precision" else 1), wanted.value
    reached = [point for point in points if point[column] >= least]
    if not reached:
        best = max(point[column] for point in points)
        raise ValueError(
            f"No threshold of this model reached {text} on rows that it had not seen, the best is "
            f"{best:.3f}: ask for less, or give a number or alarms=NUMBER."
        )
    return float(reached[-1][0] if wanted.aim == "precision" else reached[0][0])


def score_of_rank(scores: NDArray[np.float64], rank: int) -> float:
    """Return the score from which on so many rows are rare.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Scores of all rows.
    rank : int
        Number of rows. Rows of equal scores share their fate: there are fewer rather than more.

    Examples
    --------
    >>> import numpy as np
    >>> score_of_rank(np.array([0.5, 3.0, 1.0, 1.0]), 2)
    3.0
    """
    if rank >= len(scores):
        return float(scores.min(initial=np.inf))
    best = np.sort(scores)[::-1]
    if best[rank] < best[rank - 1]:
        return float(best[rank - 1])
    above = best[best > best[rank]]
    return float(above[-1] if len(above) else np.nextafter(best[0], np.inf))


def n_alarms(text: str) -> int | None:
    """Return the number of ``alarms=NUMBER``; None for any other threshold."""
    name, _, number = text.partition("=")
    if name != "alarms":
        return None
    if not number.isdecimal() or int(number) < 1:
        raise ValueError(f"alarms must be a whole number from 1, got {number!r}: give one.")
    return int(number)
