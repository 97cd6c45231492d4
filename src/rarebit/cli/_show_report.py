"""Figures of a classifier in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarebit.cli._terminal import Terminal

SUMMARY = {
    "g_mean": "g-mean",
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "prbep": "PRBEP (where precision = recall)",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
}


def show_report(terminal: Terminal, report: Mapping[str, Any], title: str) -> None:
    """Print what `rarebit.metrics.rare_report` measured.

    Parameters
    ----------
    terminal : Terminal
        Where to.
    report : mapping
        As ``output="dict"`` gives it.
    title : str
        Which rows it is of.
    """
    terminal.say(f"{title}; the rare class is {report['positive_class']!r}:")
    rows = [
        [str(label), *(f"{n[key]:,}" for key in ("support", "predicted", "tp")),
         *(f"{n[key]:.3f}" for key in ("sensitivity", "specificity", "precision"))]
        for label, n in report["classes"].items()
    ]  # fmt: skip
    headings = ["class", "rows", "predicted", "correct", "sensitivity", "specificity", "precision"]
    terminal.table(headings, rows)
    if "each" in report:
        from rarebit.models import table_of_each

        headings, lines, said = table_of_each(report["each"], report["positive_class"])
        terminal.say(f"Each rare class; {said}")
        terminal.table(
            headings,
            [[name, *(_written(figure) for figure in own)] for name, *own in lines],
        )
    figures = [f"{name} {report[key]:.3f}" for key, name in SUMMARY.items() if key in report]
    terminal.say(", ".join(figures))
    for note in report["notes"]:
        terminal.note(f"note: {note}")


def _written(figure: int | float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:,}" if isinstance(figure, int) else f"{figure:.3f}"
