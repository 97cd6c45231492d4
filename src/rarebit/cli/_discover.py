"""``rarebit discover``: find the classes of a file that nobody has labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._labelling import (
    Labelling,
    advise,
    check_someone_answers,
    labelling_options,
    make_explorer,
    open_labels,
    progress_line,
    write_labels,
)
from rarebit.cli._reading import FILE, read_rows, reading_options
from rarebit.cli._reporting import write_report
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.labels import LabelStore
    from rarebit.report import Report
    from rarebit.tables import Table


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit discover transactions.csv --id transaction
rarebit discover transactions.csv --oracle class --max-labels 200 --report found.html
rarebit discover reviews.csv --text review --classes praise,complaint""",
)
@FILE
@labelling_options
@reading_options(target=False)
def discover(
    file: Path,
    oracle: str | None,
    labels_file: Path | None,
    classes: str | None,
    max_labels: int | None,
    explorer: str,
    priors: tuple[float, ...],
    seed: int,
    export: Path | None,
    report_file: Path | None,
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Find the classes in FILE, of which no row is labelled.

    rarebit shows rows that are likely to be of a class not seen yet, and you name their class with
    one key. Every answer is saved at once: after quitting, Ctrl-C or a power cut the same command
    goes on where it was. With --oracle a column answers instead of you.
    """
    check_someone_answers(oracle)
    from rarebit.cli._output import check_writable

    for path in (export, report_file):
        if path is not None:
            check_writable(path)
    table = read_rows(file, terminal, target=oracle, spill=True, **reading)
    from rarebit.discovery import stop_when_dry
    from rarebit.labels import LabelSession
    from rarebit.tables import TableEncoder

    encoder = TableEncoder().fit(table)
    asker = make_explorer(explorer, priors, seed, "cosine" if encoder.sparse_ else "euclidean")
    with open_labels(labels_file, file, table) as store:
        with terminal.progress("Looking at all rows"):
            asker.start(encoder.transform(table))
        name = " ".join(["discover", explorer, *map(str, priors), f"seed {seed}"])
        with terminal.progress("Going on with earlier answers", len(store.events)) as advance:
            session = LabelSession(asker, store, by=name, on_replay=advance)
        labelling = Labelling(
            session,
            table,
            terminal,
            max_labels=max_labels,
            classes=split_names(classes),
            enough=lambda: stop_when_dry(asker.discovered_, len(store.labels)),
            heading=lambda: progress_line(len(store.labels), len(asker.discovered_)),
        )
        labelling.run(oracle)
        reasons = stop_when_dry(asker.discovered_, len(store.labels))
        if asker.done:
            reasons["done"] = asker.status()
        if export is not None:
            write_labels(store, table, export)
        if report_file is not None:
            write_report(_report(table, store, asker.discovered_, reasons), report_file)
        tell_found(terminal, table, store, asker.discovered_)
        terminal.say(advise(reasons, labelling.is_full))
        terminal.say(f"Labels: {store.path}")
        if report_file is not None:
            terminal.say(f"Report: {report_file}")
        terminal.result(
            {
                "rows": table.n_rows,
                "labels": len(store.labels),
                "skipped": len(store.skipped),
                "classes": found_classes(table, store, asker.discovered_),
                "stop": {"advised": bool(reasons), "reasons": reasons},
                "labels_file": str(store.path),
                "report": None if report_file is None else str(report_file),
            }
        )


def split_names(names: str | None) -> list[str]:
    """Names that were given in one word, separated by commas."""
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def first_rows(store: LabelStore) -> dict[Any, int]:
    """Class to the row by which it was first seen."""
    first: dict[Any, int] = {}
    for row, label in store.labels.items():
        first.setdefault(label, row)
    return first


def found_classes(
    table: Table, store: LabelStore, discovered: dict[Any, int]
) -> list[dict[str, Any]]:
    """One record a class: when and by which row it was first seen, and rows labelled."""
    counts = Counter(store.labels.values())
    first = first_rows(store)
    return [
        {"class": name, "first_seen_at": at, "first_row": table.ids[first[name]],
         "labelled": counts[name]}
        for name, at in sorted(discovered.items(), key=lambda pair: pair[1])
    ]  # fmt: skip


def tell_found(
    terminal: Terminal, table: Table, store: LabelStore, discovered: dict[Any, int]
) -> None:
    """Print which classes were found."""
    if not store.labels:
        terminal.say("No row was labelled.")
        return
    from rarebit.cli._person import printable

    terminal.table(
        ["class", "first seen at label", "in row", "rows labelled"],
        [
            [printable(c["class"]), f"{c['first_seen_at']:,}", printable(c["first_row"]),
             f"{c['labelled']:,}"]
            for c in found_classes(table, store, discovered)
        ],
    )  # fmt: skip
    skipped = f", {len(store.skipped):,} skipped" if store.skipped else ""
    terminal.say(f"{len(store.labels):,} of {table.n_rows:,} rows labelled{skipped}.")


def describe_rows(table: Table, rows: Sequence[int]) -> tuple[list[str], list[Any] | None]:
    """Say in a line what each row holds; and their images, if they are images."""
    from rarebit.cli._person import short_value

    texts, images = [], []
    for row in rows:
        shown = table.show(row)
        cells = list(shown.fields.items())[:12]
        fields = ", ".join(f"{name} {short_value(value)}" for name, value in cells)
        text = shown.text if shown.text is not None else fields
        texts.append(text if len(text) <= 200 else text[:199] + "…")
        images.append(shown.image)
    return texts, images if images and all(image is not None for image in images) else None


def _report(
    table: Table, store: LabelStore, discovered: dict[Any, int], reasons: dict[str, str]
) -> Report:
    from rarebit.report import Report

    found = found_classes(table, store, discovered)
    first = first_rows(store)
    texts, images = describe_rows(table, [first[c["class"]] for c in found])
    at_random = None
    if table.target is not None:
        counts = Counter(str(label) for label in table.target if label)
        at_random = {name: (table.n_rows + 1) / (n + 1) for name, n in counts.items()}
    headings = [table.id_name, "class", "at label", *([] if images else ["what it holds"])]
    rows = [
        [c["first_row"], str(c["class"]), c["first_seen_at"], *([] if images else [text])]
        for c, text in zip(found, texts, strict=True)
    ]
    report = Report(
        f"Classes of {table.source}",
        f"{len(found):,} classes were found with {len(store.labels):,} labels among "
        f"{table.n_rows:,} rows.",
        {"rows": table.n_rows, "labels": len(store.labels), "classes": len(found)},
    )
    headline = (
        "You may stop: further classes are unlikely to turn up soon."
        if reasons
        else "Going on is worth it: classes may still be unseen."
    )
    report.add_stop_advice(bool(reasons), reasons, headline)
    report.add_discovery(discovered, counts=Counter(store.labels.values()), random=at_random)
    captions = [f"{c['first_row']}\n{c['class']}" for c in found]
    return report.add_rows(
        headings,
        rows,
        images=images,
        captions=captions,
        title="First rows",
        caption="The row by which each class was first seen",
    )
