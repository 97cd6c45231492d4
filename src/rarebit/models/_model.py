"""A model: features, classifier, threshold, and what is known of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import name_list, whole_names
from rarebit.metrics import minority_scores
from rarebit.models._decisions import Decisions
from rarebit.models._estimate import is_estimate
from rarebit.models._label_kinds import as_given
from rarebit.models._rare import (
    Names,
    as_names,
    choose_rare,
    margin_of,
    name_margins,
    scores_of_each,
    union_name,
)
from rarebit.models._reading import ReadingWarning
from rarebit.models._threshold import n_alarms, score_of_rank, threshold_from_points
from rarebit.models._validation import Judged, decide
from rarebit.tables import Table, TableEncoder, as_table, emptied_note


@dataclass(eq=False, repr=False)
class Model:
    """What `train_model` returns and `save_model` writes.

    Attributes
    ----------
    encoder : TableEncoder
        Makes features of a table.
    classifier : estimator
        Decides on features.
    manifest : dict
        Plain values, as JSON has them: ``method``, ``classes`` (rows of each), ``rare_class``,
        ``rare_classes`` (rows of each class that it stands for), ``threshold``, ``columns``,
        ``target``, ``source`` (file, rows, fingerprint), ``metrics``, ``operating_points``,
        ``versions``.
    warnings : list of str
        What differs between the computer that saved the model and this one.
    judged : Judged or None
        What was decided on rows held out while training; not saved.
    namer : KernelSVC or None
        Tells several rare classes apart; None where one class is rare.

    See Also
    --------
    load_model : Reads one from a file.
    """

    encoder: TableEncoder
    classifier: Any
    manifest: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    judged: Judged | None = None
    namer: Any = None

    @property
    def rare_class(self) -> str:
        """The class that the score refers to; several have one name, such as ``"a or b"``."""
        return str(self.manifest["rare_class"])

    @property
    def rare_classes(self) -> tuple[str, ...]:
        """The classes that the rare class stands for."""
        return tuple(self.manifest["rare_classes"])

    @property
    def classes(self) -> tuple[str, ...]:
        """All classes that rows can be decided to be of."""
        others = [name for name in self.manifest["classes"] if name != self.rare_class]
        return (*self.rare_classes, *others)

    @property
    def reading(self) -> dict[str, Any]:
        """Options of `rarebit.tables.scan_table` for files that this model judges.

        Columns, and how their cells are written, are those of the training file; the columns that
        are known and not needed have no note.
        """
        known = self.manifest
        embed = known.get("embed")
        return {
            "schema": self.encoder.schema_,
            "forms": self.encoder.forms_,
            "text": known["text"] if embed is None else embed["text"],
            "embed": None if embed is None else embed["package"],
            "usual_id": known["id"],
            "image_size": known.get("image_size", 32),
            "drop": [*known["dropped"], *filter(None, (known["target"], known["id"]))],
        }

    def table(
        self,
        rows: Any,
        name: str = "the frame",
        *,
        columns: Mapping[str, str] | None = None,
    ) -> Table:
        """Return rows in memory as this model needs them, checked as the rows of a file are.

        Parameters
        ----------
        rows : Table, or a pandas, polars or Arrow frame, or a mapping of columns
            With the columns of the training file; others are left out.
        name : str, default="the frame"
            What the rows are called in messages.
        columns : mapping of str to str or None, default=None
            What columns are that are written otherwise than in the training file, as in
            `read_table`: ``{"amount": "number"}``.

        Returns
        -------
        Table
            For `decide`.
        """
        known = self.reading
        del known["image_size"]
        return as_table(rows, name=name, columns=columns, **known)

    def judge(self, table: Table) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
        """Return the class and the score of every row.

        Parameters
        ----------
        table : Table
            Rows with the columns of the training file.

        Returns
        -------
        tuple of ndarray
            Classes, and scores that are higher the more a row looks like the rare class.
        """
        made = self.decide(table)
        return made.classes, made.scores

    def predict(self, table: Any, *, threshold: float | str | None = None) -> NDArray[Any]:
        """Return the class of every row, as estimators do.

        Parameters
        ----------
        table : Table, or a pandas, polars or Arrow frame
            Rows with the columns of the training file.
        threshold : float, str or None, default=None
            As in `decide`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes: text, or whole numbers, numbers, or true and false where the labels that were
            given in Python were such.
        """
        classes = self.decide(self._as_table(table), threshold=threshold).classes
        return as_given(classes, self.manifest.get("label_kind", "str"), self.classes)

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes in the order of the columns of `predict_proba`; several rare ones are one."""
        names = np.asarray(self.classifier.classes_).astype(np.str_)
        return as_given(names, self.manifest.get("label_kind", "str"), names.tolist())

    def predict_proba(self, table: Any) -> NDArray[np.float64]:
        """Return the probability of every class for every row, as estimators do.

        Parameters
        ----------
        table
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``. Several rare classes are one column, that of
            `rare_class`. Methods that have no probabilities are refused; blend has them.
        """
        return self._with_probabilities().predict_proba(
            self.encoder.transform(self._as_table(table))
        )

    def minority_score(self, table: Any) -> NDArray[np.float64]:
        """Return a score of every row that is higher the more it looks like the rare class.

        Parameters
        ----------
        table
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores.
        """
        return self.decide(self._as_table(table)).scores

    def _as_table(self, rows: Any) -> Table:
        table = rows if isinstance(rows, Table) else self.table(rows)
        if said := emptied_note(self.encoder, table):
            warnings.warn(said, ReadingWarning, stacklevel=3)
        return table

    def decide(
        self,
        table: Table,
        *,
        rare: Names = None,
        normal: Names = None,
        threshold: float | str | None = None,
        probability: bool = False,
    ) -> Decisions:
        """Return class, score and scores of each rare class of every row.

        Parameters
        ----------
        table : Table
            Rows with the columns of the training file.
        rare, normal : str, iterable of str or None, default=None
            Other rare classes than those of training, as in `train_model`.
        threshold : float, str or None, default=None
            Score from which on a row is rare; or ``"precision=0.8"`` and so on, as in
            `threshold_for`; or ``"alarms=20"`` for the rows of the table with the highest scores;
            None for that of training.
        probability : bool, default=False
            Whether to add the probability of the rare class of training; not beside `rare` or
            `normal`.

        Returns
        -------
        Decisions
            One entry per row.
        """
        X = self.encoder.transform(table)
        known, union = self.manifest["classes"], self.rare_class
        scores = minority_scores(self.classifier, X, union)
        decided = np.asarray(self.classifier.predict(X)).astype(np.str_)
        width = max(decided.dtype.itemsize // 4, *(len(label) for label in self.classes), 1)
        cut = self.manifest["threshold"]
        rest = max((label for label in known if label != union), key=known.__getitem__)
        members = self.rare_classes
        chosen = self.chosen(rare, normal)
        as_trained = set(chosen) == set(members)
        if not as_trained and probability:
            raise ValueError(
                f"The probability is that of the rare class of training, {union!r}: leave out rare "
                "and normal, or order rows by their scores."
            )
        if as_trained and threshold is not None:
            cut = self._cut(threshold, scores)
        classes = decide(decided.astype(f"U{width}"), scores, union, rest, cut)
        each = {union: scores}
        if len(members) > 1:
            margins = name_margins(self.namer, X, members)
            named = np.array(members)[margins.argmax(axis=1)]
            classes = np.where(classes == union, named, classes).astype(f"U{width}")
            each = scores_of_each(scores, margins, members)
        if not as_trained:
            scores, each = self._scores_of(X, chosen, each)
            if threshold is not None:
                threshold = self._cut(threshold, scores, as_trained=False)
                best = np.array(chosen)[np.argmax([each[name] for name in chosen], axis=0)]
                lost = np.isin(classes, chosen) & (scores < threshold)
                classes = np.where(scores >= threshold, best, np.where(lost, rest, classes))
        shares = self._probabilities(X) if probability else {}
        return Decisions(classes, scores, each, np.isin(classes, chosen), shares)

    def _cut(
        self, threshold: float | str, scores: NDArray[np.float64], *, as_trained: bool = True
    ) -> float:
        """Return a threshold as a score."""
        if isinstance(threshold, str):
            if (rank := n_alarms(threshold)) is not None:
                return score_of_rank(scores, rank)
            if as_trained:
                return self.threshold_for(threshold)
            try:
                threshold = float(threshold)
            except ValueError:
                raise ValueError(
                    f"The threshold {threshold!r} is known for {self.rare_class!r} only, the rare "
                    "class of training: leave out rare and normal, or give alarms=NUMBER or a "
                    "number."
                ) from None
        if np.isnan(threshold):
            raise ValueError(
                "The threshold must be a number, precision=RATE, recall=RATE, break-even or "
                "alarms=NUMBER, got nan: give one of these."
            )
        return float(threshold)

    def _with_probabilities(self) -> Any:
        if not hasattr(self.classifier, "predict_proba"):
            raise ValueError(
                f"A model of the method {self.manifest['method']} has scores and no probabilities: "
                "train it with the method blend, or leave out the probability."
            )
        return self.classifier

    def _probabilities(self, X: Any) -> dict[str, NDArray[np.float64]]:
        self._with_probabilities()
        column = np.flatnonzero(np.asarray(self.classifier.classes_).astype(str) == self.rare_class)
        found = {"probability": self.classifier.predict_proba(X)[:, column[0]]}
        own = str(self.classifier.minority_class_) == self.rare_class
        if own and not self.classifier.base_rate_known_:
            band = self.classifier.probability_band(X)
            found |= {"probability_low": band[:, 0], "probability_high": band[:, 1]}
        return found

    def chosen(self, rare: Names = None, normal: Names = None) -> tuple[str, ...]:
        """Return the rare classes: those named, or those of training.

        Parameters
        ----------
        rare, normal : str, iterable of str or None, default=None
            As in `train_model`.

        Returns
        -------
        tuple of str
            Classes that the model knows.
        """
        if rare is None and normal is None:
            return self.rare_classes
        return choose_rare(dict.fromkeys(self.classes, 0), rare, normal, "The model")

    def _scores_of(
        self, X: Any, chosen: tuple[str, ...], each: dict[str, NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Scores of other rare classes than those of training."""
        if all(name in each for name in chosen):
            kept = {name: each[name] for name in chosen}
            return np.max(list(kept.values()), axis=0), kept
        names = np.asarray(self.classifier.classes_).astype(np.str_)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            others = [name for name in chosen if name not in self.rare_classes]
            raise ValueError(
                f"The model was trained with {name_list(self.rare_classes)} as rare and cannot "
                f"score {name_list(others)} with them: choose among these, or train again."
            )
        columns = [minority_scores(self.classifier, X, name) for name in names.tolist()]
        values = np.column_stack(columns)
        inside = np.isin(names, list(chosen))
        own = {name: margin_of(values, names == name) for name in chosen}
        return margin_of(values, inside), own

    def threshold_for(self, aim: float | str) -> float:
        """Return the score from which on rows are rare, for an aim that is stated.

        Parameters
        ----------
        aim : str or float
            ``"precision=0.8"``, ``"recall=0.9"`` or ``"break-even"``, as reached on the rows held
            out when the model was trained, or a number. A model that was learned from labels that
            it asked for has an estimate instead (``is_estimate`` says so). ``"alarms=20"`` depends
            on the rows: give it to `decide` or `predict`.

        Returns
        -------
        float
            A threshold for `decide`.
        """
        known = self.manifest
        estimated = known["estimate"]["points"] if self.is_estimate else None
        return threshold_from_points(estimated or known["operating_points"], str(aim))

    @property
    def takes_new_as_rare(self) -> bool:
        """Whether a class that no label had is rare: the model tells one class from all others."""
        others = [name for name in self.manifest["classes"] if name != self.rare_class]
        return len(self.rare_classes) > 1 and self.rare_class == union_name(("", ""), others[:1])

    @property
    def is_estimate(self) -> bool:
        """Whether a recall or precision is estimated from labels that the learner chose."""
        return is_estimate(self.manifest)

    def name_of(self, rare: Names = None, normal: Names = None) -> str:
        """Return what the union of some rare classes is called; those of training by default."""
        if rare is None and normal is None:
            return self.rare_class
        others = None if normal is None else whole_names(as_names(normal), self.classes)
        return union_name(self.chosen(rare, normal), others)

    def __repr__(self) -> str:
        classes = name_list(self.classes)
        return f"Model({self.manifest['method']}, classes {classes}, rare {self.rare_class!r})"
