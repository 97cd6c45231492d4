"""The part of a hunt that judges a frozen classifier."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarebit._turns import in_turn
from rarebit.active._checks import check_rows
from rarebit.active._queries import Draw, QueryReason
from rarebit.active.hunt._checks import CertificateError, check_share, plain
from rarebit.active.hunt._frozen import Frozen
from rarebit.active.hunt._proving import Proving
from rarebit.statistics import Certificate, RowEvent


class Judging(Proving):
    """What a hunt proves of a classifier that no longer changes."""

    _frozen: Frozen | None
    _n_frozen: int

    @property
    @in_turn
    def frozen_(self) -> NDArray[np.intp] | None:
        """Rows that the frozen classifier calls rare; None while none is frozen."""
        self._check_started()
        return None if self._frozen is None else np.flatnonzero(self._frozen.high)

    @in_turn
    def certify(
        self,
        classifier: Any = None,
        *,
        recall: float | None = None,
        precision: float | None = None,
        g_mean: float | None = None,
        each: bool = False,
    ) -> None:
        """Freeze a classifier; `ask` then draws the rows that judge it.

        Parameters
        ----------
        classifier : estimator or None, default=None
            Predicts the classes of the pool's rows; ``classifier_`` when None. Only what it says
            now counts.
        recall : float or None, default=None
            Recall to prove, of labels and predictions together; ``target`` when None, or 0.9.
        precision, g_mean : float or None, default=None
            Further bounds to reach before `done`.
        each : bool, default=False
            Whether the bounds are to be reached for each of the classes that ``rare`` names, by
            `certificates`, rather than for all of them together, by `certificate`.

        Notes
        -----
        Draws from before the freeze may have trained the classifier and do not judge it. Every
        classifier that is frozen has its own part of the risk: the first one 61 %, and fewer
        later.
        """
        self._check_started()
        wanted = {"recall": recall if recall is not None else self.target or 0.9}
        wanted |= {"precision": precision} if precision is not None else {}
        wanted |= {"g_mean": g_mean} if g_mean is not None else {}
        for name, share in wanted.items():
            check_share(share, name)
        names = self._named(each)
        judged = self._classifier() if classifier is None else classifier
        self._settle()
        said = np.asarray(judged.predict(self._pool(judged)))
        if said.shape != (self._ledger.n_rows,):
            raise CertificateError(
                f"The classifier must predict one class per row of the pool "
                f"({self._ledger.n_rows:,}), got an array of shape {said.shape}: pass one that "
                "takes the rows that start was given."
            )
        classes = [plain(name) for name in said]
        high = np.flatnonzero([self._rarity(name) for name in classes])
        self.freeze(high, wanted, [classes[row] for row in high] if names else None, each=each)

    @in_turn
    def freeze(
        self,
        rows: ArrayLike,
        targets: Mapping[str, float],
        classes: Sequence[Any] | None = None,
        *,
        each: bool = False,
    ) -> None:
        """Judge the prediction that some rows are rare and the others are not; see `certify`.

        Parameters
        ----------
        rows : array-like of int
            Rows that are predicted rare.
        targets : mapping of str to float
            Bounds to reach: ``"recall"``, ``"precision"``, ``"g_mean"``.
        classes : sequence or None, default=None
            Class that each of the rows is predicted to be of, one of those that ``rare`` names;
            None where classes are not judged one by one.
        each : bool, default=False
            Whether each class is to reach the bounds.
        """
        self._check_started()
        self._settle()
        numbers = check_rows(np.asarray(rows, dtype=np.intp), self._ledger.n_rows)
        high = np.zeros(self._ledger.n_rows, dtype=np.bool_)
        high[numbers] = True
        by_class: dict[Hashable, NDArray[np.intp]] = {}
        if classes is not None:
            if len(classes) != len(numbers) or not set(classes) <= set(names := self._named(True)):
                raise CertificateError(
                    f"The classes parameter must name one of the rare classes per row "
                    f"({len(numbers):,}), got {len(classes):,} names: pass what each row is "
                    "predicted to be."
                )
            for name in names:
                mine = [row for row, one in zip(numbers, classes, strict=True) if one == name]
                by_class[name] = np.array(mine, dtype=np.intp)
        members = np.ones(self._ledger.n_rows, dtype=np.bool_)
        members[list(self._ledger.labels)] = False
        members[self._outside] = False
        self._n_frozen += 1
        self._frozen = Frozen(
            high=high,
            members=members,
            since=len(self._urn.left),
            version=self._n_frozen,
            targets=dict(targets),
            classes=by_class,
            each=each and classes is not None,
        )
        self._version += 1

    @in_turn
    def certificate(self) -> Certificate:
        """Return what the draws since `certify` prove about the frozen classifier.

        Returns
        -------
        Certificate
            With ``recall_min``, ``precision_min``, ``g_mean_min``, which hold together, and
            ``done``.
        """
        self._check_started()
        frozen, labels = self._judged(), self._ledger.labels
        return self._hold(
            "certificate",
            lambda: frozen.certificate(
                self._urn, labels, self._events(frozen), self._rarity, self._risk()
            ),
        )

    @in_turn
    def certificates(self) -> dict[Any, Certificate]:
        """Return what the draws since `certify` prove of each rare class that was named.

        Returns
        -------
        dict
            Class to `Certificate`; the classes share the risk, so that all bounds hold together.
            Beside those of `certificate` they are a statement of their own. Empty unless ``rare``
            names classes.
        """
        self._check_started()
        frozen, labels = self._judged(), self._ledger.labels
        return self._hold(
            "certificates",
            lambda: frozen.certificates(self._urn, labels, self._events(frozen), self._risk()),
        )

    @in_turn
    def release(self) -> None:
        """End the judging of a classifier; `ask` continues with the hunt."""
        self._check_started()
        self._frozen = None
        self._version += 1

    @in_turn
    def restart_proof(self) -> None:
        """Let no draw so far prove anything: for rare classes that were named after them.

        Labels and finds stay, and so does a classifier that is being judged: its certificates
        have classes of their own, which were fixed with it.
        """
        self._check_started()
        self._rarity.restart(len(self._urn.left))
        self._block = ([], 0)
        self._version += 1

    def _judged(self) -> Frozen:
        if self._frozen is None:
            raise CertificateError(
                "No classifier is frozen, so there is nothing to certify: call certify first."
            )
        return self._frozen

    def _events(self, frozen: Frozen) -> list[RowEvent]:
        return frozen.events(self._urn, self._ledger.labels, self._ledger.skipped)

    def _is_certified(self) -> bool:
        """Whether the bounds of the frozen classifier reach what was wanted."""
        return all(one.done for one in self._certified())

    def _certified(self) -> list[Certificate]:
        """What is proved of the frozen classifier, class by class where that was wanted."""
        each = self._judged().each
        return [*self.certificates().values()] if each else [self.certificate()]

    def _named(self, needed: bool) -> list[Any]:
        """The rare classes that the caller named, sorted; empty where none was."""
        names = sorted(self._rarity.rare or (), key=str)
        if needed and not names:
            raise CertificateError(
                "Classes can be judged one by one where the rare ones are named, got none: pass "
                "rare=[...] to Hunt."
            )
        return names

    def _draw_to_judge(self) -> tuple[int, QueryReason, Draw] | None:
        """Draw a row of one stratum of the frozen classifier."""
        frozen = self._frozen
        assert frozen is not None
        labels: Mapping[int, Any] = self._ledger.labels
        events = self._events(frozen)
        stratum = frozen.next_stratum(self._urn, labels, events, self._rarity, self._risk())
        if stratum is None:
            return None
        row, draw = frozen.draw(self._urn, stratum, self._random())
        return row, QueryReason.AUDIT, draw
