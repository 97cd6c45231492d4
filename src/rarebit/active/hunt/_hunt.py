"""Hunt: find the rare rows, learn their border, prove how many were found, with shared labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from rarebit._choices import GOALS
from rarebit._turns import in_turn
from rarebit.active._base import Choice
from rarebit.active._columns import ColumnTable
from rarebit.active._protocol import Asker, Learner, check_protocol
from rarebit.active._queries import Draw, QueryReason
from rarebit.active._row_pool import RowPool
from rarebit.active.border import BorderLearner
from rarebit.active.explorers import Scout
from rarebit.active.hunt._asking import Asking
from rarebit.active.hunt._checks import check_share
from rarebit.active.hunt._pool_ranking import PoolRanking
from rarebit.active.hunt._ranking import Ranking
from rarebit.active.hunt._rarity import Rarity, class_names
from rarebit.active.hunt._sentences import certified_sentence, proof_sentence
from rarebit.active.hunt._urn import Urn
from rarebit.exceptions import InputError, InputTypeError


class Hunt(Asking):
    """Find the rare rows of a pool, learn to tell them apart, and prove how many were found.

    Until two classes are known an explorer asks. Then it takes turns with a learner: while new
    classes keep turning up, every second question is the explorer's; when it has found nothing
    for twice as long as its longest successful search, every tenth. For people who want the rare
    rows themselves, the highest score comes first (*harvest*). With a target, rows drawn uniformly
    from all that nobody was asked for (*audits*) prove how much was found. All learn every label.

    Parameters
    ----------
    explorer : Asker or None, default=None
        Finds classes; a `Scout` when None.
    learner : Learner or None, default=None
        Learns to tell them apart; a `BorderLearner` when None. Any estimator that keeps the
        `Learner` protocol will do. It sees the pool as it is, so bring the features to one scale
        first.
    goal : {"both", "learn", "find"}, default="both"
        ``"learn"`` asks for a classifier, ``"find"`` for the rare rows: harvest only, ranked by an
        SVM with the learner's kernel and its own cost and weights. ``"both"`` harvests with
        every second question of the learner.
    target : float or None, default=None
        Recall to prove. None asks for no audits; ``goal="find"`` is then done when every row has
        an answer. With a target the hunt is done when it is proved.
    confidence : float, default=0.95
        Probability that what is proved is right, at all times at once.
    rare, normal : class, list of classes or None, default=None
        The rare classes, or those that are not. Where neither is named, every class counts as rare
        but the one that most rows seem to have; it is fixed before the first audit.
    first : array-like of shape (n_rows,) or None, default=None
        Scores of the rows, such as their likeness to a description, by which they are asked for
        until a rare row and another one are known; the highest first.
    random_state : int, RandomState or None, default=None
        Seed of the audits.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.
    pending_ : ndarray of int of shape (n_pending,)
        Rows that wait for an answer, in the order asked.
    queries_ : list of Query
        Every row ever asked for, in the order asked, with the reason and, for uniform draws, their
        circumstances.
    classifier_ : object
        The classifier of the learner, fitted on the rows labelled so far.
    explorer_, learner_ : Asker, Learner
        Those at work: copies of the parameters.

    Examples
    --------
    >>> from rarebit import Hunt
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> hunt = Hunt().start(X)
    >>> for _ in range(40):
    ...     rows = hunt.ask()
    ...     hunt.tell(rows, y[rows])
    >>> sorted(hunt.discovered_)
    [0, 1]
    >>> hunt.classifier_.predict(X).shape
    (1010,)
    """

    def __init__(
        self,
        explorer: Asker | None = None,
        learner: Learner | None = None,
        goal: str = "both",
        target: float | None = None,
        confidence: float = 0.95,
        rare: Any = None,
        normal: Any = None,
        first: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.explorer = explorer
        self.learner = learner
        self.goal = goal
        self.target = target
        self.confidence = confidence
        self.rare = rare
        self.normal = normal
        self.first = first
        self.random_state = random_state

    # --- the asker ----------------------------------------------------------------------

    def _open_pool(self, X: Any) -> int:
        learner: Any = BorderLearner(random_state=0) if self.learner is None else self.learner
        explorer: Any = self.explorer
        if explorer is None:
            explorer = Scout(n_jobs=getattr(learner, "n_jobs", None))
        check_protocol(explorer, learner=False, parameter="explorer")
        check_protocol(learner, learner=True, parameter="learner")
        if self.goal not in GOALS:
            raise InputError(
                f"The goal parameter must be one of {', '.join(GOALS)}, got {self.goal!r}: pass "
                "one of these."
            )
        if self.target is not None:
            check_share(self.target, "target")
        check_share(self.confidence, "confidence")
        if X is None:
            raise InputTypeError(
                "start takes the rows of the pool, numbers of shape (n_rows, n_features), got "
                "None: pass them."
            )
        n_rows = X.n_rows if isinstance(X, RowPool) else int(_num_samples(X))
        if self.first is not None and np.shape(self.first) != (n_rows,):
            raise InputError(
                f"The first parameter must hold one score per row ({n_rows:,}), got shape "
                f"{np.shape(self.first)}: pass scores of the rows that start is given."
            )
        self._rarity = Rarity(class_names(self.rare, "rare"), class_names(self.normal, "normal"))
        if self.random_state is None:
            self._seed = int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
        else:
            self._seed = int(check_random_state(self.random_state).randint(2**31))
        self.explorer_, self.learner_ = clone(explorer), clone(learner)
        return n_rows

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self.explorer_.start(X, given)
        self.learner_.start(X, given)
        self._asked_by_explorer = set()
        self._vain = self._longest = 0
        self._n_turns = self._n_learner_turns = 0
        ranking = PoolRanking if isinstance(X, RowPool) else Ranking
        self._ranking = ranking(X, self.learner_)
        self._urn = Urn(self._ledger.n_rows)
        self._guessed_at = (0, 0)
        self._outside = []
        self._frozen, self._n_frozen = None, 0
        self._block = ([], 0)
        self._version, self._held = 0, {}
        for row in given:
            self._urn.leave(row, QueryReason.GIVEN)
        super()._learn_labels(given)

    def _next_queries(self, n: int) -> Sequence[Choice]:
        chosen: list[tuple[int, QueryReason, Draw | None]] = []
        while len(chosen) < n and len(self._urn) and not self.done:
            waiting = {*self._ledger.pending, *(choice[0] for choice in chosen)}
            choice = self._ask_one(waiting)
            if choice is None:
                break
            chosen.append(choice)
            self._urn.leave(*choice)
            self._version += 1
        return chosen

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        rows, labels = list(told), list(told.values())
        n_known = len(self._ledger.discovered)
        replaces = any(row in self._ledger.labels for row in rows)
        self.explorer_.tell(rows, labels, replace=replaces)
        for row in rows:
            self._urn.leave(row, QueryReason.GIVEN)
        super()._learn_labels(told)
        self._urn.touch(rows)
        self._version += 1
        self.learner_.tell(rows, labels, replace=replaces)
        self._vain += sum(row in self._asked_by_explorer for row in rows)
        if len(self._ledger.discovered) > n_known:
            self._longest = max(self._longest, self._vain)
            self._vain = 0

    def _leave_out(self, rows: Iterable[int]) -> None:
        left_out = list(rows)
        self.explorer_.skip(left_out)
        self.learner_.skip(left_out)
        for row in left_out:
            self._urn.leave(row, QueryReason.GIVEN)
        self._version += 1

    def _take_back(self, rows: Sequence[int]) -> None:
        self.explorer_.retract(rows)
        self.learner_.retract(rows)
        super()._take_back(rows)
        self._urn.touch(rows)
        self._version += 1
        self._vain = self._longest = 0
        seen: set[Any] = set()
        for row, label in self._ledger.labels.items():
            self._vain += row in self._asked_by_explorer
            if label not in seen:
                seen.add(label)
                self._longest = max(self._longest, self._vain)
                self._vain = 0

    def _is_done(self) -> bool:
        """Whether what was wanted is reached, or nothing is left to ask for."""
        if super()._is_done():
            return True
        if self._frozen is not None:
            return self._is_certified()
        if self.target is not None:
            return self._is_proved() and (self.goal != "learn" or self._has_learned())
        return self.goal != "find" and self._has_learned()

    # --- results ------------------------------------------------------------------------

    @property
    @in_turn
    def classifier_(self) -> Any:
        """The classifier of the learner, fitted on the rows labelled so far."""
        self._check_started()
        return self.learner_.classifier_

    @property
    @in_turn
    def history_(self) -> ColumnTable:
        """A table with a row per label.

        ``n_labels``, ``row``, ``label``, ``how`` it came, and the ``n`` and ``kappa`` of uniform
        draws, NaN for rows that were chosen in any other way.
        """
        table = super().history_
        queries = [self._ledger.query_of(int(row)) for row in table["row"]]
        draws = [None if query is None else query.draw for query in queries]
        nothing = float("nan")
        return ColumnTable(
            {
                **{name: table[name] for name in table},
                "n": np.array([nothing if draw is None else draw.n for draw in draws], dtype=float),
                "kappa": np.array(
                    [nothing if draw is None else draw.kappa for draw in draws], dtype=float
                ),
            }
        )

    @property
    @in_turn
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        if not self.done:
            return {}
        reasons = self._reasons()
        if unmet := self.unmet():
            reasons["unmet"] = unmet
        return reasons

    def _reasons(self) -> dict[str, str]:
        """Return why asking is over."""
        reasons = {}
        if self.target is not None and self._is_proved():
            reasons["proved"] = proof_sentence(self.guarantee(), self._rarity.describe())
        if self._frozen is not None and self._is_certified():
            reasons["certified"] = certified_sentence(self._certified())
        if self.explorer_.done:
            reasons |= dict(self.explorer_.status().reasons)
        if "exhausted" in reasons:
            return reasons  # nothing else matters, and nothing is left to be advised
        if len(self._ledger.discovered) < 2 or (reasons and not self._has_learned()):
            return reasons
        if not self.explorer_.done and self._is_dry():
            reasons["dry"] = self._vain_sentence()
        return {**reasons, **self.learner_.stop_reasons_}

    @in_turn
    def rank(self) -> NDArray[np.intp]:
        """Return the rows without a label, those first that look rare most.

        Returns
        -------
        ndarray of int of shape (n_rows - n_labels,)
            Rows, ranked by the SVM that harvests; by their number while it cannot learn.
        """
        self._check_started()
        known = self._ledger.labels
        rarity = self._rarity.with_guess(self._usual_now)
        if not any(rarity(label) for label in self._ledger.discovered):
            return np.array([row for row in range(self.n_rows_) if row not in known], dtype=np.intp)
        return self._ranking.ranked(known, rarity, self._urn)
