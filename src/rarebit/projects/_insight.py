"""Why a row was asked and what the model makes of it, after the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.projects._findings import short_value
from rarebit.projects._rare_classes import RareClasses, rare_classes, rare_scores, rare_shares

if TYPE_CHECKING:
    from rarebit.projects._desk import Desk

_REASONS = {
    "border": "It was asked because the model was least sure of it: it lies close to the border "
    "between the classes.",
    "harvest": "It was asked because the model held it likely to be of the rare class.",
    "audit": "It was drawn at random to measure how many rows of the rare class are still missed.",
    "explore": "It was asked because it is unlike the rows labelled before: a class that nobody "
    "has seen may be there.",
    "random": "It was drawn at random.",
    "start": "It was asked to find a second class.",
    "random-start": "It was drawn at random, to find a second class.",
    "given": "It was not asked: somebody chose it, or its label was there before.",
}
_MOST_NEIGHBOURS = 5
_MOST_PUSHES, _LEAST_PUSH = 8, 1e-9
_MOST_TRIED = 400  # columns and words of a row whose weight is tried
_MOST_COMPARED = 20_000  # labelled rows among which the nearest are sought
_BATCH = 20_000


class Insight:
    """The model's view of rows.

    Parameters
    ----------
    desk : Desk
        The project.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        # Encoder, and what its features are to people: told once for thousands of words.
        self._groups: tuple[Any, tuple[NDArray[np.intp], list[tuple[str, str | None]]]] | None = (
            None
        )

    @property
    def version(self) -> int | None:
        """Number of events that the model has learned; None before there is one."""
        opinion = self._desk.learner.opinion
        return None if opinion is None else opinion.version

    @property
    def rare(self) -> RareClasses:
        """Which classes are rare: those that were named, or those of the proof so far."""
        named, learned = rare_classes(self._desk.settings), self._desk.learner.learned
        return named if named.is_known or learned is None else learned.rare

    def scores(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        """Return how rare rows look to the model; None before there is a model.

        Parameters
        ----------
        rows : ndarray of shape (n,)
            Positions of rows.

        Returns
        -------
        ndarray of shape (n,) or None
            Positive values favour the rare classes.
        """
        opinion = self._desk.learner.opinion
        if opinion is None:
            return None
        X, is_rare = self._desk.prepared.features, self.rare
        parts = [
            rare_scores(opinion.classifier, X[rows[start : start + _BATCH]], is_rare)
            for start in range(0, len(rows), _BATCH)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def shares(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        """Return the probability that rows are rare; None where the model has none."""
        opinion = self._desk.learner.opinion
        if opinion is None or not hasattr(opinion.classifier, "predict_proba"):
            return None
        X, is_rare = self._desk.prepared.features, self.rare
        parts = [
            rare_shares(opinion.classifier, X[rows[start : start + _BATCH]], is_rare)
            for start in range(0, len(rows), _BATCH)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def opinions(self, rows: list[int]) -> list[dict[str, Any] | None]:
        """Return class and scores that the model gives to rows."""
        opinion = self._desk.learner.opinion
        if opinion is None or not rows:
            return [None] * len(rows)
        classifier = opinion.classifier
        X = self._desk.prepared.features[np.asarray(rows)]
        names = [str(name) for name in classifier.classes_]
        values = np.asarray(classifier.decision_function(X))
        if values.ndim == 1:
            values = np.column_stack([-values, values])
        guesses = classifier.predict(X)
        return [
            {
                "class": str(guess),
                "scores": dict(zip(names, np.round(line, 4).tolist(), strict=True)),
            }
            for guess, line in zip(guesses, values, strict=True)
        ]

    def doubts(self, rows: list[int], labels: list[Any]) -> list[tuple[str | None, float | None]]:
        """Return the model's class of rows, and by how much it prefers it to their label."""
        found: list[tuple[str | None, float | None]] = []
        for label, opinion in zip(labels, self.opinions(rows), strict=True):
            if opinion is None:
                found.append((None, None))
                continue
            scores, guess = opinion["scores"], opinion["class"]
            own = scores.get(str(label), min(scores.values()))
            found.append((guess, round(scores.get(guess, 0.0) - own, 4)))
        return found

    def why(self, row: int, label: Any) -> dict[str, Any]:
        """Return why a row was asked, what the model holds of it, and what it is like.

        Parameters
        ----------
        row : int
            Position of a row with an answer.
        label : str or None
            The label that the person gave.

        Returns
        -------
        dict
            Values that JSON has.
        """
        desk = self._desk
        origin = desk.board.asked.get(row)
        reason = "given" if origin is None else origin.reason
        opinion = self.opinions([row])[0]
        if opinion is not None:
            opinion["agrees"] = None if label is None else opinion["class"] == str(label)
        pushes, together = self._weighed(row)
        event = desk.board.answers.of_row(row)
        last = max((each.number for each in event.values()), default=0)
        return {
            "row": row,
            "reason": reason,
            "sentence": _REASONS.get(reason, f"It was asked for the reason {reason!r}."),
            "opinion": opinion,
            "neighbours": self._neighbours(row),
            "pushes": pushes,
            "balance": "" if opinion is None else self._balance(opinion["class"], pushes, together),
            "learned": desk.learner.seen >= last,
        }

    def _neighbours(self, row: int) -> list[dict[str, Any]]:
        desk = self._desk
        labels = {r: label for r, label in desk.board.labels.items() if r != row}
        rows = np.array(list(labels)[-_MOST_COMPARED:])
        if not (len(rows) and desk.is_prepared):
            return []
        distances = _distances(desk.prepared.features, rows, row)
        nearest = np.argsort(distances, kind="stable")[:_MOST_NEIGHBOURS]
        summaries = desk.display.summaries(rows[nearest].tolist())
        return [
            {
                "row": int(rows[i]),
                "id": _id(desk, int(rows[i])),
                "label": str(labels[int(rows[i])]),
                "distance": round(float(distances[i]), 4),
                "summary": summary,
            }
            for i, summary in zip(nearest, summaries, strict=True)
        ]

    def _pushes(self, row: int) -> list[dict[str, Any]]:
        return self._weighed(row)[0]

    def _weighed(self, row: int) -> tuple[list[dict[str, Any]], float]:
        """Return columns and words without which the score would change most, and all together.

        The second is what the score would change without all of them at once: positive where they
        speak for the rare classes.
        """
        from scipy import sparse

        opinion, table = self._desk.learner.opinion, self._desk.table
        if opinion is None or table.pixels or table.image is not None:
            return [], 0.0
        prepared = self._desk.prepared
        if self._groups is None or self._groups[0] is not prepared.encoder:
            embedded = getattr(table, "embedded", None)
            vector = None if embedded is None else embedded[0]
            self._groups = prepared.encoder, prepared.encoder.feature_groups(vector)
        X, (groups, known) = prepared.features, self._groups[1]
        own = X[[row]]
        line = _dense(own)[0]
        size = np.bincount(groups, weights=np.abs(line), minlength=len(known))
        present = np.flatnonzero(size)
        if len(present) > _MOST_TRIED:
            present = present[np.argsort(-size[present], kind="stable")[:_MOST_TRIED]]
        if not len(present):
            return [], 0.0

        def scores_of(gone: Any) -> NDArray[np.float64]:
            """Scores of the row without some features; those of a scaled column are its mean."""
            lines = np.where(gone, 0.0, line)
            rows: Any = sparse.csr_array(lines) if is_sparse(own) else lines
            return rare_scores(classifier, rows.astype(X.dtype), is_rare)

        classifier, is_rare = opinion.classifier, self.rare
        values = scores_of(np.vstack([groups == present[:, None], np.zeros_like(groups, bool)]))
        change = values[-1] - values[:-1]
        best = np.argsort(-np.abs(change), kind="stable")[:_MOST_PUSHES]
        best = best[np.abs(change[best]) >= _LEAST_PUSH]
        together = values[-1] - scores_of(np.isin(groups, present[best])[None, :])[0]
        rare, other = self._sides(classifier)
        cells = table.show(row, as_written=True).fields
        found = []
        for i in best:
            column, word = known[present[i]]
            value = "" if cells.get(column) is None else short_value(cells[column])
            found.append(
                {
                    "name": column if word is None else word,
                    "value": value if word is None else "",
                    "said": _said(column, word, value, column in cells),
                    "word": word if column == table.text else None,
                    "class": rare if change[i] > 0 else other,
                    "weight": round(float(abs(change[i])), 4),
                }
            )
        return found, float(together)

    def _sides(self, classifier: Any) -> tuple[str, str]:
        """Return what pushes to the rare classes and away from them are called."""
        members = self._members(classifier)
        others = [str(name) for name in classifier.classes_ if str(name) not in members]
        rare = members[0] if len(members) == 1 else self.rare.called(members)
        return rare, others[0] if len(others) == 1 else "other"

    def _members(self, classifier: Any) -> list[str]:
        return self.rare.members(classifier.classes_) or [str(classifier.minority_class_)]

    def _balance(self, guess: str, pushes: list[dict[str, Any]], together: float) -> str:
        """Say how a guess goes with pushes that speak for something else, by number or weight."""
        opinion = self._desk.learner.opinion
        if opinion is None or not pushes:
            return ""
        rare, other = self._sides(opinion.classifier)
        guessed_rare = guess in self._members(opinion.classifier)
        against = [push for push in pushes if push["class"] == (other if guessed_rare else rare)]
        weight = sum(push["weight"] for push in pushes)
        heavy = 2 * sum(push["weight"] for push in against) > weight
        if 2 * len(against) <= len(pushes) and not heavy:
            return ""
        if (together > 0) == guessed_rare:
            return f"Taken together, they speak for {guess}."
        return "Together with the starting point of the model, the rest outweighs them."

    def highlights(self, row: int) -> list[dict[str, Any]]:
        """Return the words of a text that push it to a class."""
        if self._desk.table.text is None:
            return []
        return [
            {"word": push["word"], "class": push["class"], "weight": push["weight"]}
            for push in self._pushes(row)
            if push["word"] is not None
        ]


def _said(column: str, word: str | None, value: str, has_cell: bool) -> str:
    """Name a part of a row as people do."""
    if word is not None:
        return f"the word {word!r} in {column}"
    if not has_cell:
        return column
    return f"{column} is {value or 'missing'}"


def _distances(X: Any, rows: NDArray[np.intp], row: int) -> NDArray[np.float64]:
    ours, others = X[[row]], X[rows]
    if is_sparse(others):
        product = np.asarray((others @ ours.T).todense()).ravel()
        norms = np.sqrt(np.asarray(others.multiply(others).sum(axis=1)).ravel())
        own = float(np.sqrt(ours.multiply(ours).sum()))
        length = norms * own
        return 1.0 - np.divide(product, length, out=np.zeros_like(product), where=length > 0)
    difference = np.asarray(others, dtype=np.float64) - np.asarray(ours, dtype=np.float64)
    return np.sqrt(np.einsum("ij,ij->i", difference, difference))


def _dense(rows: Any) -> NDArray[np.float64]:
    dense = rows.toarray() if is_sparse(rows) else rows
    return np.asarray(dense, dtype=np.float64)


def _id(desk: Desk, row: int) -> Any:
    value = desk.table.ids[row]
    return value.item() if isinstance(value, np.generic) else value
