"""The decisions of a model beside the classes of a file, and what to know about their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit._text import counted, tell_alike
from rarebit.cli._judging import Judge
from rarebit.cli._parts import figures_by_part
from rarebit.cli._reporting import Lookout
from rarebit.models import Decisions, Measured, Model, read_times, truth_as_known
from rarebit.tables import Form, Table, TableError, checksum_of


@dataclass
class LabelledRows:
    """Rows of a file that have a class, with what the model decides.

    Parameters
    ----------
    model : Model
        The model, which says how its classes are spelt.
    file : Path
        The file, for messages.
    union : str
        Name of the rare class, or of the rare classes together.
    aside : tuple of str
        The column by which figures are told apart; empty for none.
    time : str or None
        That column where it holds times.
    keep_rows : bool
        Whether rows that are worth a look are kept for the report.
    others : tuple of str
        The only classes that are not rare, where classes that the model does not know are rare.

    Attributes
    ----------
    doubt : str
        What the times cannot tell, once `parts` has read them.
    """

    model: Model
    file: Path
    union: str
    aside: tuple[str, ...]
    time: str | None
    keep_rows: bool
    others: tuple[str, ...] = ()
    doubt: str = field(default="", init=False)
    lookout: Lookout = field(default_factory=Lookout)
    decisions: list[Decisions] = field(default_factory=list)
    _truths: list[Any] = field(default_factory=list)
    _cells: list[Any] = field(default_factory=list)
    _form: Form | None = None  # of the times, where a person said how they are written

    def add(self, table: Table, made: Decisions) -> None:
        """Take one batch; rows without a class are left out."""
        if table.target is None:
            step = (
                "put the images of each class into a subfolder of its name."
                if self.file.is_dir()
                else "name their column with --target."
            )
            raise TableError(f"{self.file.name} has no classes to compare with: {step}")
        known = table.target != ""
        truth, decided = truth_as_known(self.model, table.target[known]), made.take(known)
        self._truths.append(truth)
        self.decisions.append(decided)
        if not self.aside and not self.keep_rows:
            return
        rows = table if known.all() else table.take(known)
        if self.aside:
            self._cells += rows.aside[self.aside[0]].to_list()
            if self.time is not None:
                self._form = rows.forms.get(self.time)
        if self.keep_rows:
            rare = np.isin(truth, list(made.each))
            if self.others:
                rare = ~np.isin(truth, self.others)
            true = np.where(rare, self.union, truth)
            called = np.where(decided.rare, self.union, decided.classes)
            self.lookout.watch(
                rows, true, called, decided.scores, self.union, truth, decided.classes
            )

    @property
    def truth(self) -> Any:
        """Classes of the rows, ndarray of shape (n_rows,)."""
        truth = np.concatenate(self._truths)
        if not len(truth):
            raise TableError(f"No row of {self.file.name} has a class: label some rows.")
        return truth

    @property
    def scores(self) -> Any:
        """Scores of the rows, ndarray of shape (n_rows,)."""
        return np.concatenate([made.scores for made in self.decisions])

    def parts(self, measured: Measured) -> list[dict[str, Any]]:
        """Return figures by group or period, an empty list where no column was named."""
        if not self.aside:
            return []
        stamps = None
        if self.time is not None:
            # Which comes first, day or month, is told by all batches together.
            cells = pl.Series(self.time, self._cells, dtype=pl.String)
            stamps, self.doubt = read_times(cells, self._form, self.file.name)
        return figures_by_part(self._cells, stamps, measured.truth, measured.decided, self.union)


def limits_of(judge: Judge, truth: Any, strange: list[str], source: Mapping[str, Any]) -> list[str]:
    """Say what the figures leave out: rows without a class, unknown classes, training rows."""
    n_labelled = len(truth)
    # A class of the model that is spelt otherwise here is told, although no row has that spelling.
    counts = dict.fromkeys(judge.model.classes, 0) | Counter(map(str, truth.tolist()))
    said = tell_alike(counts)
    if n_labelled < judge.n_rows:
        left = counted(judge.n_rows - n_labelled, "row without a class was",
                       "rows without a class were")  # fmt: skip
        said.append(f"{left} left out.")
    if strange:
        names = ", ".join(map(repr, strange))
        which = "class" if len(strange) == 1 else "classes"
        it = "it" if len(strange) == 1 else "them"
        union = judge.model.rare_class
        merged = f" {union!r} includes {it}." if judge.model.takes_new_as_rare else ""
        said.append(
            f"The model does not know the {which} {names}, and cannot predict {it}: label such "
            f"rows, and train again.{merged}"
        )
    if _is_training_file(judge.file, source, judge.n_rows):
        said.append(
            f"The model was trained on {judge.file.name}, so these figures flatter it; "
            "evaluate rows that it has not seen."
        )
    return said


def _is_training_file(file: Path, source: Mapping[str, Any], n_rows: int) -> bool:
    """Compare checksums, where enough rows make it likely enough to read a file again."""
    # Rows that were there twice may have been left out of training.
    if n_rows < source["rows"] + source["rows_without_class"] or not file.is_file():
        return False
    return checksum_of(file) == source["sha256"]
