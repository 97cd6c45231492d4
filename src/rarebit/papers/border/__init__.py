"""Learning on the border (Ertekin, Huang, Bottou and Giles, CIKM 2007): tables and figures."""

from rarebit.papers._plan import Plan
from rarebit.papers.border import (
    _agreement,
    _blind,
    _imbalance,
    _margin,
    _roc,
    _searches,
    _settings,
    _stopping,
    _support,
    _table1,
    _table3,
    _table4,
    _windows,
)

_FIGURES = (
    _margin.PLAN,
    _stopping.PLAN,
    _roc.PLAN,
    *_searches.PLANS,
    *_imbalance.PLANS,
    _support.PLAN,
)

PLANS: tuple[Plan, ...] = (
    _settings.PLAN,
    _table1.PLAN,
    _table3.PLAN,
    _table4.PLAN,
    _agreement.PLAN,
    _windows.PLAN,
    _blind.PLAN,
    *sorted(_FIGURES, key=lambda plan: plan.name),
)

__all__ = ["PLANS"]
