"""A frozen classifier, and the draws in two strata that judge it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._queries import Draw
from rarebit.active.hunt._urn import Urn
from rarebit.statistics import Certificate, RowEvent, certificate, certificates

HIGH, LOW = "high", "low"
# Draws that are planned at a time, as a share of those made, and at least so many.
PLANNED = 0.1
FEWEST = 10
CLAIMS = ("recall", "g_mean", "precision")
RARE, OTHER = "a rare row that is imagined", "another row that is imagined"


@dataclass
class Frozen:
    """What was true at the freeze.

    Attributes
    ----------
    high : ndarray of bool of shape (n_rows,)
        Rows that the classifier calls rare.
    members : ndarray of bool of shape (n_rows,)
        Rows without a label at the freeze: those of the two strata.
    since : int
        Rows that had left the urn.
    version : int
        How many classifiers were frozen on this pool, this one included.
    targets : dict of str to float
        Bounds to reach: ``"recall"``, and perhaps ``"precision"`` and ``"g_mean"``.
    classes : dict of hashable to ndarray of int
        Rare class to the rows predicted to be of it, where that is to be judged class by class.
    each : bool
        Whether the bounds of each class are to reach the targets, not those of all together.
    """

    high: NDArray[np.bool_]
    members: NDArray[np.bool_]
    since: int
    version: int
    targets: dict[str, float]
    classes: dict[Hashable, NDArray[np.intp]]
    each: bool = False
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
        urn: Urn,
        labels: Mapping[int, Any],
        events: list[RowEvent],
        is_rare: Callable[[Any], bool],
        risk: float,
    ) -> Certificate:
        """Return the bounds, and whether they reach the targets."""
        known, undone = self._known(urn, labels)
        told = {event.label for event in events if event.label is not None}
        proved = certificate(
            events,
            high=np.flatnonzero(self.members & self.high).tolist(),
            low=np.flatnonzero(self.members & ~self.high).tolist(),
            rare={label for label in told if is_rare(label)},
            found=sum(count for label, count in known.items() if is_rare(label)),
            n_rows=urn.n_rows,
            risk=self.share_of(risk),
            claims=CLAIMS,
            draws=("audit",),
            undone=undone,
        )
        return replace(proved, done=self._gap(proved) <= 0.0)

    def certificates(
        self, urn: Urn, labels: Mapping[int, Any], events: list[RowEvent], risk: float
    ) -> dict[Hashable, Certificate]:
        """Return the bounds of each class; all hold together."""
        known, undone = self._known(urn, labels)
        each = certificates(
            events,
            high={name: rows[self.members[rows]].tolist() for name, rows in self.classes.items()},
            low=np.flatnonzero(self.members & ~self.high).tolist(),
            found={name: known[name] for name in self.classes},
            n_rows=urn.n_rows,
            risk=self.share_of(risk),
            claims=CLAIMS,
            draws=("audit",),
            undone=undone,
        )
        return {name: replace(one, done=self._gap(one) <= 0.0) for name, one in each.items()}

    def _known(self, urn: Urn, labels: Mapping[int, Any]) -> tuple[Counter[Any], int]:
        """Return rows with a label at the freeze by class, as it is now, and those without one.

        A label that was corrected since counts as it is now; one that was taken back may be rare.
        """
        rows = [one.row for one in urn.left[: self.since] if not self.members[one.row]]
        known = Counter(labels[row] for row in rows if row in labels)
        return known, sum(row not in labels for row in rows)

    def _widest_gap(
        self,
        urn: Urn,
        labels: Mapping[int, Any],
        events: list[RowEvent],
        is_rare: Callable[[Any], bool],
        risk: float,
    ) -> float:
        if self.each:
            return max(map(self._gap, self.certificates(urn, labels, events, risk).values()))
        return self._gap(self.certificate(urn, labels, events, is_rare, risk))

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
            gaps.append(0.0 if bound is None else target - bound)
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
        made = [
            (one.row, one.draw.stratum)
            for one in urn.left[self.since :]
            if one.draw and one.draw.stratum
        ]
        name, until = self.plan
        if len(made) < until and name in open_:
            return name
        counts = {name: sum(stratum == name for _, stratum in made) for name in open_}
        steps = max(FEWEST, int(PLANNED * len(made)))
        gaps = {}
        for name in open_:
            rows = left[name][:steps]
            hits = [labels[row] for row, stratum in made if stratum == name and row in labels]
            wrong = sum(is_rare(label) != (name == HIGH) for label in hits)
            bad = round(len(rows) * wrong / (len(hits) + 1.0))
            gaps[name] = self._widest_gap(
                urn,
                labels,
                [*events, *self._imagined(rows, name == HIGH, bad)],
                lambda label: label == RARE or (label != OTHER and is_rare(label)),
                risk,
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

    def _imagined(self, rows: NDArray[np.intp], high: bool, bad: int) -> list[RowEvent]:
        """Draws as they would turn out if the rate of bad rows stayed as it is."""
        # Where classes are judged one by one, rows are of the class that they are predicted to be.
        right = {int(row): name for name, all_ in self.classes.items() for row in all_.tolist()}
        made = []
        for at, row in enumerate(rows.tolist()):
            made.append(RowEvent("ask", row, reason="audit"))
            rare = high != (at < bad)
            name = right.get(row, RARE) if self.each else RARE
            made.append(RowEvent("label", row, name if rare else OTHER))
        return made
