"""Learning on the border (Ertekin, Huang, Bottou and Giles, CIKM 2007): tables and figures."""

from rarebit.papers._plan import Plan
from rarebit.papers.border import _imbalance, _searches, _settings, _support, _table1

_FIGURES = (*_searches.PLANS, *_imbalance.PLANS, _support.PLAN)

PLANS: tuple[Plan, ...] = (
    _settings.PLAN,
    _table1.PLAN,
    *sorted(_FIGURES, key=lambda plan: plan.name),
)

__all__ = ["PLANS"]
