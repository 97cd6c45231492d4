"""What the learner's process tells the desk: messages as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rarebit.projects._settings import Settings

if TYPE_CHECKING:
    from rarebit.projects._project import Project
    from rarebit.projects._status import ProjectStatus
    from rarebit.statistics import Guarantee


@dataclass(frozen=True, eq=False)
class Beginning:
    """What a learner needs to begin.

    Attributes
    ----------
    ticket : tuple
        Of the data and their features, for `load_shared`.
    settings : Settings
        What decides how it asks and learns.
    address : str
        Address of the store.
    n_events : int
        Number of events of the history that are to be learned first.
    images : bool
        Whether rows are pictures, which the desk's process opens.
    cache : Path or None
        Where learners are kept for the next start.
    """

    ticket: Any
    settings: Settings
    address: str
    n_events: int
    images: bool = False
    cache: Path | None = None


@dataclass(frozen=True, eq=False)
class Opinion:
    """A classifier of the labels learned up to an event.

    Attributes
    ----------
    classifier : estimator
        Fitted on the features of labelled rows.
    version : int
        Number of events that were learned.
    """

    classifier: Any
    version: int


@dataclass(frozen=True, eq=False)
class LearnerState:
    """What the learner knew when it last looked up.

    Attributes
    ----------
    n_events : int
        Number of events learned.
    status : ProjectStatus
        Of the project at that moment.
    done : bool
        Whether the asker has nothing left to ask.
    guarantee : Guarantee or None
        What the labels prove.
    expected : tuple of list of int and list of float
        Numbers of labels, and shares of right guesses among the last twenty, where known.
    repeat : int or None
        Row that is to be asked a second time now.
    """

    n_events: int
    status: ProjectStatus
    done: bool
    guarantee: Guarantee | None
    expected: tuple[list[int], list[float]]
    repeat: int | None = None


def learned_of(project: Project) -> LearnerState:
    """Return what a project knows now."""
    return LearnerState(
        project.n_learned,
        project.current_status(),
        bool(project.asker.done),
        _proved(project),
        _guesses(project),
        project.repeat_due(),
    )


def _proved(project: Project) -> Guarantee | None:
    """Return what a hunt with a target proves."""
    from rarebit.active import Hunt  # imported by whoever has a project, and not by the desk

    asker = project.asker
    if not isinstance(asker, Hunt) or asker.target is None or len(asker.discovered_) < 2:
        return None
    return asker.guarantee()


def _guesses(project: Project) -> tuple[list[int], list[float]]:
    """Return how often the model's guess before the answer was right, among the last twenty."""
    from rarebit.active import Hunt

    asker = project.asker
    if not isinstance(asker, Hunt):
        return [], []
    history = asker.learner_.history_
    try:
        expected, told = history["expected"], history["label"]
    except KeyError:  # a learner of one's own need not keep it
        return [], []
    known = np.flatnonzero([guess is not None for guess in expected])
    if len(known) < 5:
        return [], []
    right = np.array([expected[i] == told[i] for i in known], dtype=float)
    total = np.concatenate([[0.0], np.cumsum(right)])
    ends = np.unique(np.linspace(5, len(known), 60).astype(int))
    starts = np.maximum(ends - 20, 0)
    return (known[ends - 1] + 1).tolist(), (
        (total[ends] - total[starts]) / (ends - starts)
    ).tolist()
