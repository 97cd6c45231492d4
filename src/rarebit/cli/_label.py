"""``rarebit label``: the page on which people label in the browser."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._child import warm_up
from rarebit._choices import GOALS, STOPS
from rarebit._scratch import scratch_folder
from rarebit.cli._cluster import CLUSTER, table_on_cluster
from rarebit.cli._command import ExampleCommand
from rarebit.cli._numbers import Share
from rarebit.cli._rare import USUAL, check_exclusive, check_near, rare_options, split_names
from rarebit.cli._reading import check_there, reading_options
from rarebit.cli._terminal import Terminal
from rarebit.exceptions import RarebitError

if TYPE_CHECKING:
    from rarebit.projects import Desk
    from rarebit.server import Accounts, Office

ACCOUNTS = Path("rarebit-team.json")
_LOCAL = ("127.0.0.1", "localhost")


def _check_all(
    context: click.Context, parameter: click.Parameter, paths: tuple[Path, ...]
) -> tuple[Path, ...]:
    return tuple(check_there(context, parameter, path) for path in paths)


_REMOVAL = (
    "Answers of the demo are removed when it ends: rarebit label --demo --store digits.db keeps "
    "them."
)


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit label payments.csv --id transaction --classes ok,fraud
rarebit label payments.csv --goal find --recall 0.9
rarebit label photos/ --classes ok,dent,scratch --normal ok
rarebit label reviews.csv --text review --like "refund never arrived"
rarebit label payments/ --id payment --cluster local
rarebit label --demo
rarebit team add ann --role owner
rarebit label payments.csv --host 192.168.1.5""",
)
@click.argument(
    "files",
    nargs=-1,
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE…",
    callback=_check_all,
)
@CLUSTER
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
              help="Port of the page [default: any that is free].")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the link and open nothing.")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True,
              help="Address to listen at; one that others can reach needs accounts.")  # fmt: skip
@click.option("--labels", "--store", "store", metavar="ADDRESS",
              help="Where answers are kept and continued: NAME.db, NAME.jsonl or postgresql://… "
              "[default: NAME.labels.db here].")  # fmt: skip
@click.option("--accounts", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Accounts of a team, made by rarebit team [default: rarebit-team.json here, if "
              "it exists].")  # fmt: skip
@click.option("--demo", is_flag=True, help="Label rare digits, with pictures; no file is needed.")
@click.option("--classes", metavar="A,B,…", help="Classes that you expect, in the order of keys.")
@click.option("--known", multiple=True, metavar="ID=CLASS",
              help="Class of a row that is known from the start; repeatable.")  # fmt: skip
@click.option("--like", metavar="WORDS", help="Ask first the rows that hold these words.")
@click.option("--goal", type=click.Choice(GOALS),
              help="What is wanted: a classifier, the rare rows themselves, or both [default: "
              "both, or as the page has it].")  # fmt: skip
@click.option("--recall", type=Share(),
              metavar="SHARE", help="Ask until it is proved that this share of the rare rows is "
              "found [default: as the page has it].")  # fmt: skip
@click.option("--stop", type=click.Choice(STOPS),
              help="When there are enough labels; never asks until all rows are labelled "
              "[default: auto, or as the page has it].")  # fmt: skip
@click.option("--repeats", type=Share(zero=True), metavar="SHARE",
              help="Ask this share of the rows a second time without saying so, to see how often "
              "labels are wrong.")  # fmt: skip
@click.option("--max-labels", type=click.IntRange(1), metavar="N",
              help="Stop at this number of labels.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Random choices.")  # fmt: skip
@rare_options(USUAL)
@reading_options(target=False)
def label(
    files: tuple[Path, ...],
    cluster: str | None,
    port: int,
    no_browser: bool,
    host: str,
    store: str | None,
    accounts: Path | None,
    demo: bool,
    classes: str | None,
    known: tuple[str, ...],
    like: str | None,
    goal: str | None,
    recall: float | None,
    stop: str | None,
    repeats: float | None,
    max_labels: int | None,
    seed: int,
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Label FILE in the browser: alone on this computer, or as a team with accounts.

    Starts a page, prints a link that works once, and opens it. rarebit chooses the rows; every
    answer is saved before the page shows the next one, and the same command continues where it
    was. Several files become several projects. Ctrl-C ends it.
    """
    import webbrowser

    if bool(files) == demo:
        raise click.UsageError("give a FILE to label, or --demo")
    check_exclusive(rare, normal)
    check_near(split_names([classes or ""]), rare, normal)
    if demo and (rare or normal):
        raise click.UsageError("--demo has rare classes of its own: leave out --rare and --normal")
    if store is not None and len(files) > 1 and not store.lower().startswith("postgres"):
        raise click.UsageError(
            "--store names one file, and several files are given: leave it out, or give a "
            "postgresql:// address"
        )
    if cluster is not None and (len(files) != 1 or like):
        raise click.UsageError(
            "--cluster takes one folder of files and cannot be combined with --like: leave out one"
        )
    pairs = [each.partition("=") for each in known]
    if any(not (name and equals and value) for name, equals, value in pairs):
        raise click.UsageError("--known needs ID=CLASS, such as T-17=fraud")
    team = _accounts(accounts)
    if host not in _LOCAL and team is None:
        raise click.UsageError(
            f"--host {host} lets others in, so it needs accounts: make an owner with rarebit team "
            "add NAME --role owner"
        )
    warm_up()
    from rarebit.server import Doors, Office, PageServer

    settings: dict[str, Any] = {"reading": reading, "seed": seed}
    if classes:
        settings["classes"] = list(split_names([classes]))
    if rare or normal:  # in place of those that an earlier call named
        settings |= {"rare": rare or (), "normal": normal or ()}
    given = {"goal": goal, "recall": recall, "stop": stop, "repeats": repeats,
             "max_labels": max_labels}  # fmt: skip
    settings |= {name: value for name, value in given.items() if value is not None}
    office = Office(Doors(team))
    try:
        server = PageServer(office, host, port)
    except OSError as error:
        raise click.UsageError(
            f"cannot listen at {host}:{port} ({error.strerror}): choose another --port"
        ) from error
    with contextlib.ExitStack() as stack:
        if demo:
            folder = stack.enter_context(scratch_folder())
            _add_demo(
                office, store or str(folder / "digits.labels.db"), seed, kept=store is not None
            )
            if store is None:
                terminal.note(_REMOVAL)
        if cluster is not None:
            table = stack.enter_context(table_on_cluster(cluster, files[0], settings, terminal))
            office.add(table, store=store, settings=settings)
        else:
            for file in files:
                office.add(_with_added(file), store=store, settings=settings)
        link = server.link() if team is None else server.address
        terminal.say(link)
        terminal.result({"link": link})
        sys.stdout.flush()
        terminal.note("The page is open until Ctrl-C.")
        _follow_opening(office, terminal, pairs, like)
        if not no_browser:
            webbrowser.open(link)
        server.run()
        _say_goodbye(office, terminal)


def _accounts(path: Path | None) -> Accounts | None:
    """Return the accounts of a file that has users; None where nobody made any."""
    if path is None and not ACCOUNTS.exists():
        return None
    from rarebit.server import Accounts

    found = Accounts(path or ACCOUNTS)
    if not found.users():
        raise click.UsageError(
            f"{found.path} holds no account: make an owner with rarebit team add NAME --role owner"
        )
    return found


def _with_added(file: Path) -> list[Path]:
    """Return a file and those that the page has added rows from."""
    stem = file.name.split(".")[0]
    added = sorted(
        file.parent.glob(f"{stem}.rows-*"),
        key=lambda path: [int(part) for part in path.name.split("rows-")[-1].split(".")
                          if part.isdecimal()],
    )  # fmt: skip
    return [file, *(path for path in added if path.is_file())]


def _add_demo(office: Office, store: str, seed: int, *, kept: bool) -> None:
    from rarebit.demo import rare_digit_table

    guidelines = (
        "Which digit is it? Press its key, or n for a digit that has none yet.\n\n"
        "The digits 1, 8 and 9 are rare in this pool: 25 of 908 pictures. Some 40 labels meet the "
        "first of them; a model can be exported from then on."
    )
    settings = {"seed": seed, "guidelines": guidelines, "rare": ("1", "8", "9"), "recall": 0.8}
    removal_note = "" if kept else _REMOVAL
    office.add(rare_digit_table(), store=store, settings=settings, removal_note=removal_note)


def _follow_opening(
    office: Office, terminal: Terminal, known: list[tuple[str, str, str]], like: str | None
) -> None:
    """Say what goes wrong while projects open, and give them what is known, behind the page."""
    import threading

    from rarebit.projects import matching_rows, rows_of_ids, take_labels

    def give(title: str, desk: Desk) -> None:
        if known:
            rows, unknown = rows_of_ids(desk, [name for name, _, _ in known])
            labels = {
                row: name for row, (_, _, name) in zip(rows, known, strict=True) if row is not None
            }
            take_labels(desk, labels, "", f"known {sorted(labels.items())}"[:90])
            if unknown:
                terminal.note(f"note: {title} has no rows {', '.join(unknown)}.")
        if like:
            desk.prefer(matching_rows(desk, like).tolist(), 20)
        desk.wait_for_features()  # what is left out is known when the data are encoded
        for note in desk.project_notes:
            terminal.note(f"note: {note}")

    def follow() -> None:
        for place in office.places.values():
            place.opened.wait()
            if place.desk is None:
                terminal.note(f"error: {place.title}: {place.message}")
                continue
            try:
                give(place.title, place.desk)
            except RarebitError as error:
                if not office.live.closing:  # ended by Ctrl-C meanwhile
                    terminal.note(f"error: {place.title}: {error}")

    threading.Thread(target=follow, daemon=True).start()


def _say_goodbye(office: Office, terminal: Terminal) -> None:
    from rarebit.projects import counted
    from rarebit.tables import Table

    for place in office.places.values():
        if place.desk is not None and not isinstance(place.sources, Table):  # not of the demo
            n_labels = len(place.desk.board.labels)
            terminal.note(
                f"{place.title}: {counted(n_labels, 'label is', 'labels are')} saved in "
                f"{place.desk.store.address}; the same command continues."
            )
