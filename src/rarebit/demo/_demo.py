"""Rare digits found, learned and measured against random labelling and all labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import BorderLearner, Hunt, Simulation, simulate
from rarebit.classifiers import final_classifier
from rarebit.datasets import load_rare_digits
from rarebit.metrics import g_mean_score, sensitivity_score
from rarebit.report import Report, informative_rows, scores_by_class

RARE = {1: 12, 8: 8, 9: 5}
WAYS = {"rarebit": "rarebit", "random": "random, as many labels", "all": "all labels"}
_SIDE = 8  # pixels


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demo found.

    Attributes
    ----------
    X, y, X_test, y_test : ndarray
        Pool and test rows of the first draw.
    first : Simulation
        The hunt on them.
    repeats : list of Simulation
        It and those on the other draws.
    scores : dict of str to ndarray of shape (n_repeats, 2)
        By ``"rarebit"``, ``"random"`` and ``"all"``: g-mean of the ten digits, and the share of the
        rare digits among the test rows that is recognised.
    final : dict
        The classifier that the labels of the first draw end in: ``"g_mean"`` and
        ``"rare_recognised"`` on its test rows, and the ``"reason"`` for what it took.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]
    first: Simulation
    repeats: list[Simulation]
    scores: dict[str, NDArray[np.float64]]
    final: dict[str, Any]

    def summary(self) -> dict[str, Any]:
        """Everything in plain numbers.

        Returns
        -------
        dict
            Can be written as JSON.
        """
        told = Counter(self.first.hunt.labels_.values())
        counts = [len(run.queried) for run in self.repeats]
        return {
            "rows": self.first.n_rows,
            "final": dict(self.final),
            "test_rows": len(self.y_test),
            "labels": len(self.first.queried),
            "labels_by_repeat": counts,
            "rare": {
                str(digit): {
                    "rows": n,
                    "first_seen_at": self.first.hunt.discovered_.get(digit),
                    "at_random": round(self.first.at_random[digit], 1),
                    "labelled": told[digit],
                }
                for digit, n in RARE.items()
            },
            "all_classes_after": max(self.first.hunt.discovered_.values()),
            "stop": {"advised": self.first.hunt.done, "reasons": self.stop_reasons},
            "scores": {
                name: {
                    "g_mean": _spread(values[:, 0]),
                    "rare_recognised": _spread(values[:, 1]),
                }
                for name, values in self.scores.items()
            },
            "repeats": len(self.repeats),
        }

    @property
    def stop_reasons(self) -> dict[str, str]:
        """Why asking ended, in words."""
        return self.first.hunt.learner_.stop_reasons_

    def image(self, row: int) -> NDArray[np.float64]:
        """Return a row of the pool as a picture."""
        return self.X[row].reshape(_SIDE, _SIDE)

    def first_rows(self) -> dict[int, int]:
        """Return the row by which each rare digit was found."""
        labels = self.first.hunt.labels_
        return {
            digit: next(row for row, label in labels.items() if label == digit)
            for digit in RARE
            if digit in self.first.hunt.discovered_
        }

    def report(self) -> Report:
        """Make the report; needs matplotlib and jinja2.

        Returns
        -------
        Report
            Ready to be written.
        """
        hunt, found = self.first.hunt, self.summary()
        rare = " and ".join(f"{n} rows of digit {digit}" for digit, n in RARE.items())
        ours, random, everything = (found["scores"][name]["g_mean"] for name in WAYS)
        best = informative_rows(hunt.learner_.history_, 12)
        rows = best["row"].tolist()
        taught = zip(best["expected"].tolist(), best["label"].tolist(), strict=True)
        report = Report(
            "Rare digits: found, learned, measured",
            [
                f"A pool of {self.first.n_rows:,} handwritten digits without a label holds {rare}. "
                f"After {found['labels']:,} labels {len(hunt.discovered_)} of the ten digits are "
                f"found, and {sum(d['labelled'] for d in found['rare'].values())} of the "
                f"{sum(RARE.values())} rare rows are among the labelled ones.",
                f"On {len(self.y_test):,} test rows the g-mean of the ten digits is "
                f"{ours['mean']:.3f}; with as many random labels it is {random['mean']:.3f}, with "
                f"all labels {everything['mean']:.3f} (means of {len(self.repeats)} draws of the "
                "pool).",
            ],
            {
                "rows": self.first.n_rows,
                "labels asked for": found["labels"],
                "all digits seen after": f"{found['all_classes_after']} labels",
                "g-mean, this draw": f"{self.scores['rarebit'][0, 0]:.3f}",
                "g-mean of the final classifier": f"{self.final['g_mean']:.3f}",
            },
        )
        return (
            report.add_stop_advice(hunt.done, self.stop_reasons)
            .add_discovery(
                hunt.discovered_,
                counts=Counter(hunt.labels_.values()),
                random=self.first.at_random,
            )
            .add_learning_curve(
                {
                    name: [run.curves[name] for run in self.repeats]
                    for name in ("rarebit", "random")
                },
                goal=everything["mean"],
                stopped_at=int(np.median(found["labels_by_repeat"])),
                text="The g-mean of the ten digits is 0 as long as one of them has not been seen.",
            )
            .add_table(
                "Comparison",
                ["labelled by", "labels", "g-mean", "worst", "best", "rare digits recognised"],
                [
                    [
                        WAYS[name],
                        self._n_labels(name),
                        s["g_mean"]["mean"],
                        s["g_mean"]["worst"],
                        s["g_mean"]["best"],
                        s["rare_recognised"]["mean"],
                    ]
                    for name, s in found["scores"].items()
                ],
                caption=f"Means over {len(self.repeats)} draws of pool and test rows",
            )
            .add_ranking(
                self.y_test, scores_by_class(hunt.classifier_, self.X_test, RARE), threshold=0.0
            )
            .add_confusion(self.y_test, self.first.predicted["rarebit"])
            .add_rows(
                ["row", "digit", "expected", "chosen for", "at label", "distance to border"],
                list(zip(*(best[name].tolist() for name in best), strict=True)),
                images=[self.image(row) for row in rows],
                captions=[
                    f"row {row}\n{guess} → {label}"
                    for row, (guess, label) in zip(rows, taught, strict=True)
                ],
            )
        )

    def _n_labels(self, name: str) -> int:
        if name == "all":
            return self.first.n_rows
        return round(float(np.mean([len(run.queried) for run in self.repeats])))


def run_demo(
    *, random_state: int = 0, repeats: int = 10, on_step: Callable[[int], None] | None = None
) -> Demo:
    """Find and learn three rare digits of scikit-learn's set, from no label at all.

    Parameters
    ----------
    random_state : int, default=0
        First draw of pool and test rows; the repeats take the following ones.
    repeats : int, default=10
        Draws, so that the spread can be seen.
    on_step : callable, optional
        Called with 1 after each draw.

    Returns
    -------
    Demo
        With numbers, and the report.

    Examples
    --------
    >>> from rarebit.demo import run_demo
    >>> found = run_demo(repeats=1).summary()
    >>> found["rows"], found["stop"]["advised"]
    (908, True)
    """
    runs: list[Simulation] = []
    scores = []
    for number in range(repeats):
        seed = random_state + number
        X, y, X_test, y_test = load_rare_digits(RARE, random_state=seed)
        hunt = Hunt(learner=BorderLearner(C=10.0, random_state=seed), goal="learn")
        run = simulate(X, y, X_test, y_test, hunt, random_state=seed)
        if not runs:
            first = (X, y, X_test, y_test)
        runs.append(run)
        scores.append([_measured(y_test, run.predicted[name]) for name in WAYS])
        if on_step is not None:
            on_step(1)
    by_way = np.array(scores).transpose(1, 0, 2)
    final = _final(*first, runs[0], random_state)
    return Demo(*first, runs[0], runs, dict(zip(WAYS, by_way, strict=True)), final)


def _final(
    X: NDArray[np.float64],
    y: NDArray[Any],
    X_test: NDArray[np.float64],
    y_test: NDArray[Any],
    run: Simulation,
    random_state: int,
) -> dict[str, Any]:
    """Measure what `rarebit learn` would ship for the labels of a run."""
    labels = {int(row): y[row] for row in run.queried}
    model = final_classifier(X, labels, border=run.hunt.classifier_, random_state=random_state)
    g_mean, recognised = _measured(y_test, model.predict(X_test))
    return {"g_mean": g_mean, "rare_recognised": recognised, "reason": model.reason_}


def _measured(true: NDArray[Any], guess: NDArray[Any]) -> list[float]:
    recognised = [sensitivity_score(true, guess, pos_label=digit) for digit in RARE]
    return [g_mean_score(true, guess, labels=np.unique(true)), float(np.mean(recognised))]


def _spread(values: NDArray[np.float64]) -> dict[str, float]:
    return {
        "mean": float(values.mean()),
        "worst": float(values.min()),
        "best": float(values.max()),
    }
