"""Which classes are rare in a project: one meaning for proof, finds, lists, map and model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarebit.projects._errors import SettingsError
from rarebit.projects._settings import Settings
from rarebit.projects.stores import Event

if TYPE_CHECKING:
    from rarebit.active import Hunt

_MOST_NAMED = 4
_MOST_LISTED = 10  # classes that the sentence on a model names


@dataclass(frozen=True)
class RareClasses:
    """Tells rare classes from others; nothing is rare while that is not known.

    Parameters
    ----------
    rare : frozenset of str, default=frozenset()
        The rare classes.
    normal : frozenset of str, default=frozenset()
        The classes that are not, where `rare` is empty: every other one is rare, also one that
        nobody has met yet.
    """

    rare: frozenset[str] = frozenset()
    normal: frozenset[str] = frozenset()

    @property
    def is_known(self) -> bool:
        """Whether anything can be called rare."""
        return bool(self.rare or self.normal)

    def __call__(self, label: Any) -> bool:
        if self.rare:
            return str(label) in self.rare
        return bool(self.normal) and str(label) not in self.normal

    def members(self, names: Iterable[Any]) -> list[str]:
        """Return those of some classes that are rare."""
        return [str(name) for name in names if self(name)]

    def called(self, names: Iterable[Any]) -> str:
        """Return those of some classes that are rare, in a few words."""
        members = self.members(names)
        if len(members) > _MOST_NAMED:
            return f"{', '.join(members[:2])} or {len(members) - 2} more"
        return " or ".join(members)


def refuse_late_naming(before: Settings, after: Settings, events: Iterable[Event]) -> None:
    """Refuse other rare classes where answers to random rows prove a recall already.

    Where nothing was to be proved yet, draws from before do not count later, so that classes can
    be named then, together with the recall.

    Parameters
    ----------
    before, after : Settings
        As they are, and as somebody wants them.
    events : iterable of Event
        Of the store.

    Raises
    ------
    SettingsError
        A proof must not choose its classes after it has seen its draws.
    """
    if (before.rare, before.normal) == (after.rare, after.normal):
        return
    proves = before.recall is not None
    if proves and any(event.is_answer and event.audit is not None for event in events):
        raise SettingsError(
            "The rare classes cannot change once random rows are drawn and answered to prove a "
            "recall, because a proof must not choose its classes afterwards: keep them, or begin "
            "another project."
        )


def rare_classes(settings: Settings, hunt: Hunt | None = None) -> RareClasses:
    """Return which classes are rare: those of the settings, or those that the proof is about.

    Parameters
    ----------
    settings : Settings
        With ``rare`` or ``normal`` where somebody named the classes.
    hunt : Hunt or None, default=None
        As it is now. Where nobody named classes, it takes every class for rare but the usual one.

    Returns
    -------
    RareClasses
        What everything in the project means by rare.
    """
    if settings.rare:
        return RareClasses(rare=frozenset(map(str, settings.rare)))
    if settings.normal:
        return RareClasses(normal=frozenset(map(str, settings.normal)))
    if hunt is None:
        return RareClasses()
    known = {str(name): hunt.is_rare(name, anew=False) for name in hunt.discovered_}
    if not any(known.values()):
        return RareClasses()
    return RareClasses(normal=frozenset(name for name, is_rare in known.items() if not is_rare))


def classes_of_model(settings: Settings, hunt: Hunt) -> dict[str, tuple[str, ...]]:
    """Return the rare classes of the final classifier, as `learn_classifier` takes them.

    Who names classes gets them. Who looks for rare rows or wants a recall proved gets those of the
    proof. Everybody else gets a classifier of all classes, which takes the rarest one for rare.

    Parameters
    ----------
    settings : Settings
        With ``rare``, ``normal``, ``goal`` and ``recall``.
    hunt : Hunt
        As it is now.

    Returns
    -------
    dict
        ``rare`` and ``normal``; at most one of them has names.
    """
    found = {"rare": tuple(settings.rare), "normal": tuple(settings.normal)}
    if any(found.values()) or (settings.goal != "find" and settings.recall is None):
        return found
    sought = rare_classes(settings, hunt)
    if len(sought.members(hunt.discovered_)) > 1:
        found["normal"] = tuple(sorted(sought.normal))
    else:
        found["rare"] = tuple(sought.members(hunt.discovered_))
    return found


def model_scope(settings: Settings, sought: RareClasses, met: Iterable[Any]) -> str:
    """Say which classes the exported model tells apart.

    Parameters
    ----------
    settings : Settings
        With ``rare``, ``normal``, ``goal`` and ``recall``, as in `classes_of_model`.
    sought : RareClasses
        Of the project.
    met : iterable of classes
        Classes that labels have.

    Returns
    -------
    str
        A sentence.

    Examples
    --------
    >>> rare = RareClasses(rare=frozenset(["fraud"]))
    >>> model_scope(Settings(rare=("fraud",)), rare, ["fraud", "ok", "late"])
    "The model tells 'fraud' from the rest."
    >>> model_scope(Settings(), RareClasses(), ["fraud", "ok", "late"])
    "The model tells 'fraud', 'ok' and 'late' apart."
    """
    names = [str(name) for name in met]
    if len(names) < 2:
        return "A model needs labels of two classes."
    named = bool(settings.rare or settings.normal)
    if not named and settings.goal != "find" and settings.recall is None:
        return f"The model tells {_in_a_row(names, 'and')} apart."
    members = sought.members(names)
    others = [name for name in names if name not in members]
    if not members or not others:
        lacking = "a rare class" if not members else "a class that is not rare"
        return f"A model needs labels of {lacking}."
    rest = repr(others[0]) if len(others) == 1 else "the rest"
    which = ", and says which of them it is" if members[1:] else ""
    return f"The model tells {_in_a_row(members, 'or')} from {rest}{which}."


def _in_a_row(names: list[str], last: str) -> str:
    shown = [repr(name) for name in names]
    if len(shown) > _MOST_LISTED:
        shown = [*shown[: _MOST_LISTED - 1], f"{len(shown) - _MOST_LISTED + 1} more"]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)


def one_class_note(sought: RareClasses, met: Iterable[Any], rare: str, name_them: str) -> str:
    """Say that a model has one rare class where the project has several.

    Parameters
    ----------
    sought : RareClasses
        Of the project.
    met : iterable of classes
        Classes that labels have.
    rare : str
        What the model calls rare: one of them, or their union.
    name_them : str
        How readers name the rare classes.

    Returns
    -------
    str
        A sentence; empty where both mean the same.
    """
    members = sought.members(met)
    if len(members) < 2 or rare not in members:
        return ""
    others = [repr(name) for name in members if name != rare]
    if len(others) > _MOST_NAMED:
        others = [*others[:2], f"{len(others) - 2} more"]
    listed = " and ".join([", ".join(others[:-1]), others[-1]] if others[1:] else others)
    return (
        f"The model takes {rare!r} alone for rare, in alarms and in estimates, although {listed} "
        f"{'were' if others[1:] else 'was'} sought as well. {name_them}, and they are one rare "
        "class."
    )


def rare_scores(classifier: Any, X: Any, is_rare: Callable[[Any], bool]) -> NDArray[np.float64]:
    """Return scores that are higher the more a row looks rare.

    Parameters
    ----------
    classifier : estimator
        Fitted, of rarebit.
    X : array or CSR matrix of shape (n_rows, n_features)
        Rows.
    is_rare : function of a class
        Whether it is rare; where no class of the classifier is, its own rare one counts.

    Returns
    -------
    ndarray of shape (n_rows,)
        Where several classes are rare, a positive value says that one of them is predicted.
    """
    rare = _columns(classifier, is_rare)
    if rare is None:
        return np.asarray(classifier.minority_score(X))
    values = np.asarray(classifier.decision_function(X))
    if values.ndim == 1:
        return values if rare[1] else -values
    if rare.sum() == 1:
        return values[:, int(np.flatnonzero(rare)[0])]
    return np.asarray(values[:, rare].max(axis=1) - values[:, ~rare].max(axis=1))


def rare_shares(classifier: Any, X: Any, is_rare: Callable[[Any], bool]) -> NDArray[np.float64]:
    """Return the probability that rows are of a rare class; as in `rare_scores`."""
    rare = _columns(classifier, is_rare)
    if rare is None:
        rare = np.asarray(classifier.classes_) == classifier.minority_class_
    return np.asarray(classifier.predict_proba(X)[:, rare].sum(axis=1))


def _columns(classifier: Any, is_rare: Callable[[Any], bool]) -> NDArray[np.bool_] | None:
    """Return which classes of a classifier are rare; None where that tells none apart."""
    rare = np.array([is_rare(name) for name in classifier.classes_], dtype=np.bool_)
    return None if rare.all() or not rare.any() else rare
