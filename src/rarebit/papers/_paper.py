"""All plans, paper by paper, and how they are named on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module

from rarebit.papers._plan import Plan

# Subpackages, one per paper, in the order of the pages. Each has its tables and figures in PLANS.
# They are imported by name, so that nothing here depends on what is in any one of them.
PAPERS = ("border", "discovery", "boosting", "pruning", "bagging")


@lru_cache(maxsize=1)
def all_plans() -> tuple[Plan, ...]:
    """Return the plans of all papers.

    Returns
    -------
    tuple of Plan
        In the order of the papers.

    Examples
    --------
    >>> from rarebit.papers import all_plans
    >>> all_plans()[0].name
    'border.settings'
    """
    papers = [import_module(f"rarebit.papers.{name}") for name in PAPERS]
    return tuple(plan for paper in papers for plan in paper.PLANS)


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
    return [plan.name for plan in all_plans()]


def find_plans(names: Iterable[str], plans: Sequence[Plan] | None = None) -> list[Plan]:
    """Find plans by name.

    Parameters
    ----------
    names : iterable of str
        Plans (``border.table1``), papers (``border``) or ``all``.
    plans : sequence of Plan or None, default=None
        Where to look; None for the plans of all papers.

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
    plans = all_plans() if plans is None else plans
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
