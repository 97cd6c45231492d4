"""Learning curves and pictures of a search."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

from rarebit import BorderSVC, KernelSVC
from rarebit.active import ColumnTable, learning_curve, plot_history, plot_learning_curve
from rarebit.metrics import g_mean_score, sensitivity_score

X, y = make_classification(n_samples=1500, weights=[0.9], class_sep=1.5, random_state=0)


def test_the_last_point_is_the_classifier_itself() -> None:
    fitted = BorderSVC(gamma=0.05, max_labels=150, random_state=0).fit(X[:1000], y[:1000])
    curve = learning_curve(
        KernelSVC(gamma=0.05), X[:1000], y[:1000], fitted.queried_, X[1000:], y[1000:], points=6
    )
    assert curve["n_labels"][-1] == 150
    reached = g_mean_score(y[1000:], fitted.predict(X[1000:]))
    assert curve["score"][-1] == pytest.approx(reached, abs=0.02)
    assert np.all(np.diff(curve["n_labels"]) > 0)


def test_prefixes_of_one_class_score_nothing() -> None:
    order = np.concatenate([np.flatnonzero(y == 0)[:50], np.flatnonzero(y == 1)[:20]])
    curve = learning_curve(KernelSVC(), X, y, order, X, y, points=8, metric=sensitivity_score)
    assert np.all(curve["score"][curve["n_labels"] <= 50] == 0.0)
    assert curve["score"][-1] > 0.0


def test_pictures_show_what_they_say() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    table = ColumnTable({"n_labels": np.array([10, 100]), "score": np.array([0.5, 0.9])})
    axes = plot_learning_curve({"border": table, "random": table}, goal=0.95, stopped_at=80)
    said = [text.get_text() for text in axes.get_legend().get_texts()]
    assert said == ["border", "random", "all labels", "stop advice"]
    fitted = BorderSVC(max_labels=120, random_state=0).fit(X, y)
    figure = plot_history(fitted.history_)
    assert [ax.get_ylabel() for ax in figure.axes] == ["support vectors", "unlabelled rows, %"]
    drawn = figure.axes[0].lines[1].get_ydata()
    np.testing.assert_array_equal(drawn, fitted.history_["n_support_1"])
    matplotlib.pyplot.close("all")
