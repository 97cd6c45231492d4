"""All plans, paper by paper, and how they are named on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rarebit.papers._plan import Plan
from rarebit.papers.bagging import PLANS as BAGGING
from rarebit.papers.boosting import PLANS as BOOSTING
from rarebit.papers.border import PLANS as BORDER
from rarebit.papers.discovery import PLANS as DISCOVERY
from rarebit.papers.pruning import PLANS as PRUNING

PLANS: tuple[Plan, ...] = (*BORDER, *DISCOVERY, *BOOSTING, *PRUNING, *BAGGING)


def list_plans() -> list[str]:
    """Names of all plans.

    Returns
    -------
    list of str
        In the order of the papers.

    Examples
    --------
    >>> from rarebit.papers import list_plans
    >>> "border.table1" in list_plans()
    True
    """
    return [plan.name for plan in PLANS]


def find_plans(names: Iterable[str], plans: Sequence[Plan] = PLANS) -> list[Plan]:
    """Find plans by name.

    Parameters
    ----------
    names : iterable of str
        Plans (``border.table1``), papers (``border``) or ``all``.
    plans : sequence of Plan, optional
        Where to look.

    Returns
    -------
    list of Plan
        Each once, in the order of the papers.

    Examples
    --------
    >>> from rarebit.papers import find_plans
    >>> [plan.name for plan in find_plans(["border.table1"])]
    ['border.table1']
    """
    wanted: set[str] = set()
    for name in names:
        found = [
            plan.name for plan in plans if name in ("all", plan.name, plan.name.partition(".")[0])
        ]
        if not found:
            raise ValueError(
                f"There is no table or figure {name!r}: choose from all, "
                f"{', '.join(dict.fromkeys(plan.name.partition('.')[0] for plan in plans))}, "
                f"{', '.join(plan.name for plan in plans)}."
            )
        wanted.update(found)
    return [plan for plan in plans if plan.name in wanted]
