"""The part of a hunt that chooses the next question, and says what it is for."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rarebit._turns import in_turn
from rarebit.active._protocol import Asker, Learner
from rarebit.active._queries import Draw, QueryReason
from rarebit.active.border import BorderLearner
from rarebit.active.explorers import RandomExplorer, Scout, is_dry
from rarebit.active.hunt._judging import Judging
from rarebit.active.hunt._ranking import Ranker
from rarebit.active.hunt._sentences import describe_activity, unmet_sentence

# Questions of the explorer in ten, while new classes turn up and when they have ceased to.
_SHARE_RISING = 5
_SHARE_DRY = 1
# Rows that tell which class is the usual one, and the growth of the labels after which they do so
# again.
_SAMPLE = 2000
_GROWTH = 1.5
# Random rows that say which class is usual where a score chose the others, and rows by score before
# each of them.
_VOTES = 3
_PER_VOTE = 2

_ENOUGH_TO_MEET = 50  # labels without a class that was named, after which that is told
_UNIFORM = (BorderLearner, RandomExplorer)
_DRAWN = (QueryReason.RANDOM, QueryReason.RANDOM_START)
Chosen = tuple[int, QueryReason, Draw | None]


class Asking(Judging):
    """What a hunt asks next: to explore, on the border, to harvest, or to prove."""

    goal: str
    first: ArrayLike | None
    explorer_: Asker
    learner_: Learner

    _asked_by_explorer: set[int]
    _vain: int  # answers to the explorer's questions since a class was last new
    _longest: int  # of the searches that found one
    _n_turns: int
    _n_learner_turns: int
    _ranking: Ranker
    _guessed_at: tuple[int, int]  # labels and classes at the last guess of the usual class

    def _has_learned(self) -> bool:
        """Whether neither the explorer nor the learner has anything worth asking."""
        if len(self._ledger.discovered) < 2:
            return self.explorer_.done
        return self.learner_.done and (self.explorer_.done or self._is_dry())

    # --- turns --------------------------------------------------------------------------

    def _ask_one(self, waiting: set[int]) -> Chosen | None:
        if self._frozen is not None:
            return self._draw_to_judge()
        self._guess_usual()
        if not self._can_hunt():
            return self._explore(waiting)
        if self.goal == "find" or (self.target is not None and self._has_learned()):
            if self.target is not None and self._audit_next():
                choice = self._draw(QueryReason.AUDIT)
                self._block[0].append(choice[0])
                return choice
            return self._harvest()
        return self._take_turns(waiting)

    def _audit_next(self) -> bool:
        audits = self._wants_audit()
        if audits:
            self._settle()
        return audits

    def _can_hunt(self) -> bool:
        """Whether labels say enough for more than exploration."""
        if self.goal == "find":
            return self._can_rank()
        return len(self._ledger.discovered) >= 2

    def _can_rank(self) -> bool:
        """Whether a rare row is known; without named classes it takes two classes to know.

        Where there is a score to begin with, another row has to be known, too.
        """
        rare = [self._rarity(label) for label in self._ledger.discovered]
        return any(rare) and (self.first is None or not all(rare))

    def _explore(self, waiting: set[int]) -> Chosen | None:
        if self.first is not None:
            if self._needs_votes():
                return self._draw(QueryReason.RANDOM)
            rows = self._urn.rows
            scores = np.asarray(self.first, dtype=np.float64)[rows]
            return int(rows[int(scores.argmax())]), QueryReason.EXPLORE, None
        if self._ranking.is_sparse and isinstance(self.explorer_, Scout):
            # Distances between texts find the first rare row later than chance does.
            return self._draw(QueryReason.RANDOM)
        return self._ask_in_turn([self.explorer_, self.learner_], waiting)

    def _take_turns(self, waiting: set[int]) -> Chosen | None:
        share = _SHARE_DRY if self._is_dry() else _SHARE_RISING
        # Spread over ten turns evenly: turns 0, 2, 4, … or turn 0 alone.
        explore = self._n_turns * share % 10 < share
        explore = (explore and not self.explorer_.done) or self.learner_.done
        self._n_turns += 1
        if explore:
            return self._ask_in_turn([self.explorer_, self.learner_], waiting)
        self._n_learner_turns += 1
        if self.goal == "both" and self._n_learner_turns % 2 == 0 and self._can_rank():
            return self._harvest()
        return self._ask_in_turn([self.learner_, self.explorer_], waiting)

    def _ask_in_turn(self, askers: list[Any], waiting: set[int]) -> Chosen | None:
        for asker in askers:
            if asker.done:
                continue
            # A row that waits because the other one asked for it is passed over.
            while (rows := asker.ask()).size and int(rows[0]) in waiting:
                pass
            if rows.size:
                row, reason = int(rows[0]), asker.queries_[-1].reason
                if asker is self.explorer_:
                    self._asked_by_explorer.add(row)
                # These two draw uniformly from all rows they know to be open, and a draw of a row
                # that waits is repeated: that is uniform over the urn. A subclass may choose
                # otherwise under the same name, and a proof must not believe it.
                uniform = reason in _DRAWN and type(asker) in _UNIFORM
                draw = Draw(len(self._urn), self.target or 0.0) if uniform else None
                return row, reason, draw
        return None

    def _harvest(self) -> Chosen:
        row = self._ranking.first(self._ledger.labels, self._rarity, self._urn)
        return row, QueryReason.HARVEST, None

    # --- which class is usual -----------------------------------------------------------

    def _guess_usual(self) -> None:
        """Guess the usual class when labels have grown; questions depend on when that is."""
        if self._rarity.since is not None:
            return
        classes, n_labels = self._ledger.discovered, len(self._ledger.labels)
        due = n_labels >= _GROWTH * self._guessed_at[0] or len(classes) != self._guessed_at[1]
        if due or self._rarity.usual not in classes:
            self._rarity.guess(self._usual_now())
            self._guessed_at = (n_labels, len(classes))

    def _needs_votes(self) -> bool:
        """Whether a random row is due, because nobody named the rare classes."""
        if self._rarity.since is not None:
            return False
        drawn = [row for row in self._urn.drawn if row not in self._ledger.skipped]
        chosen = len(self._urn.left) - len(self._urn.drawn)
        return len(drawn) < _VOTES and chosen >= _PER_VOTE * (len(drawn) + 1)

    def _usual_now(self) -> Any:
        """The class of most rows by the classifier: labels are chosen to hold many rare rows."""
        classes = self._ledger.discovered
        if len(classes) < 2:
            return None
        if self.first is not None:
            # Rows that were chosen to be rare made the rare class the most common one among the
            # labels, and among the predictions of whatever learned from them.
            known = self._ledger.labels
            votes = Counter(known[row] for row in self._urn.drawn if row in known)
            if votes.total() >= _VOTES:
                return max(classes, key=lambda name: votes[name])
            if self.goal == "find":
                return None
        step = max(1, self._ledger.n_rows // _SAMPLE)
        judge = self.learner_.classifier_
        counts = Counter(judge.predict(self._ranking.rows_for(judge, step)).tolist())
        labelled = Counter(self._ledger.labels.values())
        return max(classes, key=lambda name: (counts[name], labelled[name]))

    def _classifier(self) -> Any:
        return self.learner_.classifier_

    def _pool(self, classifier: Any) -> Any:
        return self._ranking.rows_for(classifier)

    # --- status -------------------------------------------------------------------------

    def _is_dry(self) -> bool:
        return is_dry(self._vain, self._longest)

    def _phase(self) -> str:
        if self._frozen is not None:
            return "certify"
        if not self._can_hunt():
            return "explore"
        if self.goal == "find" or (self.target is not None and self._has_learned()):
            # One word for harvest and audit: nothing may tell an audit before it is answered.
            return "prove" if self.target is not None else "harvest"
        return "border" if self.explorer_.done or self._is_dry() else "both"

    def _activity(self) -> str:
        phase = "done" if self.done else self._phase()
        vain = self._vain_sentence().removesuffix(".")
        return describe_activity(
            phase,
            harvests=self.goal == "both",
            explorer_done=self.explorer_.done,
            vain=vain if self._is_dry() else "",
            unmet=self.unmet().removesuffix(".") if self._should_have_met() else "",
        )

    @in_turn
    def unmet(self) -> str:
        """Say which classes that were named nobody has met; empty if there is none."""
        met, n_labels = self._ledger.discovered, len(self._ledger.labels)
        unmet = self._rarity.unmet(met) if n_labels else []
        return unmet_sentence(unmet, met, n_labels, done=self.done) if unmet else ""

    def _should_have_met(self) -> bool:
        """Whether named classes that nobody has met are worth a word: names may be misspelt."""
        ledger = self._ledger
        return len(ledger.discovered) > 1 or len(ledger.labels) >= _ENOUGH_TO_MEET

    def _vain_sentence(self) -> str:
        return f"The last {self._vain:,} questions of the explorer found no new class."
