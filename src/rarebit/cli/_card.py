"""``rarebit card``: what is known of a model, as Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._predict import MODEL
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="rarebit card fraud.rarebit\nrarebit card fraud.rarebit --out fraud.md",
)
@MODEL
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the Markdown goes [default: standard output].",
)
def card(model: Path, out: Path | None, terminal: Terminal) -> None:
    """Show what MODEL is for, what it learned from, how good it is, and its limits.

    Everything comes from the manifest in the file; the model itself is not loaded.
    """
    from rarebit.cli._output import written_whole
    from rarebit.models import model_card, read_manifest

    manifest = read_manifest(model)
    text = model_card(manifest, model.name)
    if out is None:
        for line in text.splitlines():
            terminal.say(line)
    else:
        with written_whole(out) as partial:
            partial.write_text(text, encoding="utf-8")
        terminal.say(f"Wrote {out}.")
    terminal.result({"card": text, "manifest": manifest, "file": None if out is None else str(out)})
