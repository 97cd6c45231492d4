"""From which score on a row counts as the rare class."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

Floats = NDArray[np.float64]
Aim = Literal["own", "g-mean", "break-even", "sensitivity", "specificity", "value"]
_WORDS: tuple[Aim, ...] = ("own", "g-mean", "break-even")
_RATES: tuple[Aim, ...] = ("sensitivity", "specificity")


@dataclass(frozen=True)
class Threshold:
    """What a threshold is to reach.

    Parameters
    ----------
    aim : {"own", "g-mean", "break-even", "sensitivity", "specificity", "value"}
        The classifier's own border; the greatest g-mean; precision equal to sensitivity; a
        sensitivity or a specificity of at least ``value``; or ``value`` itself.
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
        """Read ``own``, ``g-mean``, ``break-even``, ``sensitivity=0.9`` or a number."""
        for aim in _WORDS:
            if text == aim:
                return cls(aim)
        name, equals, number = text.partition("=")
        with suppress(ValueError):
            if not equals:
                return cls("value", float(text))
            for aim in _RATES:
                if name == aim and 0.0 < float(number) <= 1.0:
                    return cls(aim, float(number))
        raise ValueError(
            "A threshold must be own, g-mean, break-even, sensitivity=RATE, specificity=RATE with "
            f"a rate between 0 and 1, or a number, got {text!r}; correct it."
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
