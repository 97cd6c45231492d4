"""Learning on the border: ask for the labels that matter, and know when to stop."""

from rarebit.border._bounds import share_upper_bound
from rarebit.border._curve import learning_curve, plot_history, plot_learning_curve
from rarebit.border._history import History, Table
from rarebit.border._learner import BorderLearner
from rarebit.border._session import resolve_pool_size
from rarebit.border._stopping import (
    inside_margin_bound,
    next_check,
    stop_automatically,
    stop_on_margin,
    stop_on_support,
)
from rarebit.border._svc import BorderSVC

__all__ = [
    "BorderLearner",
    "BorderSVC",
    "History",
    "Table",
    "inside_margin_bound",
    "learning_curve",
    "next_check",
    "plot_history",
    "plot_learning_curve",
    "resolve_pool_size",
    "share_upper_bound",
    "stop_automatically",
    "stop_on_margin",
    "stop_on_support",
]
