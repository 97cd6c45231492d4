"""PrunedSVC beside the cost-sensitive machine on yeast ME3 against CYT, twenty draws.

Every draw trains on 75 + 250 rows and tests on 88 + 213. C and gamma are chosen by cross-validation
on the training rows. Both methods give operating points on the test rows: one a removal, or one a
cost ratio. Two curves are compared: the hull of these points, as the paper's Figure 1 has them, and
the hull with the threshold sweeps of all their machines.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import auc
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.tables import Column, Table, number
from rarebit import KernelSVC, PrunedSVC
from rarebit.classifiers._operating import sweep_hull, upper_hull
from rarebit.datasets import load_task
from rarebit.metrics import minority_auc_scorer

DRAWS = 20
RATIOS = tuple(2.0**p for p in np.arange(-2.0, 7.5, 0.5))
FALSE_POSITIVES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
C_GRID = (1.0, 10.0, 100.0)
GAMMA_GRID = (0.1, 0.3, 1.0)  # times 1 / n_features


def rates(rare: Any, scores: Any) -> tuple[Any, Any]:
    """Return false positive rate and sensitivity of each column at threshold 0."""
    return (scores[~rare] > 0).mean(axis=0), (scores[rare] > 0).mean(axis=0)


def one_draw(seed: int, search: str) -> dict[str, Any]:
    task = load_task("yeast-ME3", seed)
    X, y = task.X_train, task.y_train
    grid = {
        "kernelsvc__C": C_GRID,
        "kernelsvc__gamma": [g / X.shape[1] for g in GAMMA_GRID],
    }
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    chosen = GridSearchCV(
        make_pipeline(StandardScaler(), KernelSVC()), grid, scoring=minority_auc_scorer, cv=inner
    ).fit(X, y)
    C, gamma = chosen.best_params_["kernelsvc__C"], chosen.best_params_["kernelsvc__gamma"]
    scaler = StandardScaler().fit(X)
    X, X_test, rare = scaler.transform(X), scaler.transform(task.X_test), task.y_test == 1
    pruned = PrunedSVC(0, search, validation_fraction=0.0, C=C, gamma=gamma).fit(X, y)
    scores = {"pruned": pruned.path_scores(X_test)}
    scores["cost"] = np.stack(
        [
            KernelSVC(C=C, gamma=gamma, class_weight={1: ratio}).fit(X, y).minority_score(X_test)
            for ratio in RATIOS
        ],
        axis=1,
    )
    result: dict[str, Any] = {"majority_support": len(pruned.path_)}
    for name, values in scores.items():
        hulls = {"points": upper_hull(*rates(rare, values)), "sweeps": sweep_hull(rare, values)}
        for kind, hull in hulls.items():
            result[name, kind] = np.array(
                [_height(hull, x) for x in FALSE_POSITIVES] + [_area(hull)]
            )
    return result


def _height(hull: Any, x: float) -> float:
    """Return the height of the curve; at 0 the top of its vertical part."""
    return float(np.interp(x, hull[:, 0], hull[:, 1]) if x > 0 else hull[hull[:, 0] == 0, 1].max())


def _area(hull: Any) -> float:
    return float(auc(*hull.T))


def run(
    sets: tuple[str, ...] | None, quick: bool, out: Path, say: Callable[[str], None]
) -> list[Table]:
    columns = [Column("curve", "curve"), Column("method", "method"), Column("area", "area")]
    columns += [Column(f"at_{x}", f"sensitivity at FPR {x:g}") for x in FALSE_POSITIVES]
    columns += [Column("wins", "draws with a larger area than cost ratios", number(0))]
    table = Table("quality-pruning", "PrunedSVC and cost ratios on yeast ME3 : CYT", columns)
    draws = {
        search: [one_draw(seed, search) for seed in range(3 if quick else DRAWS)]
        for search in ("backward", "floating")
    }
    say(f"pruning: {len(draws['backward'])} draws, two searches")
    for kind in ("points", "sweeps"):
        contenders = {
            "cost ratios": [d["cost", kind] for d in draws["backward"]],
            "pruned, backward": [d["pruned", kind] for d in draws["backward"]],
            "pruned, floating": [d["pruned", kind] for d in draws["floating"]],
        }
        cost = np.array(contenders["cost ratios"])
        for name, heights in contenders.items():
            values = np.array(heights)
            row: dict[str, Any] = {"curve": kind, "method": name}
            row["area"] = f"{values[:, -1].mean():.4f} ± {values[:, -1].std():.4f}"
            for i, x in enumerate(FALSE_POSITIVES):
                row[f"at_{x}"] = f"{values[:, i].mean():.3f}"
            if name != "cost ratios":
                row["wins"] = int(np.sum(values[:, -1] > cost[:, -1]))
            table.rows.append(row)
    support = [d["majority_support"] for d in draws["backward"]]
    table.notes.append(
        f"{len(support)} draws; CYT support vectors of the first machine: {np.mean(support):.0f} "
        f"± {np.std(support):.0f} (the paper found 22). Curves are upper hulls on the test rows: "
        "`points` of the operating points alone, `sweeps` with every threshold of every machine. "
        f"Cost ratios from {RATIOS[0]:g} to {RATIOS[-1]:g}."
    )
    return [table]
