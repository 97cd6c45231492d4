"""Learning on the border: ask for the labels that matter, and know when to stop."""

from rarebit.active.border._bounds import share_upper_bound
from rarebit.active.border._curve import learning_curve, plot_history, plot_learning_curve
from rarebit.active.border._history import History
from rarebit.active.border._learner import BorderLearner
from rarebit.active.border._saved_state import StateError
from rarebit.active.border._search import resolve_pool_size
from rarebit.active.border._stopping import (
    STOP_RULES,
    excluded_share,
    inside_margin_bound,
    next_check,
    quiet_rows,
    stop_automatically,
    stop_on_margin,
    stop_on_support,
)
from rarebit.active.border._svc import BorderSVC

__all__ = [
    "STOP_RULES",
    "BorderLearner",
    "BorderSVC",
    "History",
    "StateError",
    "excluded_share",
    "inside_margin_bound",
    "learning_curve",
    "next_check",
    "plot_history",
    "plot_learning_curve",
    "quiet_rows",
    "resolve_pool_size",
    "share_upper_bound",
    "stop_automatically",
    "stop_on_margin",
    "stop_on_support",
]
