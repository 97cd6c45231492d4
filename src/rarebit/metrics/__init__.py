"""How well a classifier finds the rare class, and how few labels that took.

Accuracy is useless when one row in a thousand matters. The scores here look at each class by itself
(g-mean, sensitivity, specificity), at the top of a ranking (PRBEP, ROC AUC), or at the price in
labels. None of them guesses the direction of a score: it favours the rare class or `pos_label`.

Examples
--------
>>> from rarebit.metrics import g_mean_score, prbep_score
>>> g_mean_score([1, 0, 0, 0], [0, 0, 0, 0])
0.0
>>> prbep_score([1, 0, 0, 0], [0.9, 0.1, 0.2, 0.3])
1.0
"""

from __future__ import annotations

from ._efficiency import data_efficiency, label_efficiency
from ._holdout import grouped_holdout, latest_rows, stratified_holdout
from ._minority import minority_class, minority_scores, rarest_class
from ._ranking import prbep_score
from ._rates import g_mean, g_mean_score, sensitivity_score, specificity_score
from ._report import ClassReport, RareReport, rare_report
from ._scorers import (
    g_mean_scorer,
    minority_auc_scorer,
    prbep_scorer,
    sensitivity_scorer,
    specificity_scorer,
)
from ._screening import labels_to_recall, time_to_discovery, work_saved
from ._validation import check_labels

__all__ = [
    "ClassReport",
    "RareReport",
    "check_labels",
    "data_efficiency",
    "g_mean",
    "g_mean_score",
    "g_mean_scorer",
    "grouped_holdout",
    "label_efficiency",
    "labels_to_recall",
    "latest_rows",
    "minority_auc_scorer",
    "minority_class",
    "minority_scores",
    "prbep_score",
    "prbep_scorer",
    "rare_report",
    "rarest_class",
    "sensitivity_score",
    "sensitivity_scorer",
    "specificity_score",
    "specificity_scorer",
    "stratified_holdout",
    "time_to_discovery",
    "work_saved",
]
