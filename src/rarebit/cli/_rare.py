"""The options ``--rare`` and ``--normal``: which classes are sought."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

FEWEST = "the class with the fewest rows"
USUAL = "every class but the one that most rows seem to have"


def split_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return names that were given separated by commas; quotes hold a name with a comma together.

    Examples
    --------
    >>> split_names(["a,b", '"Smith, J.",c'])
    ('a', 'b', 'Smith, J.', 'c')
    """
    import csv

    names = [
        name.strip()
        for text in texts
        for line in csv.reader([text], skipinitialspace=True)
        for name in line
    ]
    return tuple(dict.fromkeys(name for name in names if name))


def _names(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | None:
    return split_names(given) or None


def rare_options(default: str = FEWEST) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command ``--rare`` and ``--normal``; it gets tuples of names, or None.

    Parameters
    ----------
    default : str, default=FEWEST
        What is rare where neither is given, for the help.
    """

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            click.option(
                "--normal",
                multiple=True,
                callback=_names,
                metavar="CLASS",
                help="Every class but this one is rare; several as for --rare.",
            ),
            click.option(
                "--rare",
                multiple=True,
                callback=_names,
                metavar="A,B",
                help="The rare classes, repeatable; a name with a comma as '\"a, b\"'. Several are "
                f"sought as one, and each is named [default: {default}].",
            ),
        ):
            command = option(command)
        return command

    return decorated


def check_near(
    classes: Sequence[str], rare: Sequence[str] | None, normal: Sequence[str] | None
) -> None:
    """Refuse a sought class that is none of those expected, and close to one of them."""
    from rarebit.cli._misspelt import misspelt

    for option, names in (("--rare", rare), ("--normal", normal)):
        for name in names or ():
            close = misspelt(name, classes)
            if close is not None:
                raise click.UsageError(
                    f"{option} {name!r} is none of --classes ({', '.join(classes)}), and close to "
                    f"{close!r}: write that, or add it to --classes if it is a class of its own"
                )


def check_exclusive(rare: Sequence[str] | None, normal: Sequence[str] | None) -> None:
    """Refuse both options at once."""
    if rare and normal:
        raise click.UsageError("--rare and --normal cannot be combined: give one of them")
