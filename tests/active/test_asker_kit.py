"""Every asker passes the conformance kit; another learner is one class in one file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

sys.path.insert(0, str(Path(__file__).parent))
from logistic_learner import LogisticLearner

from rarebit import Alice, BorderLearner, Hunt, Interleave, Malice, RandomExplorer, Scout
from rarebit.active import Asker, BaseAsker, Learner, QueryReason, simulate
from rarebit.metrics import g_mean_score
from rarebit.testing import ASKER_CHECKS, AskerCase, check_asker

ASKERS: dict[str, Callable[[], Any]] = {
    "Alice": lambda: Alice({"b": 0.05, "c": 0.03}),
    "Malice-named": lambda: Malice({"b": 0.05, "c": 0.03}),
    "Malice-unnamed": lambda: Malice([0.03, 0.05]),
    "Malice-bound": lambda: Malice(0.1),
    "Malice-cosine": lambda: Malice({"b": 0.05, "c": 0.03}, metric="cosine"),
    "Interleave": lambda: Interleave(3, random_state=0),
    "RandomExplorer": lambda: RandomExplorer(random_state=0),
    "Scout": lambda: Scout(),
    "Scout-cosine": lambda: Scout(metric="cosine"),
    "BorderLearner-pool": lambda: BorderLearner(random_state=0),
    "BorderLearner-full": lambda: BorderLearner(search="full", random_state=0),
    "BorderLearner-random": lambda: BorderLearner(search="random", stop=None, random_state=0),
    "Hunt": lambda: Hunt(),
    "Hunt-learn": lambda: Hunt(goal="learn"),
    "Hunt-find": lambda: Hunt(goal="find"),
    "Hunt-find-named": lambda: Hunt(goal="find", rare=["b", "c"]),
    "Hunt-find-proved": lambda: Hunt(goal="find", target=0.7, normal="a", random_state=0),
    "Hunt-both-proved": lambda: Hunt(target=0.7, random_state=0),
    "Hunt-learn-proved": lambda: Hunt(goal="learn", target=0.7, random_state=0),
    "Hunt-Malice": lambda: Hunt(Malice({"b": 0.05, "c": 0.03}), BorderLearner(random_state=0)),
    "LogisticLearner": lambda: LogisticLearner(),
    "Hunt-LogisticLearner": lambda: Hunt(learner=LogisticLearner()),
}


@pytest.mark.parametrize("check", ASKER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ASKERS)
def test_kit(name: str, check: Callable[[AskerCase], None]) -> None:
    check(AskerCase(ASKERS[name]))


def test_learners_keep_the_learner_protocol() -> None:
    X, _ = AskerCase(Scout).pool
    for name in ("BorderLearner-pool", "Hunt", "LogisticLearner"):
        learner = ASKERS[name]().start(X)
        learner.tell([0, 1], ["a", "b"])
        assert isinstance(learner, Learner)
        assert {"n_labels", "row", "label", "how"} <= set(learner.history_)
    assert not isinstance(Scout().start(X), Learner)


class Forgetful(RandomExplorer):
    """Asks for rows again that were skipped."""

    def _leave_out(self, rows: Any) -> None:
        """Forget it."""


class Repeating(RandomExplorer):
    """Asks for the same row again and again."""

    def _next_queries(self, n: int) -> Any:
        return [(0, QueryReason.RANDOM)] * n


class Silent(RandomExplorer):
    """Says nothing of its labels."""

    def status(self) -> Any:
        return "some labels"


@pytest.mark.parametrize("broken", [Forgetful, Repeating, Silent])
def test_the_kit_finds_what_is_broken(broken: type[RandomExplorer]) -> None:
    with pytest.raises(AssertionError):
        check_asker(lambda: broken(random_state=0))


def test_a_hunt_learns_with_another_learner() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(300, 2)), rng.normal([5.0, 0.0], 0.4, size=(10, 2))])
    y = np.repeat(["common", "rare"], [300, 10])
    learning = Hunt(learner=LogisticLearner(), goal="learn")
    tried = simulate(X, y, X, y, learning, max_labels=40, points=3)
    assert isinstance(tried.hunt.learner_, LogisticLearner)
    assert g_mean_score(y, tried.predicted["rarebit"], pos_label="rare") > 0.9
    reasons = set(tried.hunt.history_["how"].tolist())
    assert reasons == {"explore", "border"}
    both = simulate(X, y, X, y, Hunt(learner=LogisticLearner()), max_labels=40, points=3)
    assert set(both.hunt.history_["how"].tolist()) == {"explore", "border", "harvest"}


def test_a_hunt_names_what_a_learner_lacks() -> None:
    class Nearly(BaseAsker):
        """Has all but a classifier."""

    class Nothing(BaseEstimator):
        """Has nothing."""

    X = np.zeros((3, 2))
    with pytest.raises(TypeError, match=r"learner parameter must .* without classifier_:"):
        Hunt(learner=Nearly()).start(X)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"explorer parameter must .* without start, ask, tell,"):
        Hunt(explorer=Nothing()).start(X)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got the class Scout: pass Scout\(\)"):
        Hunt(explorer=Scout).start(X)  # type: ignore[arg-type]
    assert isinstance(Scout().start(X), Asker)
