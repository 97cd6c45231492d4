"""The parts of a report on a search: what is proved, what was found when, true probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rarebit._text import counted
from rarebit.metrics import labels_to_recall, time_to_discovery, work_saved
from rarebit.report import _proof_figures as figures
from rarebit.report._document import Document
from rarebit.report._page import make_grid
from rarebit.statistics import ProofPath, floor_share

_SHOWN = 24  # points of a curve in its table


class ProofParts(Document):
    """Parts on what a search has found and proved."""

    def add_proof(
        self, path: ProofPath, sentences: Sequence[str] = (), *, target: float | None = None
    ) -> Self:
        """Show what was proved when: recall rising, ceiling falling, audits marked.

        Parameters
        ----------
        path : ProofPath
            From ``proof_path()`` of a `Hunt`, or `rarebit.statistics.proof_path`.
        sentences : sequence of str, default=()
            What is proved, at which confidence, and what it assumes.
        target : float, optional
            Recall to be proved.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        if not len(path.labels):
            return self
        section = self._new("proof", "What is proved")
        section.text += list(sentences)
        labels, recall, top = int(path.labels[-1]), floor_share(path.recall_min[-1]), path.total_max
        said = (
            f"After {counted(labels, 'label')} a recall of {recall:.3f} is proved; the pool holds "
            f"at most {counted(int(top[-1]), 'rare row')}, {int(path.found[-1]):,} of them found. "
            f"{counted(int(path.audits[-1]), 'audit')}, {int(path.hits[-1]):,} of them rare."
        )
        self._draw(
            section,
            figures.draw_proof(path, target=target),
            "Recall proved by labels, as the labels are today. Ticks mark audits, rows drawn "
            "uniformly from those that nobody was asked for; triangles those that were rare.",
            said,
        )
        self._draw(
            section,
            figures.draw_ceiling(path),
            "Rare rows found, and the largest number that the pool could hold: the rows between "
            "the lines may be missing.",
            said,
        )
        at = np.unique(np.linspace(0, len(path.labels) - 1, min(len(path.labels), _SHOWN)).round())
        rows = [
            [int(path.labels[i]), int(path.found[i]), int(top[i]), floor_share(path.recall_min[i]),
             int(path.audits[i]), int(path.hits[i])]
            for i in at.astype(int)
        ]  # fmt: skip
        # Rows without an answer change nothing: what is the same again is not repeated.
        rows = [row for i, row in enumerate(rows) if i == 0 or row != rows[i - 1]]
        headings = ["labels", "found", "at most", "recall proved", "audits", "audits, rare"]
        section.tables.append(
            make_grid("What was proved by labels", headings, rows, folded="The proof in numbers")
        )
        return self

    def add_search(
        self,
        found: ArrayLike,
        n_rows: int,
        *,
        n_rare: int | None = None,
        rare: str = "rare rows",
        given: int = 0,
    ) -> Self:
        """Show how soon rare rows were found: curve, work saved, time to discovery.

        Parameters
        ----------
        found : array-like of {0, 1} of shape (n_labels,)
            Answers in the order given, 1 for rare.
        n_rows : int
            Rows of the pool.
        n_rare : int or None, default=None
            Rare rows of the pool, where the truth is known.
        rare : str, default="rare rows"
            What they are called.
        given : int, default=0
            Rare rows that were known beforehand, and are counted nowhere here.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        hits = np.asarray(found, dtype=np.intp).ravel()
        n_found = int(hits.sum())
        if not len(hits):
            return self
        section = self._new("search", "How soon rare rows were found")
        rows: list[list[Any]] = [[f"{rare} found", n_found], ["labels", len(hits)]]
        found_text = counted(n_found, "was found", "were found")
        mean = time_to_discovery(hits)
        spent = labels_to_recall(hits, n_rare=n_rare) if n_found else None
        if n_rare:
            recall = n_found / n_rare
            section.text.append(
                f"The data says which rows are rare: of {n_rare:,} among the {n_rows:,} rows that "
                f"could be asked for, {found_text}, a recall of {recall:.3f}. "
                "Nobody knows this while labels are missing."
            )
            saved = work_saved(hits, n_rows, n_rare=n_rare) if n_found else None
            rows += [["recall", recall], ["labels until 95 % of all were found", spent],
                     ["work saved at 95 % (WSS@95)", saved]]  # fmt: skip
        elif n_found:
            section.text.append(
                f"{found_text}. What nobody found is not in this curve: a curve that "
                "has become flat does not prove that none is left."
            )
            rows.append(["labels until 95 % of those found were found", spent])
        else:
            section.text.append(
                "No rare row was found with these labels, which does not prove that there is none."
            )
        if given:
            many = "row was" if given == 1 else "rows were"
            section.text.append(f"{given:,} rare {many} known beforehand, beside these.")
        if mean is not None:
            rows.append(["labels when a row was found, mean (time to discovery)", round(mean, 1)])
        what = "recall by labels" if n_rare else "rare rows found by labels"
        self._draw(
            section,
            figures.draw_recall(hits, n_rare=n_rare),
            f"{what[0].upper()}{what[1:]}, in the order answered.",
            f"{what}: {counted(n_found, 'rare row')} after {counted(len(hits), 'label')}.",
        )
        section.tables.append(make_grid("The search in numbers", ["", "value"], rows))
        return self

    def add_reliability(self, rare: ArrayLike, probability: ArrayLike, *, text: str = "") -> Self:
        """Show whether probabilities are true: reliability diagram and Brier score.

        Parameters
        ----------
        rare : array-like of bool of shape (n_rows,)
            Which rows are rare.
        probability : array-like of shape (n_rows,)
            Probabilities by a classifier that was not fitted to these rows.
        text : str, default=""
            A sentence that says which rows these are.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        if not np.size(rare):
            return self
        made = figures.reliability(rare, probability)
        section = self._new("reliability", "Whether probabilities are true")
        section.text += [text] if text else []
        section.text.append(
            f"Brier score {made.brier:.4f}, the smaller the better; calling every row rare with "
            f"the share that these rows have gives {made.brier_of_share:.4f}. The probabilities "
            f"add up to {float(np.sum(probability)):,.1f} rare rows, and "
            f"{int(made.rare.sum()):,} are."
        )
        self._draw(
            section,
            figures.draw_reliability(made),
            "Share of rare rows against the probability given, with intervals of 95 %. Right "
            "probabilities lie on the dashed line.",
            "; ".join(
                f"given {given:.3f}, {share:.3f} of {counted(int(rows), 'row is', 'rows are')} rare"
                for given, share, rows in zip(made.predicted, made.observed, made.rows, strict=True)
            ),
        )
        section.tables.append(
            make_grid(
                "Rows by probability",
                ["from", "to", "rows", "rare", "given, mean", "share of rare rows"],
                [
                    [float(made.low[i]), float(made.high[i]), int(made.rows[i]), int(made.rare[i]),
                     float(made.predicted[i]), float(made.observed[i])]
                    for i in range(len(made.rows))
                ],
                folded="The diagram in numbers",
            )
        )  # fmt: skip
        return self
