"""When a model is doubted: too many rows are called rare, or few rare rows were there to learn."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from rarebit._text import counted, rough_percent
from rarebit.models._model import Model

# A share of rows called rare is doubted when it is so many times the share that is known …
_TIMES = 5.0
# … or, where no share is known, when it is larger than this and so many times the rare labels, or
# when the model estimates that fewer than so many are right.
_SHARE, _PER_LABEL, _RIGHT = 0.05, 20, 0.5
_FEWEST = 100  # people can look at fewer alarms
_FEW = 10  # rare rows below which one row more or less changes every figure by a tenth or more
_PRECISIONS = ("0.9", "0.8", "0.5")


def doubt_alarms(model: Model, n_rows: int, n_called: int, *, about: bool = False) -> str:
    """Say that a model calls more rows rare than its own figures make plausible.

    The share of rare rows is known where rows were held out or drawn at random: more than five
    times of it is doubted. Elsewhere more than 5 % of the rows are, if they are also more than 20
    times the rare rows that the model learned from, or if by the model's own estimate fewer than
    half of them are rare. Fewer than 100 rows never are.

    Parameters
    ----------
    model : Model
        Model that decided, with its own rare classes.
    n_rows, n_called : int
        Rows that were decided, and those called rare.
    about : bool, default=False
        Whether the number of rows called rare is an estimate.

    Returns
    -------
    str
        A sentence with the next step; empty where nothing is to be said.
    """
    if n_called < _FEWEST:
        return ""
    share, known = n_called / n_rows, _known_share(model)
    if known is not None:
        expected, where = known
        if share <= _TIMES * expected:
            return ""
        why = f"but only {rough_percent(expected)} of the rows {where} were"
    else:
        n_labels = sum(model.manifest["rare_classes"].values())
        right = (model.manifest.get("estimate") or {}).get("precision")
        if share <= _SHARE:
            return ""
        if n_called > _PER_LABEL * n_labels:
            rows = "row" if n_labels == 1 else "rows"
            why = f"but the model has learned from only {n_labels:,} rare {rows}"
        elif right is not None and right < _RIGHT:
            why = f"and by the model's own estimate only {100 * right:.0f} % of such rows are rare"
        else:
            return ""
    aim = _reachable_precision(model)
    fewer = f"--threshold precision={aim} or --top 100" if aim else "--top 100"
    return (
        f"{'About ' * about}{n_called:,} of {n_rows:,} rows ({rough_percent(share)}) are called "
        f"{model.rare_class!r}, {why}: most are probably false alarms. Label more rows, or let "
        f"rarebit predict give fewer alarms with {fewer}."
    )


def doubt_few(model: Model) -> str:
    """Say that a model has learned from too few rare rows for its figures to be relied on.

    With fewer than ten rare rows each of them is more than a tenth of the recall, so that an
    average precision of 1 and a threshold for a precision mean little.

    Parameters
    ----------
    model : Model
        Model that was trained or loaded.

    Returns
    -------
    str
        A sentence with the next step; empty where there are enough, or their number is not known.

    Examples
    --------
    >>> import polars as pl
    >>> from rarebit.models import doubt_few, train_model
    >>> few = pl.DataFrame({"x": [9.0, 8.0, *range(8)], "class": ["b", "b", *"aaaaaaaa"]})
    >>> doubt_few(train_model(few, target="class", method="kernel", validate=False))[:44]
    "The model has learned from only 2 rows of 'b"
    """
    manifest = model.manifest
    # Files of early versions know the rows of each class, and not those of the rare ones.
    n_rare = sum(manifest["rare_classes"].values()) or manifest["classes"].get(model.rare_class, 0)
    if not 0 < n_rare < _FEW:
        return ""
    return (
        f"The model has learned from only {counted(n_rare, 'row')} of {model.rare_class!r}: its "
        "figures and thresholds are uncertain. Label more rows until this class has "
        f"{_FEW} or more."
    )


def _known_share(model: Model) -> tuple[float, str] | None:
    """Return the largest share of rows that is plausible for the rare class, and where it is of."""
    metrics = model.manifest.get("metrics")
    if metrics is not None:
        own: dict[str, Any] = metrics.get("classes", {}).get(model.rare_class, {})
        n_rows = metrics.get("n_rows", 0)
        if own and n_rows:
            # One row is the least that can be expected of a class that is there.
            return max(own["support"], own["predicted"], 1) / n_rows, "held out"
    drawn = getattr(model.classifier, "drawn_", None)
    if drawn is not None and len(drawn) and getattr(model.classifier, "base_rate_known_", False):
        return float(np.mean(drawn[:, 2] > 0.5)), "drawn at random"
    return None


def _reachable_precision(model: Model) -> str:
    """Return the highest of some precisions that a threshold of the model reached; else nothing.

    An estimate names none: no row of a file may reach the score that it takes.
    """
    if model.is_estimate:
        return ""
    for aim in _PRECISIONS:
        with suppress(ValueError):
            model.threshold_for(f"precision={aim}")
            return aim
    return ""
