"""Names that settings and options of commands take, in the order in which they are offered."""

from __future__ import annotations

from typing import Literal, get_args

ExplorerName = Literal["scout", "malice", "alice", "random"]
StopName = Literal["auto", "support", "margin", "never"]
GoalName = Literal["both", "learn", "find"]
RuleName = Literal["first", "majority", "owner"]

EXPLORERS: tuple[str, ...] = get_args(ExplorerName)
WITH_PRIORS = ("malice", "alice")  # explorers that must know the shares of the rare classes
STOPS: tuple[str, ...] = get_args(StopName)
GOALS: tuple[str, ...] = get_args(GoalName)
RULES: tuple[str, ...] = get_args(RuleName)  # which label counts where annotators disagree
