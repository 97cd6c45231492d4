"""A report with every part, of data whose names try to break it."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit import KernelSVC, compare
from rarebit.active import BorderSVC, learning_curve
from rarebit.metrics import g_mean_score
from rarebit.statistics import proof_path

EVIL = '<script>alert("x")</script> & $\\frac{1}$ $'


@pytest.fixture(scope="session")
def whole_report():
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    from rarebit.report import Report, informative_rows, scores_by_class

    rng = np.random.default_rng(0)
    y = np.where(rng.random(600) < 0.15, EVIL, "usual")
    X = rng.normal(size=(600, 3)) + 1.5 * (y == EVIL)[:, None]
    pool, test = slice(0, 400), slice(400, None)
    border = BorderSVC(max_labels=120, random_state=0).fit(X[pool], y[pool])
    curves = {
        "border": learning_curve(
            KernelSVC(), X[pool], y[pool], border.queried_, X[test], y[test], points=8
        ),
        "random": [
            learning_curve(
                KernelSVC(),
                X[pool],
                y[pool],
                rng.permutation(400)[:120],
                X[test],
                y[test],
                points=8,
            )
            for _ in range(2)
        ],
    }
    guess = border.predict(X[test])
    best = informative_rows(border.history_, 6)
    rows = list(zip(*(column.tolist() for column in best.values()), strict=True))
    return (
        Report(f"All of {EVIL}", f"Found in {EVIL}.", {"labels": 120, EVIL: EVIL})
        .add_stop_advice(True, border.stop_reasons_)
        .add_discovery({"usual": 1, EVIL: 3}, counts={EVIL: 30}, random={EVIL: 6.7})
        .add_learning_curve(curves, goal=g_mean_score(y[test], guess), stopped_at=100)
        .add_ranking(y[test], scores_by_class(border, X[test], [EVIL]), threshold=0.0)
        .add_confusion(y[test], guess)
        .add_rows([EVIL, *list(best)[1:]], rows, images=[np.eye(8)] * 6, captions=[EVIL] * 6)
        .add_comparison(compare(X, y == EVIL, methods=["KernelSVC"], cv=2))
        .add_proof(proof_path([1, 0, 0], [(599, 1, 0.5, 0)], [1], 600), [EVIL], target=0.9)
        .add_search([1, 0, 0, 1], 600, n_rare=3)
        .add_search([1, 0, 0, 1], 600)
        .add_reliability(y[test] == EVIL, np.linspace(0, 1, 200), text=EVIL)
        .add_table("Columns", ["name", EVIL], [["age " * 40, 0.25], [EVIL, None]])
    )
