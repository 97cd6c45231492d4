"""Options that say what labelling is for: a classifier, the rare rows, a recall that is proved."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from rarebit._choices import GOALS
from rarebit.cli._numbers import Share

_SHARE = Share()


def aim_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; it is called with ``aim``, settings of a project."""
    options = [
        click.option(
            "--goal",
            type=click.Choice(GOALS),
            default="both",
            show_default=True,
            help="What is wanted: a classifier, the rare rows themselves (the most likely ones "
            "first), or both.",
        ),
        click.option(
            "--recall",
            type=_SHARE,
            metavar="SHARE",
            help="Ask until it is proved that this share of the rare rows is found. Without it, "
            "the advice to stop promises no recall.",
        ),
        click.option(
            "--confidence",
            type=_SHARE,
            default=0.95,
            show_default=True,
            metavar="SHARE",
            help="Probability that what is proved is right, however often you look.",
        ),
        click.option(
            "--hidden",
            type=_SHARE,
            default=0.005,
            show_default=True,
            metavar="SHARE",
            help="With --stop auto: rare rows that nobody has seen may be this share of all rows "
            "when asking ends; a smaller one takes more labels.",
        ),
        click.option(
            "--like",
            default="",
            metavar="WORDS",
            help="For texts: words that describe what is sought; rows with them are asked first.",
        ),
        click.option(
            "--repeats",
            type=Share(zero=True),
            default=0.0,
            metavar="SHARE",
            help="Ask this share of the rows a second time without saying so, to see how often "
            "labels are wrong.",
        ),
    ]

    @wraps(command)
    def called(**given: Any) -> Any:
        names = ("goal", "recall", "confidence", "hidden", "like", "repeats")
        return command(aim={name: given.pop(name) for name in names}, **given)

    for option in reversed(options):
        called = option(called)
    return called
