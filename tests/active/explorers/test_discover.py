"""The loop around an explorer, and the baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rarebit import Interleave, RandomExplorer, Scout, discover
from rarebit.datasets import make_malice_synthetic_1, make_malice_synthetic_2


def test_scout_is_the_default() -> None:
    X, y = make_malice_synthetic_1(0)
    result = discover(X, lambda row: y[row], max_labels=5)
    assert isinstance(result.explorer, Scout)
    assert len(result.queries) == 5


def test_the_curve_counts_labels_per_class() -> None:
    X, y = make_malice_synthetic_2(0)
    result = discover(X, lambda row: y[row], RandomExplorer(random_state=1), n_classes=5)
    seen = [y[result.queries[: i + 1]] for i in range(len(result.queries))]
    expected = [next(i + 1 for i, s in enumerate(seen) if len(set(s)) == k) for k in range(1, 6)]
    assert result.curve == expected
    assert len(result.queries) == expected[-1]


def test_none_skips() -> None:
    X = np.arange(6.0).reshape(-1, 1)
    result = discover(X, lambda row: None if row % 2 else "a", RandomExplorer(random_state=0))
    assert sorted(result.queries.tolist()) == [0, 2, 4]
    assert result.explorer.done


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "many"])
@pytest.mark.parametrize("name", ["max_labels", "n_classes"])
def test_limits_are_whole_numbers(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=f"The {name} parameter must be None or a whole number"):
        discover([[0.0]], lambda row: 0, **{name: bad})


def test_random_is_random() -> None:
    X = np.zeros((50, 1))
    first = RandomExplorer(random_state=1).start(X).ask(50).tolist()
    assert first != RandomExplorer(random_state=2).start(X).ask(50).tolist()
    assert sorted(first) == list(range(50))


@pytest.mark.parametrize("bad", [0, 2.5, None, True])
def test_interleave_needs_a_number_of_classes(bad: Any) -> None:
    with pytest.raises(ValueError, match="n_classes parameter must be a whole number"):
        Interleave(bad).start([[0.0], [1.0]])


def test_interleave_finds_separated_classes_at_once() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [9, 0], [0, 9], [9, 9]], dtype=float)
    y = np.repeat([0, 1, 2, 3], [400, 20, 10, 5])
    X = centres[y] + 0.3 * rng.normal(size=(len(y), 2))
    result = discover(X, lambda row: y[row], Interleave(4, random_state=0))
    assert len(result.queries) <= 8


def test_interleave_in_many_features() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50))
    X[:4] += 3.0
    y = (np.arange(200) < 4).astype(int)
    result = discover(X, lambda row: y[row], Interleave(2, random_state=0))
    assert set(result.discovered) == {0, 1}


def test_scout_beats_random_on_the_synthetic_sets() -> None:
    for make in (make_malice_synthetic_1, make_malice_synthetic_2):
        labels: dict[str, list[int]] = {"scout": [], "random": []}
        for seed in range(10):
            X, y = make(seed)
            n = len(set(y.tolist()))
            for name, explorer in (
                ("scout", Scout()),
                ("random", RandomExplorer(random_state=seed)),
            ):
                result = discover(X, lambda row: y[row], explorer, n_classes=n)  # noqa: B023
                labels[name].append(len(result.queries))
        assert np.mean(labels["scout"]) < 0.5 * np.mean(labels["random"])


@pytest.mark.parametrize("wrong", ["scout", Scout])
def test_an_explorer_is_an_object_that_can_ask(wrong: Any) -> None:
    X, y = make_malice_synthetic_1(random_state=0)
    with pytest.raises(TypeError, match=r"The explorer parameter must .*: pass Scout\(\)"):
        discover(X, lambda row: y[row], wrong)


def test_an_oracle_is_a_function() -> None:
    X, y = make_malice_synthetic_1(random_state=0)
    with pytest.raises(TypeError, match=r"must be a function.*got ndarray.*lambda row: y\[row\]"):
        discover(X, y)
