"""Support vector machines: kernel machines on the compiled engine, and the linear solver."""

from rarebit.svm._base import KernelMachine
from rarebit.svm._kernel_svc import KernelSVC
from rarebit.svm._linear import MOST_LINEAR_FEATURES, LinearSolution, solve_linear
from rarebit.svm._online_svc import OnlineSVC
from rarebit.svm._tuning import TUNED, Tuned, tune_kernel
from rarebit.svm._words import words_explained as words_explained

__all__ = [
    "MOST_LINEAR_FEATURES",
    "TUNED",
    "KernelMachine",
    "KernelSVC",
    "LinearSolution",
    "OnlineSVC",
    "Tuned",
    "solve_linear",
    "tune_kernel",
]
