"""How far a project is, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rarebit.projects._advice import advise, searched
from rarebit.projects._findings import ClassProgress
from rarebit.projects._proofs import Proof
from rarebit.projects._searching import SearchProgress
from rarebit.projects._sentences import status_sentences
from rarebit.statistics import ProofPath


@dataclass(frozen=True)
class ProjectStatus:
    """How far a project is; ``str(status)`` says it in sentences.

    Attributes
    ----------
    source : str
        Name of the data.
    task : str
        ``"learn"`` or ``"discover"``.
    n_rows : int
        Number of rows.
    n_labels : int
        Number of rows with a label.
    n_skipped : int
        Number of rows that were skipped and have no label.
    n_waiting : int
        Number of questions without an answer.
    n_held_out : int
        Number of rows held out, which are never asked.
    classes : tuple of ClassProgress
        Classes in the order in which they were seen.
    labels_by_annotator : dict of str to int
        Standing labels of each annotator; the empty name where there is only one.
    disagreements : int
        Number of rows to which annotators gave different labels.
    done : bool
        Whether there is nothing left to ask.
    stop_reasons : dict of str to str
        Why asking may stop, in sentences; empty while more labels should help.
    max_labels : int or None
        Number of labels at which asking ends.
    store : str
        Address of the store.
    settings_version : int
        Version of the settings in the store.
    asker : dict
        Status of the explorer or hunt, as values that JSON has.
    n_given : int
        Number of labels that were known before and not asked for.
    proof : Proof or None
        What the labels prove; None where no classifier is wanted.
    search : SearchProgress or None
        How soon rare rows were found, and how many of the last answers were; None where no
        classifier is wanted.
    unmet : str
        The sentence that classes which the settings name were never met; empty where all were.
    path : ProofPath or None
        What was proved after each part of the labels; it may be older than the other figures by two
        percent of the answers. None where nothing is to be proved.
    goal : str
        ``"both"``, ``"learn"`` or ``"find"``.
    """

    source: str
    task: str
    n_rows: int
    n_labels: int
    n_skipped: int
    n_waiting: int
    n_held_out: int
    classes: tuple[ClassProgress, ...]
    labels_by_annotator: Mapping[str, int]
    disagreements: int
    done: bool
    stop_reasons: Mapping[str, str]
    max_labels: int | None
    store: str
    settings_version: int
    asker: Mapping[str, Any] = field(default_factory=dict)
    n_given: int = 0
    proof: Proof | None = None
    search: SearchProgress | None = None
    path: ProofPath | None = None
    unmet: str = ""
    goal: str = "both"

    @property
    def is_open_search(self) -> bool:
        """Whether rare rows are sought without a recall to prove, so that only people can stop."""
        proof = self.proof
        return (
            self.goal == "find"
            and self.search is not None
            and (proof is None or proof.target is None)
            and not self.stop_reasons
        )

    @property
    def is_full(self) -> bool:
        """Whether the limit of labels is reached."""
        return self.max_labels is not None and self.n_labels - self.n_given >= self.max_labels

    def to_json(self) -> dict[str, Any]:
        """Return the status as values that JSON has.

        Returns
        -------
        dict
            Names to values.
        """
        return {
            "source": self.source,
            "task": self.task,
            "rows": self.n_rows,
            "labels": self.n_labels,
            "given": self.n_given,
            "skipped": self.n_skipped,
            "waiting": self.n_waiting,
            "held_out": self.n_held_out,
            "classes": [found.to_json() for found in self.classes],
            "labels_by_annotator": dict(self.labels_by_annotator),
            "disagreements": self.disagreements,
            "done": self.done,
            "stop": {"advised": bool(self.stop_reasons), "reasons": dict(self.stop_reasons)},
            "max_labels": self.max_labels,
            "store": self.store,
            "settings_version": self.settings_version,
            "asker": dict(self.asker),
            "proof": None if self.proof is None else self.proof.to_json(),
            "search": None if self.search is None else self.search.to_json(),
            "path": None if self.path is None else self.path.to_json(),
            "unmet": self.unmet or None,
            "goal": self.goal,
            "open_search": None if searched(self) is None else str(advise(self)),
            "advice": advise(self).to_json(),
        }

    def __str__(self) -> str:
        return " ".join(status_sentences(self))
