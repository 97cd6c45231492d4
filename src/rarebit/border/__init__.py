"""Deprecated: learning on the border moved to `rarebit.active`."""

import warnings

from rarebit.active import (
    BorderLearner,
    BorderSVC,
    History,
    inside_margin_bound,
    learning_curve,
    next_check,
    plot_history,
    plot_learning_curve,
    resolve_pool_size,
    share_upper_bound,
    stop_automatically,
    stop_on_margin,
    stop_on_support,
)
from rarebit.active import ColumnTable as Table

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

warnings.warn(
    "rarebit.border is deprecated and will be removed in 0.2: import from rarebit.active.",
    DeprecationWarning,
    stacklevel=2,
)
