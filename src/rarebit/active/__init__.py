"""Ask for the labels that matter: find classes, learn their border, know when to stop.

Every asker follows one protocol: ``start(X)``, then ``ask()`` for rows and ``tell(rows, labels)``
their classes until ``done``; ``skip(rows)`` leaves rows unlabelled that nobody can label,
``retract(rows)`` takes answers back, and ``status()`` says what was found and what comes next.
Explorers find classes, `BorderLearner` learns the border between them, and `Hunt` does both.
"""

from rarebit.active._base import BaseAsker
from rarebit.active._checks import ContradictionError
from rarebit.active._columns import ColumnTable
from rarebit.active._protocol import Asker, Learner
from rarebit.active._queries import Draw, Query, QueryReason
from rarebit.active._row_pool import RowPool
from rarebit.active._status import FoundClass, Status
from rarebit.active.border import (
    STOP_RULES,
    BorderLearner,
    BorderSVC,
    History,
    StateError,
    excluded_share,
    inside_margin_bound,
    learning_curve,
    next_check,
    plot_history,
    plot_learning_curve,
    quiet_rows,
    resolve_pool_size,
    share_upper_bound,
    stop_automatically,
    stop_on_margin,
    stop_on_support,
)
from rarebit.active.explorers import (
    Alice,
    Discovery,
    Explorer,
    Interleave,
    Malice,
    RandomExplorer,
    Scout,
    discover,
    is_dry,
    plot_discovery,
    stop_when_dry,
)
from rarebit.active.hunt import Hunt, Simulation, curves_beside_random, simulate

__all__ = [
    "STOP_RULES",
    "Alice",
    "Asker",
    "BaseAsker",
    "BorderLearner",
    "BorderSVC",
    "ColumnTable",
    "ContradictionError",
    "Discovery",
    "Draw",
    "Explorer",
    "FoundClass",
    "History",
    "Hunt",
    "Interleave",
    "Learner",
    "Malice",
    "Query",
    "QueryReason",
    "RandomExplorer",
    "RowPool",
    "Scout",
    "Simulation",
    "StateError",
    "Status",
    "curves_beside_random",
    "discover",
    "excluded_share",
    "inside_margin_bound",
    "is_dry",
    "learning_curve",
    "next_check",
    "plot_discovery",
    "plot_history",
    "plot_learning_curve",
    "quiet_rows",
    "resolve_pool_size",
    "share_upper_bound",
    "simulate",
    "stop_automatically",
    "stop_on_margin",
    "stop_on_support",
    "stop_when_dry",
]
