"""What `discover` and `learn` share: a session over a file, answered by a person or a column."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rarebit.cli._keys import Keys
from rarebit.cli._reporting import REPORT
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.discovery import Explorer
    from rarebit.labels import LabelSession, LabelStore
    from rarebit.tables import Table

Function = TypeVar("Function", bound=Callable[..., Any])

EXPLORERS = ("scout", "malice", "alice", "random")

_OPTIONS = (
    click.option(
        "--oracle",
        metavar="COLUMN",
        help="Column that holds the answers; without it, you are asked in the terminal.",
    ),
    click.option(
        "--labels",
        "labels_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Where answers are kept, and gone on with [default: NAME.labels.jsonl here].",
    ),
    click.option(
        "--classes",
        metavar="A,B,…",
        help="Classes that you expect, so that they have keys from the start.",
    ),
    click.option(
        "--max-labels", type=click.IntRange(1), metavar="N", help="Stop at so many labels in all."
    ),
    click.option(
        "--explorer",
        type=click.Choice(EXPLORERS),
        default="scout",
        show_default=True,
        help="What looks for classes; malice and alice need --prior.",
    ),
    click.option(
        "--prior",
        "priors",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        multiple=True,
        metavar="SHARE",
        help="For malice and alice: share of a rare class, one for each; a single one is an upper "
        "bound.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random choices."
    ),
    click.option(
        "--export",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Also write the labels as CSV: id and label.",
    ),
    REPORT,
)


def labelling_options(command: Function) -> Function:
    """Give a command the options of a labelling session."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_someone_answers(oracle: str | None) -> None:
    """Refuse to ask where nobody can answer."""
    if oracle is None and not sys.stdin.isatty():
        raise click.UsageError(
            "Nobody can answer, because standard input is not a terminal: run this in a terminal, "
            "or name the column that holds the answers with --oracle COLUMN"
        )


def make_explorer(name: str, priors: Sequence[float], seed: int, metric: str) -> Explorer:
    """Return the explorer that the options name."""
    from rarebit.discovery import Alice, Malice, RandomExplorer, Scout

    if name in ("malice", "alice"):
        if not priors:
            raise click.UsageError(
                f"--explorer {name} needs --prior, the share of a rare class or an upper bound of "
                "it, such as --prior 0.01; without an idea of it use --explorer scout"
            )
        known: Any = priors[0] if len(priors) == 1 else list(priors)
        return {"malice": Malice, "alice": Alice}[name](known, metric=metric)
    if priors:
        raise click.UsageError(f"--prior is for malice and alice; --explorer {name} needs none")
    return RandomExplorer(random_state=seed) if name == "random" else Scout(metric=metric)


def open_labels(path: Path | None, file: Path, table: Table) -> LabelStore:
    """Open the file of labels that belongs to a table."""
    from rarebit.labels import LabelStore

    place = path or Path(f"{file.name.split('.')[0] or file.name}.labels.jsonl")
    return LabelStore(place, ids=table.ids, source=table.source, fingerprint=table.fingerprint)


class Labelling:
    """Questions and answers until somebody or something says that it is enough."""

    def __init__(
        self,
        session: LabelSession,
        table: Table,
        terminal: Terminal,
        *,
        max_labels: int | None,
        classes: Sequence[str],
        enough: Callable[[], dict[str, str]],
        heading: Callable[[], str],
    ) -> None:
        self.session = session
        self.table = table
        self.terminal = terminal
        self.max_labels = max_labels
        self.classes = list(classes)
        self.enough = enough
        self.heading = heading

    @property
    def n_labels(self) -> int:
        """Labels in the file."""
        return len(self.session.store.labels)

    def run(self, oracle: str | None) -> None:
        """Ask a person, or read a column."""
        store = self.session.store
        if store.n_dropped:
            self.terminal.note(f"note: half a line at the end of {store.path} was dropped.")
        if store.events:
            self.terminal.note(
                f"Going on with {self.n_labels:,} labels and {len(store.skipped):,} skips of "
                f"{store.path}."
            )
        try:
            if oracle is None:
                with Keys() as keys:
                    self._ask(keys)
            else:
                self._read_column()
        except KeyboardInterrupt:
            self.terminal.note(
                f"\n{self.n_labels:,} labels are saved in {store.path}; the same command goes on."
            )
            raise

    @property
    def is_full(self) -> bool:
        """Whether the limit of labels is reached."""
        return self.max_labels is not None and self.n_labels >= self.max_labels

    def _read_column(self) -> None:
        answers = self.table.target
        assert answers is not None  # the file was read with this column as its target
        with self.terminal.progress("Asking the column", self.max_labels) as advance:
            while not self.is_full and not (self.max_labels is None and self.enough()):
                row = self.session.question()
                if row is None:
                    break
                if answers[row]:
                    self.session.answer(str(answers[row]), how="oracle")
                    advance(1)
                else:
                    self.session.skip(how="oracle")

    def _ask(self, keys: Keys) -> None:
        from rarebit.cli._person import Person

        person = Person(keys)
        advised = False
        while not self.is_full:
            row = self.session.question()
            if row is None:
                break
            reasons = self.enough()
            if reasons and not advised:
                person.say(f"\nYou may stop: {' '.join(reasons.values())}")
            advised = bool(reasons)
            reply = person.ask(self.table.show(row), self.heading(), self._known_classes())
            if reply.what == "label":
                self.session.answer(reply.label)
            elif reply.what == "skip":
                self.session.skip()
            elif reply.what == "undo":
                taken = self.session.undo()
                person.say("→ undone" if taken is not None else "There is nothing to undo.")
            else:
                break

    def _known_classes(self) -> list[str]:
        """Expected classes first, then those met, each key the same through the session."""
        for label in self.session.store.labels.values():
            if str(label) not in self.classes:
                self.classes.append(str(label))
        return self.classes


def advise(reasons: Mapping[str, str], is_full: bool) -> str:
    """Say whether to stop, and how to go on."""
    if reasons:
        return f"You may stop: {' '.join(reasons.values())}"
    how = "raise --max-labels" if is_full else "run the same command again"
    return f"Going on is worth it: {how}."


def progress_line(n_labels: int, n_classes: int) -> str:
    """Say how far a session is, above each row.

    Examples
    --------
    >>> progress_line(1, 2)
    '1 label, 2 classes'
    """
    labels = f"{n_labels:,} label{'' if n_labels == 1 else 's'}"
    return f"{labels}, {n_classes:,} class{'' if n_classes == 1 else 'es'}"


def write_labels(store: LabelStore, table: Table, path: Path) -> None:
    """Write the labels that stand as CSV."""
    import csv

    from rarebit.cli._output import written_whole

    with written_whole(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([table.id_name, "label"])
        writer.writerows([table.ids[row], label] for row, label in store.labels.items())
