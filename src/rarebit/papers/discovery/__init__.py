"""Rare class discovery (He and Carbonell, ISAIM 2008): labels until all classes are met."""

from rarebit.papers.discovery._counts import PLANS

__all__ = ["PLANS"]
