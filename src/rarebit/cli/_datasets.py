"""``rarebit datasets``: the data sets of the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rarebit.cli._command import ExampleCommand, ExampleGroup
from rarebit.cli._terminal import Terminal


@click.group(
    cls=ExampleGroup,
    example="""\
rarebit datasets list
rarebit datasets show yeast
rarebit datasets fetch yeast shuttle_train""",
)
def datasets() -> None:
    """List, describe and fetch the data sets of the papers."""


@datasets.command(name="list", cls=ExampleCommand, example="rarebit datasets list --json")
def list_sets(terminal: Terminal) -> None:
    """List data sets and the tasks made of them."""
    from rarebit.datasets import find_file, list_pools, list_sets, list_tasks, set_info

    found: list[dict[str, Any]] = []
    for name in list_sets():
        info = set_info(name)
        rarest = min(info.class_counts.items(), key=lambda pair: pair[1])
        found.append(
            {
                "name": name,
                "rows": info.n_rows,
                "columns": info.n_features,
                "classes": len(info.class_counts),
                "rarest_class": rarest[0],
                "rows_of_rarest": rarest[1],
                "here": find_file(info) is not None,
            }
        )
    headings = ["set", "rows", "columns", "classes", "rarest class", "its rows", "file"]
    rows = [
        [s["name"], f"{s['rows']:,}", f"{s['columns']:,}", str(s["classes"]), s["rarest_class"],
         f"{s['rows_of_rarest']:,}", "here" if s["here"] else "to be fetched"]
        for s in found
    ]  # fmt: skip
    terminal.table(headings, rows)
    terminal.say(f"Tasks of two classes: {', '.join(list_tasks())}")
    terminal.say(f"Pools for discovery: {', '.join(list_pools())}")
    terminal.result({"sets": found, "tasks": list_tasks(), "pools": list_pools()})


@datasets.command(cls=ExampleCommand, example="rarebit datasets show yeast")
@click.argument("name")
def show(name: str, terminal: Terminal) -> None:
    """Describe one data set: rows, columns, classes, where it comes from."""
    from rarebit.datasets import find_file, set_info

    info = set_info(name)
    path = find_file(info)
    terminal.say(f"{info.name}: {info.n_rows:,} rows, {info.n_features:,} columns ({info.kind})")
    counts = sorted(info.class_counts.items(), key=lambda pair: pair[1])
    terminal.table(
        ["class", "rows", "share"],
        [[label, f"{n:,}", f"{100 * n / info.n_rows:.3g} %"] for label, n in counts],
    )
    terminal.say(f"File: {path or 'not here; rarebit datasets fetch gets it'}")
    terminal.say(f"Origin: {info.origin}")
    terminal.result(
        {
            "name": info.name,
            "kind": info.kind,
            "rows": info.n_rows,
            "columns": info.n_features,
            "classes": dict(counts),
            "file": None if path is None else str(path),
            "origin": info.origin,
            "sha256": info.sha256,
        }
    )


@datasets.command(cls=ExampleCommand, example="rarebit datasets fetch yeast --out data")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Also write each set as NAME.csv (documents and tables) or NAME.npz (images) here.",
)
def fetch(names: Sequence[str], out: Path | None, terminal: Terminal) -> None:
    """Fetch data sets, or check that they are here; NAME may be all."""
    from rarebit.datasets import list_sets, load_raw, set_info

    wanted = list_sets() if "all" in names else list(names)
    for name in wanted:
        set_info(name)  # a wrong name must not cost the download of the others
    done: dict[str, Any] = {}
    with terminal.progress("fetching", len(wanted)) as advance:
        for name in wanted:
            raw = load_raw(name, verify=True)
            done[name] = {"rows": len(raw.y), "classes": dict(Counter(raw.y.tolist()))}
            if out is not None:
                done[name]["file"] = str(_write(raw, out))
            advance(1)
    for name, about in done.items():
        where = f", written to {about['file']}" if "file" in about else ""
        terminal.say(f"{name}: {about['rows']:,} rows{where}")
    terminal.result({"sets": done})


def _write(raw: Any, folder: Path) -> Path:
    """Write a set as a file that the other commands read."""
    import numpy as np
    import polars as pl

    from rarebit.cli._output import written_whole

    folder.mkdir(parents=True, exist_ok=True)
    if raw.X.ndim == 1:
        frame = pl.DataFrame({"text": raw.X.tolist(), "class": raw.y.tolist()})
    elif raw.X.dtype == np.uint8:
        path = folder / f"{raw.name}.npz"
        with written_whole(path) as partial:
            np.savez_compressed(partial, X=raw.X, y=raw.y)
        return path
    else:
        columns: dict[str, Any] = {}
        for j in range(raw.X.shape[1]):
            values = raw.X[:, j]
            words = raw.categories.get(j)
            columns[f"x{j + 1}"] = (
                values if words is None else [words[int(code)] for code in values]
            )
        frame = pl.DataFrame({**columns, "class": raw.y.tolist()}).fill_nan(None)
    path = folder / f"{raw.name}.csv"
    with written_whole(path) as partial:
        frame.write_csv(partial)
    return path
