"""What `discover` and `learn` share: options of a project, and who answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rarebit._choices import EXPLORERS
from rarebit._text import counted
from rarebit.cli._exit import ExitCode
from rarebit.cli._keys import Keys
from rarebit.cli._numbers import Share
from rarebit.cli._output import RAW
from rarebit.cli._rare import split_names
from rarebit.cli._reporting import REPORT
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects import Project, ProjectStatus, Settings, Ways

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--oracle",
        metavar="COLUMN",
        help="Column that holds the answers ('folder' for images in subfolders named by their "
        "class); without it, you are asked in the terminal.",
    ),
    click.option(
        "-t",
        "--target",
        metavar="COLUMN",
        help="Column with the classes that are known already; its empty cells are asked for.",
    ),
    click.option(
        "--known",
        multiple=True,
        metavar="ID=CLASS",
        help="Class of a row that is known already; repeatable.",
    ),
    click.option(
        "--labels",
        "--store",
        "store",
        metavar="ADDRESS",
        help="Where answers are kept and continued: NAME.db, NAME.jsonl or postgresql://… "
        "[default: NAME.labels.db here, or NAME.labels.jsonl where it exists].",
    ),
    click.option(
        "--classes",
        multiple=True,
        metavar="A,B,…",
        help="Classes that you expect, so that they have keys from the start; repeatable, a name "
        "with a comma as '\"a, b\"'.",
    ),
    click.option(
        "--show",
        "shown",
        multiple=True,
        metavar="COLUMN",
        help="Show a column with each row and do not learn from it; repeatable.",
    ),
    click.option(
        "--max-labels", type=click.IntRange(1), metavar="N", help="Stop at this number of labels."
    ),
    click.option(
        "--explorer",
        type=click.Choice(EXPLORERS),
        default="scout",
        show_default=True,
        help="How classes are sought: scout looks for small groups of rows that differ from their "
        "surroundings and needs to know nothing; malice and alice, two published methods, look for "
        "dense groups of the size that --prior gives; random draws rows.",
    ),
    click.option(
        "--prior",
        "priors",
        type=Share(),
        multiple=True,
        metavar="SHARE",
        help="For malice and alice: share of a rare class, repeated for each; a single one is an "
        "upper bound.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random choices."
    ),
    click.option(
        "--export",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Also write the labels (id and label) as .csv, .tsv, .jsonl, .parquet or .xlsx; "
        ".ris or .bib where FILE is one.",
    ),
    RAW,
    REPORT,
)
# What proves something in the terminal.
RECALL = "--recall 0.9"
_SETTINGS = ("oracle", "target", "max_labels", "explorer", "priors", "seed")
_OPTION_NAMES = {
    "priors": "--prior",
    "holdout": "--holdout",
    "oracle": "--oracle",
    "target": "--target",
    "group": "--group",
    "time": "--time",
    "max_labels": "--max-labels",
    "C": "--cost",
    "gamma": "--gamma",
    "like": "--like",
    "explorer": "--explorer",
}


def labelling_options(command: Function) -> Callable[..., Any]:
    """Give a command the options of a project; it gets those that are settings as ``given``."""

    @wraps(command)
    def collected(*arguments: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in _SETTINGS}
        given["classes"] = split_names(options.pop("classes"))
        given["known"] = _known(options.pop("known"))
        if given["oracle"] is None and not sys.stdin.isatty():
            raise click.UsageError(
                "Nobody can answer, because standard input is not a terminal: run this in a "
                "terminal, or name the column that holds the answers with --oracle COLUMN"
            )
        return command(*arguments, given=given, **options)

    decorated: Callable[..., Any] = collected
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _known(texts: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for text in texts:
        name, equals, label = text.rpartition("=")
        if not (name and equals and label.strip()):
            raise click.UsageError(f"--known needs ID=CLASS, such as p00017=fraud, got {text!r}")
        row, label = name.strip(), label.strip()
        if known.setdefault(row, label) != label:
            raise click.UsageError(
                f"--known gives {row!r} two classes, {known[row]!r} and {label!r}: keep one of them"
            )
    return known


@contextmanager
def open_project(
    file: Path,
    store: str | None,
    settings: dict[str, Any],
    terminal: Terminal,
    cluster: str | None = None,
) -> Iterator[Project]:
    """Open the project of a file with progress and notes; bad settings are errors of usage."""
    from rarebit.projects import Project, Settings, SettingsError

    with ExitStack() as stack:
        try:
            checked = Settings(**settings)
            if cluster is None:
                project = stack.enter_context(
                    Project.open(file, store=store, settings=checked, progress=terminal.progress)
                )
            else:
                from rarebit.cli._cluster import project_on_cluster

                opened = project_on_cluster(cluster, file, store, checked, terminal)
                project = stack.enter_context(opened)
        except SettingsError as error:
            raise click.UsageError(_as_options(str(error))) from error
        for note in project.notes:
            terminal.note(f"note: {note}")
        yield project


def _as_options(message: str) -> str:
    """Name settings by the options that give them."""
    for setting, option in _OPTION_NAMES.items():
        message = message.replace(repr(setting), option)
    return message


def collect_answers(project: Project, terminal: Terminal) -> None:
    """Ask a person, or read the oracle's column, until it is enough."""
    from rarebit.cli._annotator import ask_annotator
    from rarebit.projects import heading_line, refuse_by_hand

    status = project.status()
    if status.n_labels or status.n_skipped:
        begun = status.n_labels > status.n_given or status.n_skipped
        terminal.note(
            f"Continuing with {counted(status.n_labels, 'label')} and "
            f"{counted(status.n_skipped, 'skip')} from {status.store}."
            if begun
            else f"Starting from {counted(status.n_given, 'label')} given beforehand."
        )
    try:
        if project.settings.oracle is None:
            refuse_by_hand(project.store)
            with Keys() as keys:
                ask_annotator(project, keys)
        else:
            limit = project.settings.max_labels
            with terminal.progress("Reading answers from the column", limit) as advance:

                def note(steps: int) -> None:
                    advance(steps)
                    # The bar counts the labels where it knows their limit, and the words, which
                    # are said now and then only, would have another number.
                    advance.tell(
                        lambda: heading_line(project.status(), RECALL, labels=limit is None)
                    )

                advance(status.n_labels - status.n_given)
                project.answer_from_column(note)
    except KeyboardInterrupt:
        terminal.note("")
        # What is stored, not what is learned: the key may have come between the two.
        n_labels = len(project.store.labels())
        terminal.note(
            f"{counted(n_labels, 'label is', 'labels are')} saved in {status.store}; the same "
            "command continues."
        )
        if terminal.as_json:
            raise
        # People leave this way as well, and everything is saved: that is no error.
        raise click.exceptions.Exit(int(ExitCode.INTERRUPTED)) from None


def say_found(terminal: Terminal, status: ProjectStatus) -> None:
    """Print which classes were found."""
    from rarebit.projects import labelled_line

    if status.classes:
        terminal.table(
            ["class", "first seen at label", "first row", "rows labelled"],
            [
                [str(c.name), f"{c.first_seen_at:,}" if c.first_seen_at else "given",
                 str(c.first_row),
                 f"{c.labelled:,}"]
                for c in status.classes
            ],
        )  # fmt: skip
    terminal.say(labelled_line(status))


def ways() -> Ways:
    """Return how people at a terminal do what an advice names."""
    from rarebit.projects import Ways

    return Ways(
        prove=RECALL,
        resume="run the same command again",
        raise_limit="run the same command with a larger --max-labels",
        insist="run the same command with --stop never",
    )


def say_advice(terminal: Terminal, status: ProjectStatus) -> None:
    """Print what is proved, whether to stop, and how to continue."""
    from rarebit.projects import advise, proof_sentences

    proof = status.proof
    if proof is not None and proof.target is not None:
        terminal.say(" ".join(proof_sentences(proof)))
    for line in advise(status, ways()).lines:
        terminal.say(line)


def summary(status: ProjectStatus, settings: Settings) -> dict[str, Any]:
    """Return what both commands print for machines."""
    from rarebit.projects import advise

    values = status.to_json() | {"advice": advise(status, ways()).to_json()}
    kept = (
        "rows", "labels", "skipped", "classes", "stop", "labels_by_annotator", "disagreements",
        "proof", "search", "path", "unmet", "goal", "open_search", "advice",
    )  # fmt: skip
    return {**{name: values[name] for name in kept}, "labels_file": status.store}


def check_labels_name(path: Path, data: Path) -> None:
    """Refuse a name of a file of labels that cannot be written, before anybody labels."""
    from rarebit.projects import LabelImportError, check_export_name

    try:
        check_export_name(path, data.name)
    except LabelImportError as error:
        raise click.UsageError(str(error).rstrip(".")) from error


def export_answers(project: Project, path: Path, terminal: Terminal, *, raw: bool) -> None:
    """Write the labels that count, with the errors of every other result, and say so."""
    from rarebit.cli._output import explained

    with explained(path):
        n_lines = project.export(path, raw=raw)
    terminal.say(f"{counted(n_lines, 'label')} exported to {path}.")
