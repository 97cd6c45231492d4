"""What the decisions of a model are worth where the classes are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import name_list
from rarebit.exceptions import InputError
from rarebit.metrics import rare_report
from rarebit.models._decisions import Decisions
from rarebit.models._model import Model
from rarebit.models._rare import REST, Names, as_known, report_of_each


@dataclass(frozen=True, eq=False)
class Measured:
    """Decisions beside true classes.

    Attributes
    ----------
    truth, decided : ndarray of str of shape (n_rows,)
        True and decided classes; several rare classes are one.
    report : dict
        As in `rarebit.metrics.rare_report`, with ``each`` where several classes are rare.
    unknown : list of str
        Classes that the model does not know.
    """

    truth: NDArray[np.str_]
    decided: NDArray[np.str_]
    report: dict[str, Any]
    unknown: list[str]


def measure_decisions(
    model: Model,
    truth: NDArray[Any],
    made: Iterable[Decisions],
    *,
    rare: Names = None,
    normal: Names = None,
) -> Measured:
    """Compare decisions with the true classes.

    Parameters
    ----------
    model : Model
        Model that decides.
    truth : ndarray of str of shape (n_rows,)
        True class of each row; ``"True"`` and ``"1.0"`` count as the classes ``"true"`` and
        ``"1"`` of a model that has no classes of these names, and the other way round.
    made : iterable of Decisions
        What `Model.decide` said of these rows, in pieces.
    rare, normal : str, iterable of str or None, default=None
        As they were given to `Model.decide`.

    Returns
    -------
    Measured
        Figures of the rare class, and of each where there are several.
    """
    pieces = list(made)
    classes = np.concatenate([piece.classes for piece in pieces])
    scores = np.concatenate([piece.scores for piece in pieces])
    called = np.concatenate([piece.rare for piece in pieces])
    truth = truth_as_known(model, truth)
    members = list(pieces[0].each)
    union = model.name_of(rare, normal)
    known = [name for name in model.classes if name not in members]
    # A class that is spelt otherwise is told beside the figures.
    spelt = {" ".join(name.casefold().split()) for name in (*members, *known)}
    given = {" ".join(str(name).casefold().split()) for name in set(truth.tolist())}
    if REST not in known and not spelt & given:
        raise InputError(
            f"No row has a class that the model knows ({name_list(model.classes, 5)}), and the "
            f"classes given are {name_list(sorted(set(truth.tolist())), 5)}: name the column of "
            "classes as the target (--target), or use the model of these classes."
        )
    if REST in known:
        # The model knows the rare classes and the rest.
        truth = np.where(np.isin(truth, [*members, *known]), truth, REST)
    unknown = sorted(set(truth.tolist()) - {*members, *known})
    new_rare = unknown if model.takes_new_as_rare and union == model.rare_class else []
    true = np.where(np.isin(truth, [*members, *new_rare]), union, truth).astype(np.str_)
    decided = np.where(called, union, classes).astype(np.str_)
    report: dict[str, Any] = dict(
        rare_report(
            true,
            decided,
            scores,
            pos_label=union,
            labels=np.array([union, *known, *(name for name in unknown if name not in new_rare)]),
            output="dict",
        )
    )
    if len(members) + len(new_rare) > 1:
        each = {name: np.concatenate([p.each[name] for p in pieces]) for name in members}
        report["each"] = report_of_each(truth, classes, each, members)
        report["each"] |= {name: _report_of_new(truth == name, called) for name in new_rare}
    return Measured(true, decided, report, unknown)


def truth_as_known(model: Model, truth: NDArray[Any]) -> NDArray[np.str_]:
    """Return true classes as the model spells them."""
    names, of_rows = np.unique(np.asarray(truth).astype(np.str_), return_inverse=True)
    spelling = as_known(names.tolist(), model.classes)
    return np.array(list(spelling.values()), dtype=np.str_)[of_rows]


def _report_of_new(own: NDArray[np.bool_], called: NDArray[np.bool_]) -> dict[str, Any]:
    """Figures of a rare class that the model has never met: it may be found, and is not named."""
    return {
        "support": int(own.sum()),
        "found": int((own & called).sum()),
        "named": 0,
        "predicted": 0,
        "average_precision": None,
        "roc_auc": None,
    }
