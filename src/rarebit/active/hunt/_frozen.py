"""A frozen classifier, and the draws in two strata that judge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._queries import Draw
from rarebit.active.hunt._urn import Urn
from rarebit.statistics import Certificate, RowEvent, certificate

HIGH, LOW = "high", "low"
# Draws that are planned at a time, as a share of those made, and at least so many.
PLANNED = 0.1
FEWEST = 10


@dataclass
class Frozen:
    """What was true at the freeze.

    Attributes
    ----------
    high : ndarray of bool of shape (n_rows,)
        Rows that the classifier calls rare.
    members : ndarray of bool of shape (n_rows,)
        Rows without a label at the freeze: those of the two strata.
    found : int
        Rare rows confirmed at the freeze.
    since : int
        Rows that had left the urn.
    version : int
        How many classifiers were frozen on this pool, this one included.
    targets : dict of str to float
        Bounds to reach: ``"recall"``, and perhaps ``"precision"`` and ``"g_mean"``.
    """

    high: NDArray[np.bool_]
    members: NDArray[np.bool_]
    found: int
    since: int
    version: int
    targets: dict[str, float]
    plan: tuple[str, int] = ("", 0)  # stratum, and draws made in both when the plan ends

    def share_of(self, risk: float) -> float:
        """Return the part of the risk that this version has; those of all versions add up."""
        return risk * 6.0 / (pi * self.version) ** 2

    def events(
        self, urn: Urn, labels: Mapping[int, Any], skipped: Mapping[int, None]
    ) -> list[RowEvent]:
        """Return what happened in the strata since the freeze, as the labels are now."""
        made: list[RowEvent] = []
        for at, (row, reason, draw) in enumerate(urn.left):
            if not self.members[row]:
                continue
            counts = at >= self.since and draw is not None and draw.stratum != ""
            made.append(
                RowEvent(
                    "ask",
                    row,
                    reason="audit" if counts else ("given" if draw else str(reason)),
                    n=draw.n if counts and draw is not None else None,
                )
            )
            if row in labels:
                made.append(RowEvent("label", row, labels[row]))
            elif row in skipped:
                made.append(RowEvent("skip", row))
        return made

    def certificate(
        self,
        events: list[RowEvent],
        is_rare: Callable[[Any], bool],
        n_rows: int,
        risk: float,
    ) -> Certificate:
        """Return the bounds, and whether they reach the targets."""
        rare = {event.label for event in events if event.label is not None}
        proved = certificate(
            events,
            high=np.flatnonzero(self.members & self.high).tolist(),
            low=np.flatnonzero(self.members & ~self.high).tolist(),
            rare={label for label in rare if is_rare(label)},
            found=self.found,
            n_rows=n_rows,
            risk=self.share_of(risk),
            claims=("recall", "g_mean", "precision"),
            draws=("audit",),
        )
        return replace(proved, done=self._gap(proved) <= 0.0)

    def _gap(self, proved: Certificate) -> float:
        """How far the bound that lags most is from its target."""
        bounds = {
            "recall": proved.recall_min,
            "precision": proved.precision_min,
            "g_mean": proved.g_mean_min,
        }
        gaps = []
        for name, target in self.targets.items():
            bound = bounds[name]
            # Without a row called rare there is no precision to prove.
            gaps.append(0.0 if bound is None or np.isnan(bound) else target - bound)
        return max(gaps)

    def free(self, urn: Urn, stratum: str) -> NDArray[np.intp]:
        """Rows of a stratum that nobody was asked for."""
        rows = urn.rows
        inside = self.members[rows] & (self.high[rows] == (stratum == HIGH))
        return rows[inside]

    def next_stratum(
        self,
        urn: Urn,
        labels: Mapping[int, Any],
        events: list[RowEvent],
        is_rare: Callable[[Any], bool],
        risk: float,
    ) -> str | None:
        """Choose the stratum whose draws bring the bounds closer to their targets."""
        left = {name: self.free(urn, name) for name in (HIGH, LOW)}
        open_ = [name for name in (HIGH, LOW) if len(left[name])]
        if len(open_) < 2:
            return open_[0] if open_ else None
        made = [one for one in urn.left[self.since :] if one.draw and one.draw.stratum]
        name, until = self.plan
        if len(made) < until and name in open_:
            return name
        counts = {name: sum(one.draw.stratum == name for one in made) for name in open_}  # type: ignore[union-attr]
        steps = max(FEWEST, int(PLANNED * len(made)))
        gaps = {}
        for name in open_:
            rows = left[name][:steps]
            hits = [labels[o.row] for o in made if o.draw.stratum == name and o.row in labels]  # type: ignore[union-attr]
            wrong = sum(is_rare(label) != (name == HIGH) for label in hits)
            bad = round(len(rows) * wrong / (len(hits) + 1.0))
            gaps[name] = self._gap(
                self.certificate(
                    [*events, *_imagined(rows, name == HIGH, bad)],
                    lambda label: label is RARE or (label is not OTHER and is_rare(label)),
                    urn.n_rows,
                    risk,
                )
            )
        if gaps[HIGH] == gaps[LOW]:
            chosen = min(open_, key=lambda name: counts[name] / len(left[name]) ** 0.5)
        else:
            chosen = min(open_, key=lambda name: gaps[name])
        self.plan = (chosen, len(made) + steps)
        return chosen

    def draw(self, urn: Urn, stratum: str, at: float) -> tuple[int, Draw]:
        """Draw a row of a stratum; ``at`` is a uniform number from 0 to 1."""
        rows = self.free(urn, stratum)
        return int(rows[int(at * len(rows))]), Draw(len(rows), 0.0, stratum)


RARE, OTHER = "a rare row that is imagined", "another row that is imagined"


def _imagined(rows: NDArray[np.intp], high: bool, bad: int) -> list[RowEvent]:
    """Draws as they would turn out if the rate of bad rows stayed as it is."""
    made = []
    for at, row in enumerate(rows.tolist()):
        made.append(RowEvent("ask", row, reason="audit"))
        wrong = at < bad
        made.append(RowEvent("label", row, RARE if high != wrong else OTHER))
    return made
