"""Boosting with asymmetric costs (Wang and Japkowicz, KAIS 2010): nine methods, eight sets."""

from rarebit.papers._plan import Plan
from rarebit.papers.boosting import _means, _rounds

PLANS: tuple[Plan, ...] = (_means.PLAN, _rounds.PLAN)

__all__ = ["PLANS"]
