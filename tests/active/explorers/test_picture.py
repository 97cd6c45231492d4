"""The picture of a search."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rarebit import Scout, discover
from rarebit.active import plot_discovery

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.mark.parametrize("features", [1, 2, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_questions_are_numbered_and_classes_named(
    rng: np.random.Generator, features: int, sparse: bool
) -> None:
    X = rng.normal(size=(60, features))
    y = np.where(np.arange(60) < 5, "rare", "common")
    result = discover(sp.csr_matrix(X) if sparse else X, lambda row: y[row], Scout(), max_labels=7)
    for found in (result, result.explorer):
        axes = plot_discovery(found)
        assert [text.get_text() for text in axes.texts] == [str(i) for i in range(1, 8)]
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        assert names[0] == "not asked for"
        assert len(names) == 1 + len(result.discovered)
        assert "7 labels" in axes.get_title()
        pyplot.close(axes.figure)
