"""The part of a project that takes labels over and gives them out."""

from __future__ import annotations

from abc import abstractmethod
from os import PathLike
from typing import Any

import numpy as np

from rarebit.projects._given import refuse_import
from rarebit.projects._papers import taken_back
from rarebit.projects._proving import ProvingProject
from rarebit.projects._ranked import write_ranked_rows
from rarebit.projects._rare_classes import rare_classes, rare_scores, rare_shares
from rarebit.projects._transfer import (
    class_kind,
    export_labels,
    in_types,
    label_events,
    read_labels,
)


class LabelTransfer(ProvingProject):
    """Labels in and out."""

    @property
    @abstractmethod
    def labels(self) -> dict[int, Any]:
        """Row to the label that counts, in the order learned."""

    def import_labels(
        self,
        file: str | PathLike[str] | Any,
        *,
        id: str | None = None,
        label: str | None = None,
        annotator: str | None = None,
    ) -> int:
        """Take over labels that were given elsewhere; they cost nothing and count as given.

        Classes of a frame keep their type. Those of a file are texts, but for classes that the
        project has as numbers or as true and false.

        They are refused where a column has answered, unless it says the same of their rows: what
        it said and what people said are not mixed.

        Parameters
        ----------
        file : path, or a pandas, polars or Arrow frame
            One row per label, with a column of ids and one of classes.
        id : str or None, default=None
            Column of ids; None for the name of the id column of the data.
        label : str or None, default=None
            Column of classes; None for ``"label"``, or for the other one of two columns.
        annotator : str or None, default=None
            Name of the annotator who gave them.

        Returns
        -------
        int
            Number of labels taken over; rows that have this label already do not count.
        """
        found = read_labels(file, self.table, id=id, label=label)
        refuse_import(self.store, self.table, found)
        self._queue.catch_up()
        known = self._queue.questions.labels
        kind = class_kind(file, self.table, id=id, label=label)
        found = in_types(found, kind, {*known.values()})
        events = label_events(found, self.table, known, annotator=annotator or "")
        if events:
            self.store.append_many(events)
            self._queue.catch_up()
            self._after_answer()  # names of classes are compared
        return len(events)

    def export(self, file: str | PathLike[str], *, details: bool = False, raw: bool = False) -> int:
        """Write the labels to a file: ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.xlsx``.

        Papers also to a file of their own format, ``.ris`` or ``.bib``: all of them, with the label
        added where there is one.

        Parameters
        ----------
        file : path
            Where; an earlier file is replaced as a whole.
        details : bool, default=False
            Whether to write every standing answer with annotator, reason, order asked, source,
            time and note, instead of the label of each row.
        raw : bool, default=False
            Whether CSV holds texts as they are; otherwise text that a spreadsheet would run as a
            formula gets an apostrophe, which the readers of rarebit take off again.

        Returns
        -------
        int
            Number of labels, or of answers where there are details.
        """
        self._queue.catch_up()
        history = self._queue.questions.answers
        return export_labels(
            file, self.table, self.labels, history.by_annotator(), details=details, raw=raw,
            events=history.events,
        )  # fmt: skip

    def export_ranked(self, file: str | PathLike[str], *, raw: bool = False) -> int:
        """Write the rows found to be rare, then those without a label by decreasing score.

        Rows held out are not among them. The final classifier of the labels at hand ranks.

        Parameters
        ----------
        file : path
            Where: ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.xlsx``, papers also in the
            format that they came in; an earlier file is replaced as a whole.
        raw : bool, default=False
            Whether texts stay as they are; as in `export`.

        Returns
        -------
        int
            Number of rows. Columns are the id, the state (``found``, ``unseen`` or ``other``), the
            label, the score and probability of rows without one, and those of the data.
        """
        with self._lock:
            hunt = self._hunt("rank rows")
            learned = self._learned()
            classifier, is_rare = learned.classifier, rare_classes(self.settings, hunt)
            labels, table = self.labels, self.table
            left = np.ones(table.n_rows, dtype=np.bool_)
            left[list(labels)] = False
            left[self.held_out] = False
            unseen = np.flatnonzero(left)
            scores, shares = np.empty(0), None
            if len(unseen):
                scores = rare_scores(classifier, self.features[unseen], is_rare)
            if len(unseen) and hasattr(classifier, "predict_proba"):
                shares = rare_shares(classifier, self.features[unseen], is_rare)
            undone = taken_back(self._queue.questions.answers.events, labels)
            return write_ranked_rows(
                file, table, labels, is_rare, unseen, scores,
                probability=shares, raw=raw, undone=undone,
            )  # fmt: skip
