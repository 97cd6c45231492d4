"""Every classifier and every rival on your own data, in one table."""

from rarebit.comparison._compare import compare, default_methods
from rarebit.comparison._result import Comparison
from rarebit.comparison._sample import sample_keeping_rare

__all__ = ["Comparison", "compare", "default_methods", "sample_keeping_rare"]
