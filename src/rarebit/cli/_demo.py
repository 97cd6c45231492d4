"""``rarebit demo``: the main job on a pool that comes with scikit-learn."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._reporting import write_report
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.demo import Demo


@click.command(cls=ExampleCommand, example="rarebit demo\nrarebit demo --seed 3 --open")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default="rarebit-demo.html",
    show_default=True,
    metavar="FILE",
    help="Where the report goes.",
)
@click.option("--open", "show", is_flag=True, help="Open the report in the browser.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Which rows are drawn."
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Draws of pool and test rows, to show the spread.",
)
def demo(out: Path, show: bool, seed: int, repeats: int, terminal: Terminal) -> None:
    """Watch a complete run: no arguments, no network, under a minute.

    In a pool of handwritten digits three are rare: a handful of rows each. No row has a label.
    rarebit asks for labels, and somebody who knows them answers: it finds the rare digits, learns
    their border, says when to stop, and is compared with random labelling and with all labels.
    """
    from rarebit.cli._output import check_writable

    check_writable(out)
    from rarebit.demo import run_demo

    start = time.perf_counter()
    with terminal.progress("Asking for labels in pools of digits", repeats) as advance:
        found = run_demo(random_state=seed, repeats=repeats, on_step=advance)
    write_report(found.report(), out)
    seconds = time.perf_counter() - start
    _tell(found, terminal)
    terminal.say(f"Report: {out} ({seconds:.0f} s in all)")
    terminal.result({**found.summary(), "report": str(out), "seconds": seconds})
    if show:
        click.launch(str(out))


def _tell(found: Demo, terminal: Terminal) -> None:
    if terminal.as_json:
        return
    summary: dict[str, Any] = found.summary()
    labels, rows = summary["labels"], summary["rows"]
    terminal.say(f"A pool of {rows:,} handwritten digits, none of them labelled. Rare in it:")
    _show_found(found, summary)
    terminal.say(
        f"All {len(found.first.hunt.discovered_)} digits seen after "
        f"{summary['all_classes_after']} labels; the border of all of them learned after "
        f"{labels:,} labels, {100 * labels / rows:.0f} % of the pool."
    )
    advice = "You may stop" if summary["stop"]["advised"] else "Continue"
    terminal.say(f"{advice}: {' '.join(summary['stop']['reasons'].values())}")
    terminal.say()
    _show_curves(found, terminal)
    average = sum(summary["labels_by_repeat"]) / summary["repeats"]
    names = {"rarebit": "rarebit", "random": "as many random labels", "all": "all labels"}
    terminal.table(
        ["labelled by", "labels", "g-mean", "worst – best", "rare digits recognised"],
        [
            [
                names[way],
                f"{rows if way == 'all' else average:,.0f}",
                f"{scores['g_mean']['mean']:.3f}",
                f"{scores['g_mean']['worst']:.3f} – {scores['g_mean']['best']:.3f}",
                f"{100 * scores['rare_recognised']['mean']:.0f} %",
            ]
            for way, scores in summary["scores"].items()
        ],
    )
    terminal.say(
        f"g-mean of the ten digits on {summary['test_rows']:,} test rows, mean of "
        f"{summary['repeats']} draws of pool and test rows."
    )
    final = summary["final"]
    terminal.say(
        f"The final classifier of the first draw, as rarebit learn ships it: g-mean "
        f"{final['g_mean']:.3f}, {100 * final['rare_recognised']:.0f} % of the rare digits "
        f"recognised. {final['reason']}"
    )


def _show_found(found: Demo, summary: dict[str, Any]) -> None:
    """The rows by which the rare digits were found, beside each other."""
    from rich.columns import Columns
    from rich.console import Console, Group
    from rich.text import Text

    from rarebit.cli._blocks import picture

    console = Console(file=sys.stdout, highlight=False, width=None if _is_seen() else 100)
    cards = []
    for digit, row in found.first_rows().items():
        own = summary["rare"][str(digit)]
        lines = [
            f"digit {digit}: {own['rows']} rows",
            f"found at label {own['first_seen_at']}",
            f"(at random: {own['at_random']:.0f})",
        ]
        image = picture(found.image(row), columns=16, color=console.color_system is not None)
        cards.append(Group(image, *map(Text, lines)))
    console.print(Columns(cards, padding=(1, 5)))
    console.print()


def _show_curves(found: Demo, terminal: Terminal) -> None:
    import numpy as np

    from rarebit.cli._blocks import sparkline

    ends = [run.curves["rarebit"]["n_labels"][-1] for run in found.repeats]
    last = int(min(ends))
    labels = np.geomspace(10, last, 40)
    for name in ("rarebit", "random"):
        scores = [
            np.interp(labels, run.curves[name]["n_labels"], run.curves[name]["score"])
            for run in found.repeats
        ]
        mean = np.mean(scores, axis=0)
        terminal.say(f"{name:<8} {sparkline(mean.tolist())} g-mean {mean[-1]:.2f}")
    terminal.say(f"{'labels':<8} {'10':<{37}}{last:>3,}")


def _is_seen() -> bool:
    return sys.stdout.isatty()
