"""Pruning support vectors (Chen, Gerlach and Casasent, IJCNN 2005): tables and a curve."""

from rarebit.papers._plan import Plan
from rarebit.papers.pruning import _confusion, _figure1

PLANS: tuple[Plan, ...] = (_confusion.PLAN, _figure1.PLAN)

__all__ = ["PLANS"]
