"""What was found and how good it is, as figures and as one self-contained HTML file."""

from rarebit.report._figures import (
    draw_confusion,
    draw_discovery,
    draw_images,
    draw_learning_curve,
)
from rarebit.report._proof_figures import (
    Reliability,
    draw_ceiling,
    draw_proof,
    draw_recall,
    draw_reliability,
    reliability,
)
from rarebit.report._ranking_curves import draw_precision_recall, draw_roc
from rarebit.report._report import Report
from rarebit.report._rows import informative_rows, scores_by_class

__all__ = [
    "Reliability",
    "Report",
    "draw_ceiling",
    "draw_confusion",
    "draw_discovery",
    "draw_images",
    "draw_learning_curve",
    "draw_precision_recall",
    "draw_proof",
    "draw_recall",
    "draw_reliability",
    "draw_roc",
    "informative_rows",
    "reliability",
    "scores_by_class",
]
