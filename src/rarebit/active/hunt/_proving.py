"""The part of a hunt that proves: what the labels say about rows that nobody has looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rarebit._turns import in_turn
from rarebit.active._base import BaseAsker
from rarebit.active._checks import check_rows
from rarebit.active._queries import Draw, QueryReason
from rarebit.active.hunt._rarity import Rarity
from rarebit.active.hunt._urn import Urn
from rarebit.exceptions import InputError
from rarebit.statistics import (
    Guarantee,
    Ledger,
    ProofPath,
    guarantee,
    next_step,
    proof_path,
    proves_recall,
    shared_risk,
    unmet_ceiling,
)


class Proving(BaseAsker):
    """What a hunt proves: rows that left the urn, the draws among them, and the bounds."""

    target: float | None
    confidence: float

    _urn: Urn
    _rarity: Rarity
    _seed: int
    _block: tuple[list[int], int]  # audits of this block, and how many it shall have
    _version: int  # changes with everything that a bound depends on
    _held: dict[str, tuple[int, Any]]  # what was computed, with its version

    # --- statements ---------------------------------------------------------------------

    @in_turn
    def guarantee(self) -> Guarantee:
        """Return what the labels prove now: rare rows in the pool at most, recall at least.

        Returns
        -------
        Guarantee
            With ``total_max``, ``remaining_max``, ``recall_min``, ``audits``, ``hits`` and
            ``forecast(recall)``. It holds with the probability `confidence`, however often one
            looks, if the labels are right; it is about the rows of this pool.

        Examples
        --------
        >>> from rarebit import Hunt
        >>> from rarebit.datasets import make_malice_synthetic_1
        >>> X, y = make_malice_synthetic_1(random_state=0)
        >>> hunt = Hunt(goal="find", target=0.5, rare=1, random_state=0).start(X)
        >>> while not hunt.done:
        ...     rows = hunt.ask()
        ...     hunt.tell(rows, y[rows])
        >>> hunt.guarantee().recall_min >= 0.5
        True
        """
        self._check_started()
        return self._hold(
            "guarantee", lambda: guarantee(self._proof(), self._risk(), plan=self._plan())
        )

    @in_turn
    def proof_path(self, points: int = 60) -> ProofPath:
        """Return what was proved after each part of the labels, as the labels are now.

        Parameters
        ----------
        points : int, default=60
            Largest number of points, the last of which is `guarantee`.

        Returns
        -------
        ProofPath
            Recall, ceiling, rows found and audits by labels; `rarebit.report.draw_proof` draws it.
        """
        self._check_started()
        labels, rarity, urn = self._ledger.labels, self._rarity, self._urn

        def trace() -> ProofPath:
            since = len(urn.left) if rarity.since is None else rarity.since
            return proof_path(
                urn.outcomes(labels, rarity, rarity.meaning),
                self._proof().draws,
                urn.places(since),
                urn.n_rows,
                self._risk(),
                points=points,
            )

        return self._hold(f"path of {points}", trace)

    @property
    @in_turn
    def rare_(self) -> str:
        """The rare classes as they count now, in words."""
        self._check_started()
        return self._rarity.with_guess(self._usual_now).describe()

    @in_turn
    def is_rare(self, label: Any, *, anew: bool = True) -> bool:
        """Tell whether a class counts as rare now.

        Parameters
        ----------
        label : object
            The class.
        anew : bool, default=True
            Whether to look at the labels again where nobody named the rare classes; otherwise the
            last look counts, which is quicker.
        """
        self._check_started()
        return self._rarity.with_guess(self._usual_now, anew=anew)(label)

    @in_turn
    def guarantees(self) -> dict[Any, Guarantee]:
        """Return what is proved of each rare class that was named; all of it holds together.

        Returns
        -------
        dict
            Class to `Guarantee`; the classes share the risk. Empty unless ``rare`` names classes.
        """
        self._check_started()
        names = sorted(self._rarity.rare or (), key=str)
        each = shared_risk(self._risk(), max(1, len(names)))
        return {name: guarantee(self._ledger_of(name), each) for name in names}

    @in_turn
    def unmet_max(self) -> int:
        """Return how many rows can belong to classes that nobody has met.

        Returns
        -------
        int
            The largest number, with the probability `confidence`, however often one looks. It is a
            statement of its own: claimed together with others it needs its own part of the risk.
        """
        self._check_started()
        events = self._urn.events(self._ledger.labels, self._ledger.skipped)
        # The bound counts positions, so that rows that are not part of the pool do not matter.
        place = {one.row: at for at, one in enumerate(self._urn.left)}
        moved = [type(event)(**{**vars(event), "row": place[event.row]}) for event in events]
        return unmet_ceiling(moved, self._urn.n_rows, self._risk(), draws=("audit",))

    # --- rows that are not ours ---------------------------------------------------------

    @in_turn
    def exclude(self, rows: ArrayLike) -> None:
        """Take rows out of the pool before the first question: no statement is about them.

        Parameters
        ----------
        rows : int or array-like of int
            Rows such as those held out to measure a classifier. Skipped rows stay part of the
            pool, and count against every bound; these do not.
        """
        self._check_started()
        numbers = check_rows(rows, self._ledger.n_rows)
        if self._urn.left:
            raise InputError(
                "Rows can be excluded only before the first question and label, got "
                f"{len(self._urn.left):,} rows asked for or told: start again, then exclude."
            )
        self._urn.exclude(numbers)
        self._outside = sorted({*self._outside, *numbers})
        self._leave_out(numbers)
        self._ledger.skip(numbers)
        self._version += 1

    @in_turn
    def adopt(self, row: int, reason: str, draw: Draw | None = None) -> None:
        """Note that a row was asked for, as a store remembers it, without choosing it again.

        Parameters
        ----------
        row : int
            Row of the pool.
        reason : str
            Why it was asked for.
        draw : Draw or None, default=None
            Circumstances, if it was a uniform draw from all rows that nobody had been asked for.
            Where ``n`` is not the number of those rows now it was not, and does not count.
        """
        self._check_started()
        (number,) = check_rows(row, self._ledger.n_rows)
        if number not in self._urn:
            return
        valid = draw is not None and not draw.stratum and draw.n == len(self._urn)
        kept = draw if valid else None
        known = reason if reason in list(QueryReason) else "given"
        self._urn.leave(number, QueryReason(known), kept)
        self._ledger.ask(number, QueryReason(known), kept)
        self._version += 1

    # --- for the hunt -------------------------------------------------------------------

    def _classifier(self) -> Any:
        raise NotImplementedError

    def _pool(self, classifier: Any) -> Any:
        raise NotImplementedError

    def _usual_now(self) -> Any:
        """The class that most rows of the pool seem to have; None while one cannot tell."""
        raise NotImplementedError

    _outside: list[int]

    def _risk(self) -> float:
        # 1 - 0.95 is not 0.05 in binary; the risk that people mean is.
        return round(1.0 - self.confidence, 12)

    def _hold(self, name: str, compute: Any) -> Any:
        """Return what was computed of the present state, or compute it."""
        held = self._held.get(name)
        if held is None or held[0] != self._version:
            held = (self._version, compute())
            self._held[name] = held
        return held[1]

    def _settle(self) -> None:
        """Fix the rare classes from now on, by the labels at hand where nobody named them."""
        if self._rarity.since is None:
            self._rarity.guess(self._usual_now())
            self._rarity.fix(len(self._urn.left))

    def _proof(self) -> Ledger:
        """The ledger of the rare classes; without draws while these are not fixed."""
        since = self._rarity.since
        start = len(self._urn.left) if since is None else since
        return self._hold(
            "proof",
            lambda: self._urn.ledger(
                self._ledger.labels, self._rarity, start, self._rarity.meaning
            ),
        )

    def _plan(self) -> Ledger:
        """The ledger without rows that wait: what comes next is not forecast as if they hit."""
        waiting = set(self._ledger.pending)
        if not waiting or self._rarity.since is None:
            return self._proof()
        since, meaning = self._rarity.since, self._rarity.meaning
        return self._urn.ledger(self._ledger.labels, self._rarity, since, meaning, waiting)

    def _ledger_of(self, name: Any) -> Ledger:
        since = self._rarity.since or 0
        return self._urn.ledger(self._ledger.labels, lambda label: bool(label == name), since)

    def _is_proved(self) -> bool:
        if self.target is None:
            return False
        ledger = self._proof()
        return self._hold(
            "proved",
            lambda: proves_recall(
                ledger.draws,
                ledger.n_rows,
                ledger.known,
                self.target,
                self._risk(),
                known_negatives=ledger.known_negatives,
            ),
        )

    def _random(self) -> float:
        """A fresh uniform number for the next query; the same again when a run is repeated."""
        words = np.random.SeedSequence(self._seed, spawn_key=(len(self._urn.left),))
        return float(np.random.default_rng(words).random())

    def _draw(self, reason: QueryReason) -> tuple[int, QueryReason, Draw]:
        """Draw a row uniformly from all that nobody was asked for."""
        n_rows = len(self._urn)
        row = self._urn.nth(int(self._random() * n_rows))
        return row, reason, Draw(n_rows, self.target or 0.0)

    def _wants_audit(self) -> bool:
        """Whether the next query is an audit rather than a harvest."""
        labels = self._ledger.labels
        drawn, size = self._block
        hit = any(row in labels and self._rarity(labels[row]) for row in drawn)
        if len(drawn) < size and not hit:
            return True
        harvested = self._urn.harvested(labels, self._rarity, self._rarity.meaning)
        # Draws that wait, such as those of a page that was reloaded, are not hits: taken for rare,
        # they would have all other questions drawn at random.
        ledger = self._plan()
        step = next_step(harvested, ledger.draws, ledger.known, len(self._urn), self.target or 0.9)
        self._block = ([], step.rows if step.action == "audit" else 0)
        return step.action == "audit"
