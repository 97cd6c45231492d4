"""The parts of a project, made from its settings: explorer, learner, rows held out."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from rarebit.active import (
    Alice,
    BorderLearner,
    Explorer,
    Hunt,
    Malice,
    RandomExplorer,
    Scout,
    stop_automatically,
)
from rarebit.metrics import stratified_holdout
from rarebit.models import SplitBy
from rarebit.projects._errors import SettingsError
from rarebit.projects._settings import HIDDEN, Settings
from rarebit.projects.stores import Store
from rarebit.tables import Table


def make_explorer(settings: Settings, *, sparse: bool) -> Explorer:
    """Return the explorer that the settings name, not started.

    Parameters
    ----------
    settings : Settings
        With ``explorer``, ``priors`` and ``seed``.
    sparse : bool
        Whether the features are sparse, as those of texts are: distances are then angles.

    Returns
    -------
    Explorer
        Not started.
    """
    metric = "cosine" if sparse else "euclidean"
    if settings.explorer == "random":
        return RandomExplorer(random_state=settings.seed)
    if settings.explorer == "scout":
        return Scout(metric=metric, n_jobs=-1)  # somebody waits for the first question
    priors: Any = settings.priors[0] if len(settings.priors) == 1 else list(settings.priors)
    return {"malice": Malice, "alice": Alice}[settings.explorer](priors, metric=metric, n_jobs=-1)


def make_asker(
    settings: Settings, *, sparse: bool, first: NDArray[np.float64] | None = None
) -> Explorer | Hunt:
    """Return what asks: an explorer to discover, a hunt to learn; not started.

    Parameters
    ----------
    settings : Settings
        Settings of the project.
    sparse : bool
        Whether the features are sparse.
    first : ndarray of shape (n_rows,) or None, default=None
        Scores by which rows are asked at the beginning.

    Returns
    -------
    Explorer or Hunt
        Not started.
    """
    explorer = make_explorer(settings, sparse=sparse)
    if settings.task == "discover":
        return explorer
    learner = BorderLearner(
        kernel=settings.kernel or ("linear" if sparse else "rbf"),
        C=settings.C,
        gamma="scale" if settings.gamma is None else settings.gamma,
        stop=stop_rule(settings),
        random_state=settings.seed,
    )
    return Hunt(
        explorer=explorer,
        learner=learner,
        goal=settings.goal,
        target=settings.recall,
        confidence=settings.confidence,
        rare=list(settings.rare) or None,
        normal=list(settings.normal) or None,
        first=first,
        random_state=settings.seed,
    )


def stop_rule(settings: Settings) -> Any:
    """Return what ``stop`` of a learner takes, as the settings have it."""
    if settings.stop == "never":
        return None
    if settings.stop == "auto" and settings.hidden != HIDDEN:
        return partial(stop_automatically, hidden=settings.hidden)
    return settings.stop


def likeness(table: Table, words: str) -> NDArray[np.float64]:
    """Score texts by the words that they share with a description, rare words more.

    Parameters
    ----------
    table : Table
        With a text.
    words : str
        The description.

    Returns
    -------
    ndarray of shape (n_rows,)
        Cosines of TF-IDF vectors, from 0 to 1.
    """
    if table.text is None:
        raise SettingsError(
            f"'like' compares words with texts, and no column of {table.source} is named as the "
            "text: leave out 'like', or name one or several (--text COLUMN in commands, "
            "reading={'text': ...} in Python)."
        )
    texts = ["" if text is None else str(text) for text in table.records[table.text]]
    reader = TfidfVectorizer(sublinear_tf=True, strip_accents="unicode")
    try:
        vectors = reader.fit_transform(texts)
    except ValueError:  # no text holds a word
        return np.zeros(len(texts))
    return np.asarray((vectors @ reader.transform([words]).T).todense(), dtype=np.float64)[:, 0]


def held_out_rows(
    table: Table, share: float | None, seed: int, split: SplitBy | None = None
) -> NDArray[np.intp]:
    """Draw the rows that measure the classifier: the same share of each class.

    The draw does not depend on the answers, so that a project that is continued leaves the same
    rows out.

    Parameters
    ----------
    table : Table
        With a target.
    share : float or None
        Share of the rows of each class; None for no rows.
    seed : int
        Seed of the draw.
    split : SplitBy or None, default=None
        Columns by which rows are held out instead: whole groups, or the latest rows.

    Returns
    -------
    ndarray of shape (n_held_out,)
        Positions of rows, rising.
    """
    if share is None:
        return np.empty(0, dtype=np.intp)
    assert table.target is not None
    known = np.flatnonzero(table.target != "")
    if split is not None and split.columns:
        part = table.take(known)
        test = split.held_out(part, table.target[known], share, seed)
        split.check(table.target[known], test, share)
        return known[test]
    return known[stratified_holdout(table.target[known], share, seed, least=0)]


def rows_to_hold_out(
    table: Table, settings: Settings, store: Store
) -> tuple[NDArray[np.intp], list[str]]:
    """Draw the rows that measure the classifier, without those that were answered before.

    Parameters
    ----------
    table : Table
        The data.
    settings : Settings
        With ``holdout``, ``group``, ``time`` and ``seed``.
    store : Store
        With the answers so far.

    Returns
    -------
    rows : ndarray of shape (n_held_out,)
        Positions of rows, rising.
    notes : list of str
        How many were answered before, for people.
    """
    split = SplitBy(settings.group, settings.time)
    drawn = held_out_rows(table, settings.holdout, settings.seed, split)
    answered = np.isin(drawn, list(store.labels(settings.rule, owner=settings.owner)))
    notes = []
    if answered.any():
        notes.append(
            f"{answered.sum():,} of {len(drawn):,} rows to be held out have answers already and "
            "do not measure; a new store holds out all of them."
        )
    return drawn[~answered], notes
