"""Bags of machines weighted by class accuracies (Sukhanov et al., EUSIPCO 2015)."""

from rarebit.papers._plan import Plan
from rarebit.papers.bagging import _figure1, _raw, _table2, _weights

PLANS: tuple[Plan, ...] = (_table2.PLAN, _raw.PLAN, _weights.PLAN, _figure1.PLAN)

__all__ = ["PLANS"]
