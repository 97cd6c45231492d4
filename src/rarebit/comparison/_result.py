"""What a comparison found: figures of every fold, ranks, tests, a table and a plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from rarebit._extras import naming_extras

Floats = NDArray[np.float64]

# Name, heading, whether more is better.
FIGURES = {
    "g_mean": ("g-mean", True),
    "sensitivity": ("sensitivity", True),
    "specificity": ("specificity", True),
    "accuracy": ("accuracy", True),
    "prbep": ("PRBEP", True),
    "auc": ("AUC", True),
    "fit_seconds": ("fit, s", False),
    "predict_seconds": ("predict, s", False),
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Figures of several methods on the same folds.

    Attributes
    ----------
    methods : list of str
        Names, the best mean g-mean first.
    figures : dict of str to ndarray of shape (n_methods, n_folds)
        ``"g_mean"``, ``"sensitivity"``, ``"specificity"``, ``"accuracy"``, ``"prbep"``, ``"auc"``,
        ``"fit_seconds"`` and ``"predict_seconds"``; NaN where a method failed.
    minority_class : object
        The class that sensitivity, PRBEP and AUC speak of.
    failures : dict of str to str
        What a method that failed in some fold said, by method.
    """

    methods: list[str]
    figures: dict[str, Floats]
    minority_class: Any
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(next(iter(self.figures.values())).shape[1])

    def failed_folds(self) -> dict[str, int]:
        """Count the folds in which each method failed; its figures are means of the others.

        Returns
        -------
        dict of str to int
            By method; 0 for methods that never failed.
        """
        counts = np.isnan(self.figures["g_mean"]).sum(axis=1).tolist()
        return dict(zip(self.methods, counts, strict=True))

    def marked(self) -> list[str]:
        """Return the methods as tables name them, those that failed in some fold with a mark.

        Returns
        -------
        list of str
            In the order of `methods`, such as ``"SMOTE (failed in 1 of 3 folds)"``.
        """
        return [
            f"{name} (failed in {n} of {self.n_folds} folds)" if n else name
            for name, n in self.failed_folds().items()
        ]

    def failure_notes(self) -> list[str]:
        """Say of each method that failed in how many folds it did, and what it said first."""
        counts = self.failed_folds()
        return [
            f"{name} failed in {counts[name]} of {self.n_folds} folds: {why}"
            for name, why in self.failures.items()
        ]

    def rare_note(self) -> str:
        """Say which class the figures of the rare class are of."""
        rare = self.minority_class
        plain = rare.item() if isinstance(rare, np.generic) else rare
        return f"The rare class is {plain!r}."

    def ranks(self, figure: str = "g_mean") -> dict[str, float]:
        """Mean rank of each method over the folds; 1 is best, ties share.

        Parameters
        ----------
        figure : str, default="g_mean"
            One of `figures`.

        Returns
        -------
        dict of str to float
            By method.
        """
        values = self._figure(figure)
        sign = -1.0 if FIGURES[figure][1] else 1.0
        # A fold in which a method failed is its worst.
        filled = np.where(np.isnan(values), np.inf, sign * values)
        ranks = np.stack([rankdata(fold) for fold in filled.T], axis=1).mean(axis=1)
        return dict(zip(self.methods, ranks.tolist(), strict=True))

    def p_values(self, figure: str = "g_mean") -> dict[str, float]:
        """Wilcoxon signed-rank test of each method against the best one.

        Folds of repeated cross-validation share training rows, so that the test is too sure of
        itself: read a small value as a hint, a large one as no evidence of a difference.

        Parameters
        ----------
        figure : str, default="g_mean"
            One of `figures`.

        Returns
        -------
        dict of str to float
            Two-sided, by method; 1.0 for the best itself and for methods equal in every fold.
        """
        values = self._figure(figure)
        means = np.array([np.nanmean(v) if not np.isnan(v).all() else np.nan for v in values])
        sign = 1.0 if FIGURES[figure][1] else -1.0
        # A method that failed in some fold is no yardstick, unless all did.
        whole = ~np.isnan(values).any(axis=1)
        best = int(np.nanargmax(np.where(whole | ~whole.any(), sign * means, np.nan)))
        result = {}
        for name, row in zip(self.methods, values, strict=True):
            both = ~np.isnan(row) & ~np.isnan(values[best])
            difference = row[both] - values[best][both]
            same = not np.any(difference)
            result[name] = 1.0 if same else float(wilcoxon(difference, zero_method="zsplit").pvalue)
        return result

    def _figure(self, figure: str) -> Floats:
        if figure not in self.figures:
            raise ValueError(
                f"There is no figure {figure!r}: choose one of {', '.join(self.figures)}."
            )
        return self.figures[figure]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a method: mean and spread of each figure, rank, p-value, failed folds.

        Returns
        -------
        list of dict
            In the order of `methods`; ready for ``pandas.DataFrame``.
        """
        ranks, tests, failed = self.ranks(), self.p_values(), self.failed_folds()
        found = []
        for i, name in enumerate(self.methods):
            row: dict[str, Any] = {"method": name}
            for key in self.figures:
                values = self.figures[key][i]
                known = values[~np.isnan(values)]
                row[key] = float(known.mean()) if known.size else float("nan")
                # Equal values differ from their mean by its last digit.
                spread = float(np.round(known.std(), 12)) if known.size else float("nan")
                row[f"{key}_spread"] = spread
            row["rank"] = ranks[name]
            row["p_value"] = tests[name]
            row["failed_folds"] = failed[name]
            found.append(row)
        return found

    def markdown(self) -> str:
        """Return the table as Markdown."""
        shown = ["g_mean", "sensitivity", "specificity", "accuracy", "prbep", "auc"]
        headings = ["method", *[FIGURES[key][0] for key in shown], "rank", "p", "fit, s",
                    "predict, s"]  # fmt: skip
        lines = [_line(headings), _line([":--", *["--:"] * (len(headings) - 1)])]
        for name, row in zip(self.marked(), self.rows(), strict=True):
            cells = [name]
            cells += [f"{row[k]:.3f} ± {row[f'{k}_spread']:.3f}" if k == "g_mean"
                      else f"{row[k]:.3f}" for k in shown]  # fmt: skip
            cells += [f"{row['rank']:.1f}", f"{row['p_value']:.2g}"]
            cells += [f"{row['fit_seconds']:.3g}", f"{row['predict_seconds']:.3g}"]
            lines.append(_line(cells))
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        best = self.rows()[0]
        return (
            f"Comparison of {len(self.methods)} methods on {self.n_folds} folds, best by g-mean: "
            f"{best['method']} ({best['g_mean']:.3f})"
        )

    def __str__(self) -> str:
        return "\n".join([self.markdown(), self.rare_note(), *self.failure_notes()])

    def plot(self, path: str | Path | None = None, figure: str = "g_mean") -> Any:
        """Draw the folds of each method, best at the top; needs matplotlib.

        Parameters
        ----------
        path : str, Path or None, default=None
            File to save to.
        figure : str, default="g_mean"
            One of `figures`.

        Returns
        -------
        matplotlib.figure.Figure
            The drawing.
        """
        # Only here: matplotlib is optional and slow to import.
        with naming_extras("Figures need", "plot"):
            from matplotlib.figure import Figure

        values = self._figure(figure)
        tests = self.p_values(figure)
        drawing = Figure(figsize=(7.0, 0.38 * len(self.methods) + 1.2), layout="constrained")
        axes = drawing.subplots()
        places = np.arange(len(self.methods))[::-1]
        clean = [row[~np.isnan(row)] for row in values]
        axes.boxplot(clean, positions=places, orientation="horizontal", widths=0.6, showfliers=True)
        # A star: differs from the best at 5 %. The mark of failures has a line of its own.
        labels = [
            shown.replace(" (failed", "\n(failed") + ("" if tests[name] >= 0.05 else " *")
            for name, shown in zip(self.methods, self.marked(), strict=True)
        ]
        axes.set_yticks(places, labels)
        # In the middle of the drawing, not of the axes: beside long names it would be cut off.
        drawing.supxlabel(
            f"{FIGURES[figure][0]}, by fold (* differs from the best, p < 0.05)", size="medium"
        )
        axes.grid(axis="x", alpha=0.3)
        if path is not None:
            drawing.savefig(path, dpi=120)
        return drawing


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
