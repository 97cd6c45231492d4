"""Options of ``rarebit learn`` that are settings of the project."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from rarebit._choices import STOPS
from rarebit.cli._aims import aim_options
from rarebit.cli._numbers import Share, number_or_tuned
from rarebit.cli._rare import USUAL, check_exclusive, check_near, rare_options
from rarebit.cli._reading import MISSING, aside_columns, split_options
from rarebit.models import method_names

_OPTIONS = (
    click.option(
        "--stop",
        type=click.Choice(STOPS),
        default="auto",
        show_default=True,
        help="When to stop asking; never: ask until you quit.",
    ),
    click.option(
        "--holdout",
        type=Share(),
        metavar="SHARE",
        help="With --oracle: evaluate on a share of the rows that is never asked for.",
    ),
    click.option(
        "--method",
        type=click.Choice(method_names(learns=True)),
        default="auto",
        show_default=True,
        help="Final classifier: blend combines kernel SVMs and trees, weighted by "
        "cross-validation; bagged is kernel SVMs on balanced samples alone; border is the SVM that "
        "chose the questions; auto is blend.",
    ),
    click.option(
        "--kernel",
        type=click.Choice(["rbf", "linear", "poly", "sigmoid"]),
        help="Kernel [default: rbf; linear for texts].",
    ),
    click.option(
        "--cost",
        "C",
        type=number_or_tuned,
        default=1.0,
        show_default=True,
        metavar="C",
        help="Cost of an error in the SVM that chooses the questions, or tuned: chosen by "
        "cross-validation, again whenever labels have grown by half.",
    ),
    click.option(
        "--gamma",
        type=number_or_tuned,
        metavar="NUMBER",
        help="Kernel coefficient of the SVM that chooses the questions, or tuned [default: 1 / "
        "(number of features × variance)].",
    ),
    MISSING,
)
_NAMES = ("stop", "holdout", "method", "kernel", "C", "gamma", "missing", "group", "time")


def learning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; it is called with ``learning``, settings of a project.

    The command has ``given`` and ``reading``, too: columns to hold rows out by are read and do not
    become features.
    """

    @wraps(command)
    def called(**options: Any) -> Any:
        learning = {name: options.pop(name) for name in _NAMES}
        rare, normal = options.pop("rare"), options.pop("normal")
        check_exclusive(rare, normal)
        check_near(options["given"]["classes"], rare, normal)
        if learning["holdout"] is not None and options["given"]["oracle"] is None:
            raise click.UsageError(
                "--holdout needs --oracle, which knows the classes of rows held out"
            )
        learning |= {"rare": rare or (), "normal": normal or (), **options.pop("aim")}
        reading = options["reading"]
        aside = (*reading["aside"], *aside_columns(learning["group"], learning["time"]))
        options["reading"] = {**reading, "aside": tuple(dict.fromkeys(aside))}
        return command(learning=learning, **options)

    decorated = rare_options(USUAL)(called)
    decorated = split_options(aim_options(decorated))
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
