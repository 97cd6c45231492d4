"""A plan: which experiments a table or figure is made of, how one is run, how all are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rarebit.papers._rows import Results, Row, as_text
from rarebit.papers._tables import ResultTable


@dataclass(frozen=True)
class Experiment:
    """One run of one method on one task. A paper adds fields for what else it varies.

    The fields are all that a result may depend on: they name it in the file of results.

    Attributes
    ----------
    task : str
        The data.
    method : str
        What is run on it.
    seed : int
        Of everything random.

    Examples
    --------
    >>> from rarebit.papers import Experiment
    >>> Experiment("letter-A", "border", 3).key
    ('letter-A', 'border', '3')
    """

    task: str
    method: str
    seed: int

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(field.name for field in fields(cls))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this experiment from all others of its plan, as text."""
        return tuple(as_text(getattr(self, name)) for name in self.columns())

    def __str__(self) -> str:
        more = [
            f"{name} {as_text(getattr(self, name))}"
            for name in self.columns()[2:]
            if getattr(self, name) is not None
        ]
        return ", ".join([f"{self.task} {self.method}", *more])


@dataclass(frozen=True)
class Scale:
    """How much of a plan is run.

    Attributes
    ----------
    seeds : int
        Repetitions.
    quick : bool
        Small pools and few repetitions, to see that everything works.
    """

    seeds: int
    quick: bool = False


@dataclass(frozen=True)
class Plan:
    """A table or a figure of a paper.

    Attributes
    ----------
    name : str
        Paper and table, as in ``border.table1``; also the name of its files.
    title : str
        What it shows, in a line.
    experiment : type
        `Experiment`, or a paper's own.
    measures : sequence of str
        Columns that an experiment's rows have.
    experiments : callable
        Yields the experiments of a `Scale`; those of one task together, because data is kept
        in memory from one to the next.
    run : callable
        Runs one experiment and returns its rows, a function of a module.
    tables : callable
        Makes tables of `Results`.
    draw : callable or None
        Draws `Results` into a file, if the plan has a figure.
    seeds, quick_seeds : int
        Repetitions when none are asked for.
    shares : str
        The plan whose experiments and file of results these are as well, if another's: nothing
        is run twice to be shown in two ways.
    """

    name: str
    title: str
    experiment: type[Experiment]
    measures: Sequence[str]
    experiments: Callable[[Scale], Iterable[Any]]
    run: Callable[[Any], Row | list[Row]]
    tables: Callable[[Results], list[ResultTable]]
    draw: Callable[[Results, Path], None] | None = None
    seeds: int = 10
    quick_seeds: int = 2
    shares: str = ""

    @property
    def file(self) -> str:
        """Name of the file of results."""
        return f"{self.shares or self.name}.csv"

    def scale(self, quick: bool = False, seeds: int | None = None) -> Scale:
        """Fill in the number of repetitions."""
        return Scale(seeds or (self.quick_seeds if quick else self.seeds), quick)
