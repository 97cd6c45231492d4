"""The papers, measured again: every table and figure by one command.

``python -m rarebit.papers list`` names them; ``python -m rarebit.papers border.table1`` runs one.
"""

from rarebit.papers._command import main
from rarebit.papers._paper import find_plans, list_plans
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._rows import Results
from rarebit.papers._run import Outcome, run_plan
from rarebit.papers._show import show_plan
from rarebit.papers._statistics import Mean, mean_over_seeds
from rarebit.papers._store import ResultsMismatchError, Store
from rarebit.papers._tables import Table

__all__ = [
    "Experiment",
    "Mean",
    "Outcome",
    "Plan",
    "Results",
    "ResultsMismatchError",
    "Scale",
    "Store",
    "Table",
    "find_plans",
    "list_plans",
    "main",
    "mean_over_seeds",
    "run_plan",
    "show_plan",
]
