"""A model: features, classifier, threshold, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.metrics._minority import minority_scores
from rarebit.models._validation import Judged, decide
from rarebit.tables import Table, TableEncoder


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
        ``threshold``, ``columns``, ``target``, ``source`` (file, rows, fingerprint), ``metrics``,
        ``versions``.
    warnings : list of str
        What differs between the machine that saved the model and this one.
    judged : Judged or None
        What was decided on rows held out while training; not saved.

    See Also
    --------
    load_model : Reads one from a file.
    """

    encoder: TableEncoder
    classifier: Any
    manifest: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    judged: Judged | None = None

    @property
    def rare_class(self) -> str:
        """The class that the score speaks of."""
        return str(self.manifest["rare_class"])

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
        X = self.encoder.transform(table)
        scores = minority_scores(self.classifier, X, self.rare_class)
        predicted = np.asarray(self.classifier.predict(X)).astype(np.str_)
        threshold = self.manifest["threshold"]
        counts = self.manifest["classes"]
        rest = max((label for label in counts if label != self.rare_class), key=counts.__getitem__)
        width = max(predicted.dtype.itemsize // 4, *(len(label) for label in counts))
        return decide(
            predicted.astype(f"U{width}"), scores, self.rare_class, rest, threshold
        ), scores

    def __repr__(self) -> str:
        classes = ", ".join(self.manifest["classes"])
        return f"Model({self.manifest['method']}, classes {classes}, rare {self.rare_class!r})"
