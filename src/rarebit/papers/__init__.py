"""The papers, reproduced: every table and figure by one command.

``rarebit reproduce list`` names them; ``rarebit reproduce border.table1`` runs one.
``python -m rarebit.papers`` is the same command.
"""

from rarebit.papers._paper import all_plans, find_plans, list_plans
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._reproduce import reproduce
from rarebit.papers._result_file import ResultFile, ResultsMismatchError
from rarebit.papers._rows import Results
from rarebit.papers._run import RunSummary, run_plan
from rarebit.papers._show import show_plan
from rarebit.papers._statistics import Mean, mean_over_seeds
from rarebit.papers._tables import ResultTable

__all__ = [
    "Experiment",
    "Mean",
    "Plan",
    "ResultFile",
    "ResultTable",
    "Results",
    "ResultsMismatchError",
    "RunSummary",
    "Scale",
    "all_plans",
    "find_plans",
    "list_plans",
    "mean_over_seeds",
    "reproduce",
    "run_plan",
    "show_plan",
]
