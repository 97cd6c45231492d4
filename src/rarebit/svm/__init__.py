"""Kernel machines on the compiled engine."""

from rarebit.svm._kernel_svc import KernelSVC
from rarebit.svm._online_svc import OnlineSVC

__all__ = ["KernelSVC", "OnlineSVC"]
