"""The part of a project that proves what was found, and judges a frozen classifier."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import Explorer, Hunt
from rarebit.projects._answering import Answering
from rarebit.projects._called import CalledRare, count_called
from rarebit.projects._errors import ProjectError
from rarebit.projects._outcome import why_no_model
from rarebit.projects._preparing import RowsElsewhere
from rarebit.projects._proofs import ClassProof, Proof, make_proof, proved_by
from rarebit.projects._rare_classes import one_class_note, rare_classes
from rarebit.projects._searching import SearchProgress, search_progress
from rarebit.projects.stores import Event, Store
from rarebit.statistics import Certificate, Guarantee, ProofPath, Repeats
from rarebit.tables import Table

# Points of the path in a status, and the growth of the answers after which it is drawn again.
_POINTS = 40
_GROWTH = 1.02


class ProvingProject(Answering):
    """What a project can say about rows that nobody has looked at.

    Attributes
    ----------
    asker : Explorer or Hunt
        What asks.
    store : Store
        Where answers, draws and frozen classifiers are.
    features : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    """

    asker: Explorer | Hunt
    store: Store
    features: Any
    table: Table
    held_out: NDArray[np.intp]
    _traced: tuple[int, ProofPath] | None = None  # answers then, and the path
    _bounded: tuple[int, dict[str, Any]] | None = None  # answers then, and other bounds
    _counted: tuple[Any, dict[str, int]] | None = None  # the column, and rows by class

    @abstractmethod
    def _learned(self) -> Any:
        """Return the final classifier and its model."""

    def guarantee(self) -> Guarantee:
        """Return what the labels prove: rare rows at most, recall at least, what more would cost.

        Returns
        -------
        Guarantee
            Computed from the store as it is: the same history gives the same bounds to the bit.
        """
        with self._lock:
            self._queue.catch_up()
            return proved_by(self._hunt("prove anything"))

    def certify(
        self,
        *,
        recall: float | None = None,
        precision: float | None = None,
        g_mean: float | None = None,
        each: bool = False,
    ) -> None:
        """Freeze the final classifier of the labels at hand; `question` then judges it.

        What it says of each row is stored, so that it stays the same whatever is learned later.

        Parameters
        ----------
        recall : float or None, default=None
            Recall to certify, of labels and predictions together; the setting `recall` when None,
            or 0.9.
        precision, g_mean : float or None, default=None
            Further bounds to reach.
        each : bool, default=False
            Whether the bounds are to be reached for each of the classes that the setting `rare`
            names, by `certificates`, rather than for all of them together, by `certificate`. The
            classifier that is frozen is then the learner's, which tells the classes apart.
        """
        with self._lock:
            hunt = self._hunt("certify a classifier")
            if each and not self.settings.rare:
                raise ProjectError(
                    "Classes can be certified one by one where the rare ones are named, got none: "
                    "open the project with the setting 'rare'."
                )
            targets = {"recall": recall or self.settings.recall or 0.9}
            targets |= {"precision": precision} if precision is not None else {}
            targets |= {"g_mean": g_mean} if g_mean is not None else {}
            for name, share in targets.items():
                if not 0.0 < share < 1.0:
                    raise ProjectError(
                        f"The {name} to certify must lie between 0 and 1, got {share!r}: give a "
                        "share such as 0.9."
                    )
            names = {str(name) for name in hunt.discovered_ if hunt.is_rare(name)}
            # The final classifier has one class for all rare ones; the learner tells them apart.
            learned = None if each else self._learned()
            judged = hunt.classifier_ if learned is None else learned.classifier
            if learned is not None:
                names.add(str(learned.model.rare_class))
            if isinstance(self.table, RowsElsewhere):
                predicted = self.features.predict(judged)
            else:
                predicted = judged.predict(self.features)
            said = [str(name) for name in predicted]
            high = np.flatnonzero([name in names for name in said]).tolist()
            data: dict[str, Any] = {"high": high, "targets": targets}
            if each:
                named = list(self.settings.rare)
                data |= {"classes": [said[row] for row in high], "named": named, "each": True}
            self.store.append_many([Event(0, "certify", data=data)])
            self._queue.catch_up()

    def certificate(self) -> Certificate:
        """Return what is proved of the frozen classifier: recall, precision, g-mean.

        Returns
        -------
        Certificate
            Bounds that hold together.
        """
        with self._lock:
            self._queue.catch_up()
            return self._hunt("certify a classifier").certificate()

    def certificates(self) -> dict[Any, Certificate]:
        """Return what is proved of the frozen classifier for each rare class that was named.

        Returns
        -------
        dict
            Class to `Certificate`; all bounds hold together. Empty unless `certify` was called
            with ``each=True``.
        """
        with self._lock:
            self._queue.catch_up()
            return self._hunt("certify a classifier").certificates()

    def release(self) -> None:
        """End the judging of the frozen classifier; `question` continues as before."""
        with self._lock:
            self._hunt("certify a classifier")
            self.store.append_many([Event(0, "certify", data={"release": True})])
            self._queue.catch_up()

    def why_no_model(self) -> str:
        """Return which labels `finish` still needs, as a clause; empty where it makes a model."""
        with self._lock:
            self._queue.catch_up()
            return why_no_model(self.asker.discovered_, self.settings)

    def called_rare(self) -> CalledRare | None:
        """Return how many rows without a label the final classifier calls rare.

        Returns
        -------
        CalledRare or None
            Counted, or estimated from 20,000 of them; None where rows stay on other machines.
        """
        if isinstance(self.table, RowsElsewhere):
            return None
        with self._lock:
            model = self._learned().model
            known = self._queue.questions.labels
            is_open = np.ones(self.table.n_rows, dtype=bool)
            is_open[[*known, *self.held_out]] = False
            rows = np.flatnonzero(is_open)
            return count_called(model, self.features, rows)

    def one_class_note(self, name_them: str = "Name them ('rare', 'normal')") -> str:
        """Say that the final classifier has one rare class where the search has several.

        Parameters
        ----------
        name_them : str
            How readers name the rare classes.

        Returns
        -------
        str
            A sentence; empty where both mean the same.
        """
        with self._lock:
            hunt, model = self._hunt("make a model"), self._learned().model
            return one_class_note(
                rare_classes(self.settings, hunt), hunt.discovered_, model.rare_class, name_them
            )

    # --- inside -------------------------------------------------------------------------

    def _hunt(self, what: str) -> Hunt:
        if not isinstance(self.asker, Hunt):
            raise ProjectError(
                f"This project looks for classes only and cannot {what}: open it with the setting "
                "task='learn'."
            )
        return self.asker

    def _proof(self) -> Proof | None:
        if not isinstance(self.asker, Hunt):
            return None
        limit = self.settings.max_labels
        proof = make_proof(
            proved_by(self.asker),
            self.asker.rare_,
            target=self.settings.recall,
            labels_left=None
            if limit is None
            else max(0, limit - len(self._queue.questions.labels)),
            repeats=self._repeats(self.asker) if self.settings.repeats else None,
            **self._beside(self.asker),
        )
        return replace(proof, given=min(proof.found, self._given_rare(self.asker)))

    def _beside(self, hunt: Hunt) -> dict[str, Any]:
        """Bounds of single classes and of unmet ones; as old as the path, since they take long."""
        if self.settings.recall is None:
            return {}
        n_events = len(self._queue.questions.answers.events)
        if self._bounded is None or self._is_old(self._bounded[0], n_events):
            each = hunt.guarantees() if len(self.settings.rare) > 1 else {}
            classes = tuple(
                ClassProof(str(name), one.found, one.total_max, one.recall_min)
                for name, one in each.items()
            )
            self._bounded = (n_events, {"unmet_max": hunt.unmet_max(), "by_class": classes})
        return self._bounded[1]

    def _is_old(self, then: int, now: int) -> bool:
        return now < then or now >= _GROWTH * then or bool(self.asker.done)

    def _path(self) -> ProofPath | None:
        """What was proved when; drawn again when answers have grown, because it takes a moment."""
        if not isinstance(self.asker, Hunt) or self.settings.recall is None:
            return None
        n_events = len(self._queue.questions.answers.events)
        if self._traced is None or self._is_old(self._traced[0], n_events):
            self._traced = (n_events, self.asker.proof_path(_POINTS))
        assert self._traced is not None
        return self._traced[1]

    def _found(self) -> tuple[list[int], int, int | None]:
        """Answers that were asked for, 1 for rare; rows of the pool; the rare ones where known."""
        hunt = self.asker
        assert isinstance(hunt, Hunt)
        questions = self._queue.questions
        names = {label: hunt.is_rare(label, anew=False) for label in hunt.discovered_}
        known = questions.given & set(questions.labels)
        hits = [int(names[label]) for row, label in questions.labels.items() if row not in known]
        n_rows = self.table.n_rows - len(self.held_out) - len(known)
        classes = self._truth()
        if classes is None:
            return hits, n_rows, None
        total = sum(n for name, n in classes.items() if hunt.is_rare(name, anew=False))
        total -= sum(names[questions.labels[row]] for row in known)
        return hits, n_rows, max(total, sum(hits))

    def _truth(self) -> dict[str, int] | None:
        """Rows of each class in the pool; None unless a column knows the class of every row."""
        target = self.table.target
        # A column of rows elsewhere is not read as a whole.
        if self.settings.oracle is None or not isinstance(target, np.ndarray):
            return None
        if self._counted is None or self._counted[0] is not target:
            pool = np.ones(self.table.n_rows, dtype=np.bool_)
            pool[self.held_out] = False
            names, counts = np.unique(np.asarray(target)[pool].astype(str), return_counts=True)
            self._counted = (target, dict(zip(names.tolist(), counts.tolist(), strict=True)))
        return None if "" in self._counted[1] else self._counted[1]

    def _search(self) -> SearchProgress | None:
        if not isinstance(self.asker, Hunt):
            return None
        return search_progress(*self._found(), self._given_rare(self.asker))

    def _given_rare(self, hunt: Hunt) -> int:
        """Count the rare rows that were known beforehand."""
        questions = self._queue.questions
        labels = [questions.labels[row] for row in questions.given & set(questions.labels)]
        return sum(hunt.is_rare(label, anew=False) for label in labels)

    def _repeats(self, hunt: Hunt) -> Repeats:
        """Count blind second answers by what the rows were called first."""
        questions = self._queue.questions
        counts = {(first, changed): 0 for first in (True, False) for changed in (True, False)}
        for row, event in questions.repeated.items():
            first = questions.first_labels.get(row)
            if first is not None and event.label is not None:
                before, after = hunt.is_rare(first), hunt.is_rare(event.label)
                counts[before, before != after] += 1
        return Repeats(
            rare=counts[True, False] + counts[True, True],
            rare_changed=counts[True, True],
            normal=counts[False, False] + counts[False, True],
            normal_changed=counts[False, True],
        )
