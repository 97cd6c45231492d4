"""What was found and how good it is, as figures and as one self-contained HTML file."""

from rarebit.report._figures import (
    draw_confusion,
    draw_discovery,
    draw_images,
    draw_learning_curve,
    draw_precision_recall,
    draw_roc,
)
from rarebit.report._report import Report
from rarebit.report._rows import informative_rows, scores_by_class

__all__ = [
    "Report",
    "draw_confusion",
    "draw_discovery",
    "draw_images",
    "draw_learning_curve",
    "draw_precision_recall",
    "draw_roc",
    "informative_rows",
    "scores_by_class",
]
