"""What the learner's process tells the desk: messages as data."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rarebit.projects._proofs import proved_by
from rarebit.projects._rare_classes import RareClasses, rare_classes
from rarebit.projects._sentences import search_line
from rarebit.projects._settings import Settings
from rarebit.projects._sharing import Ticket

if TYPE_CHECKING:
    from rarebit.projects._project import Project
    from rarebit.projects._status import ProjectStatus
    from rarebit.statistics import Guarantee

PROVES = "a recall to prove (Project)"  # where people set it on the page


@dataclass(frozen=True, eq=False)
class Beginning:
    """What a learner needs to begin.

    Attributes
    ----------
    ticket : tuple
        Of the data, for `load_shared`.
    features : tuple
        Of their features.
    encode : bool
        Whether the features are not known: the learner makes them and writes them there.
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

    ticket: Ticket
    features: Ticket
    settings: Settings
    address: str
    n_events: int
    encode: bool = False
    images: bool = False
    cache: Path | None = None


# Classifiers and proofs bring scikit-learn and SciPy. The desk keeps them packed until somebody
# looks at them: importing these libraries slows down everybody who answers at that moment.


@dataclass(frozen=True, eq=False)
class Opinion:
    """A classifier of the labels learned up to an event.

    Attributes
    ----------
    version : int
        Number of events that were learned.
    packed : bytes
        The classifier, pickled.
    """

    version: int
    packed: bytes

    @classmethod
    def of(cls, classifier: Any, version: int) -> Opinion:
        """Return an opinion that can be sent."""
        return cls(version, pickle.dumps(classifier, protocol=5))

    @cached_property
    def classifier(self) -> Any:
        """The estimator, fitted on the features of labelled rows."""
        return pickle.loads(self.packed)


@dataclass(frozen=True, eq=False)
class LearnerState:
    """What the learner knew when it last looked up.

    Attributes
    ----------
    n_events : int
        Number of events learned.
    done : bool
        Whether the asker has nothing left to ask.
    stop_reasons : dict of str to str
        Why asking may stop, in sentences.
    expected : tuple of list of int and list of float
        Numbers of labels, and shares of right guesses among the last twenty, where known.
    repeat : int or None
        Row that is to be asked a second time now.
    search : str
        What a search that only people can end has found, in the page's words; empty else.
    rare : RareClasses
        Which classes are rare, as the proof has it.
    packed : bytes
        Status and guarantee, pickled.
    """

    n_events: int
    done: bool
    stop_reasons: dict[str, str]
    expected: tuple[list[int], list[float]]
    repeat: int | None
    search: str
    rare: RareClasses
    packed: bytes

    @cached_property
    def _unpacked(self) -> tuple[ProjectStatus, Guarantee | None]:
        found: tuple[ProjectStatus, Guarantee | None] = pickle.loads(self.packed)
        return found

    @property
    def status(self) -> ProjectStatus:
        """Status of the project at that moment."""
        return self._unpacked[0]

    @property
    def guarantee(self) -> Guarantee | None:
        """What the labels prove; None where no target is set or no second class known."""
        return self._unpacked[1]


def learned_of(project: Project) -> LearnerState:
    """Return what a project knows now."""
    status = project.current_status()
    return LearnerState(
        project.n_learned,
        bool(project.asker.done),
        dict(status.stop_reasons),
        _guesses(project),
        project.repeat_due(),
        search_line(status, PROVES),
        _rare(project),
        pickle.dumps((status, _proved(project)), protocol=5),
    )


def _rare(project: Project) -> RareClasses:
    from rarebit.active import Hunt  # imported by whoever has a project, and not by the desk

    asker = project.asker
    return rare_classes(project.settings, asker if isinstance(asker, Hunt) else None)


def _proved(project: Project) -> Guarantee | None:
    """Return what a hunt with a target proves."""
    from rarebit.active import Hunt

    asker = project.asker
    if not isinstance(asker, Hunt) or asker.target is None or len(asker.discovered_) < 2:
        return None
    return proved_by(asker)


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
