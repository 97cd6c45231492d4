"""What a learning project ends in: the final classifier, measured on rows held out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import counted
from rarebit.active import Hunt
from rarebit.models import (
    Judged,
    Model,
    learn_classifier,
    learned_model,
    measure_decisions,
    operating_points,
)
from rarebit.projects._errors import ProjectError
from rarebit.projects._rare_classes import classes_of_model
from rarebit.projects._settings import Settings
from rarebit.tables import Table, TableEncoder


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a learning project.

    Attributes
    ----------
    classifier : estimator
        The final classifier, fitted.
    model : Model
        With features, classifier and metrics.
    """

    classifier: Any
    model: Model


def why_no_model(discovered: Collection[Any], settings: Settings) -> str:
    """Say which labels a model would need that are not there.

    Parameters
    ----------
    discovered : collection of classes
        Classes found.
    settings : Settings
        With ``rare`` and ``normal``.

    Returns
    -------
    str
        A clause such as ``"labels of two classes are needed"``; empty where a model can be made.
    """
    met = {str(name) for name in discovered}
    rare, normal = set(map(str, settings.rare)), set(map(str, settings.normal))
    named = rare or normal
    if named and not named & met:
        which = "class" if len(named) == 1 else "classes"
        listed = ", ".join(repr(name) for name in sorted(named))
        return f"no row of the {which} {listed} was labelled"
    if len(met) < 2:
        return "labels of two classes are needed"
    if named and met <= named:
        wanted = "other rows than rare ones" if rare else "rare rows"
        return f"labels of {wanted} are needed"
    return ""


def need_two_classes(discovered: Collection[Any], n_labels: int, oracle: str | None) -> None:
    """Refuse to make a model from labels of fewer than two classes.

    Parameters
    ----------
    discovered : collection of classes
        Classes found.
    n_labels : int
        Number of labels.
    oracle : str or None
        Column that answers.
    """
    if len(discovered) >= 2:
        return
    known = ", ".join(repr(name) for name in discovered)
    found = f"only the class {known}" if known else "no class"
    shown = f"{counted(n_labels, 'label')} showed {found}"
    if oracle is None:
        raise ProjectError(f"A model needs two classes, and {shown}: label more rows.")
    raise ProjectError(
        f"A model needs two classes, and {shown} in the column {oracle!r}: allow more labels "
        "(--max-labels), or choose another column."
    )


def learn_outcome(
    table: Table,
    encoder: TableEncoder,
    hunt: Hunt,
    X: Any,
    labels: Mapping[int, Any],
    held_out: NDArray[np.intp],
    settings: Settings,
    stop_reasons: Mapping[str, str],
) -> Outcome:
    """Fit the final classifier and measure it.

    Parameters
    ----------
    table : Table
        The data.
    encoder : TableEncoder
        Encoder fitted to the table.
    hunt : Hunt
        With at least two classes.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    labels : mapping of int to class
        Row to class.
    held_out : ndarray of shape (n_held_out,)
        Rows to measure on; may be empty.
    settings : Settings
        With ``method``, ``rare``, ``normal``, ``seed`` and ``holdout``.
    stop_reasons : mapping of str to str
        Why asking ended.

    Returns
    -------
    Outcome
        Classifier and model.
    """
    named = {row: str(label) for row, label in labels.items()}
    learned = learn_classifier(
        X, named, **classes_of_model(settings, hunt), border=hunt.classifier_,
        history=hunt.queries_, method=settings.method, random_state=settings.seed,
    )  # fmt: skip
    model = learned_model(
        table, encoder, learned.classifier, labels, stop_reasons=stop_reasons, learned=learned
    )
    if len(held_out):
        assert table.target is not None
        truth = table.target[held_out]
        made = model.decide(table.take(held_out))
        measured = measure_decisions(model, truth, [made])
        points = operating_points(measured.truth == model.rare_class, made.scores)
        how = f"{100 * (settings.holdout or 0):g} % held out"
        model.manifest |= {"metrics": {"how": how, **measured.report}, "operating_points": points}
        model.judged = Judged(measured.truth, measured.decided, made.scores, held_out)
    if settings.oracle is None:
        model.manifest["answered_by"] = "people"
    if "image_size" in settings.reading:
        model.manifest["image_size"] = settings.reading["image_size"]
    return Outcome(learned.classifier, model)
