"""Synthetic sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rarebit.datasets import (
    load_raw,
    make_gaussian_pair,
    make_malice_synthetic_1,
    make_malice_synthetic_2,
    make_waveform,
)

Need = Callable[..., None]


@pytest.mark.parametrize(
    "make", [make_waveform, make_malice_synthetic_1, make_malice_synthetic_2, make_gaussian_pair]
)
def test_a_seed_repeats(make: Callable[..., tuple[np.ndarray, np.ndarray]]) -> None:
    first, again, other = (make(random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


def test_waveform_means_are_the_triangles() -> None:
    X, y = make_waveform(30000, random_state=0)
    feature = np.arange(1, 22)
    peaks = {0: (7, 15), 1: (7, 11), 2: (15, 11)}
    for label, pair in peaks.items():
        waves = [np.maximum(6 - np.abs(feature - peak), 0) for peak in pair]
        # Five standard errors of a mean over 10,000 rows of variance at most 4.
        np.testing.assert_allclose(X[y == label].mean(axis=0), np.mean(waves, axis=0), atol=0.1)


def test_waveform_is_distributed_as_the_uci_file(need: Need) -> None:
    need("waveform21")
    raw = load_raw("waveform21")
    X, y = make_waveform(30000, random_state=0)
    for label in range(3):
        rows = raw.X[raw.y == str(label)]
        np.testing.assert_allclose(X[y == label].mean(axis=0), rows.mean(axis=0), atol=0.25)
        np.testing.assert_allclose(X[y == label].std(axis=0), rows.std(axis=0), atol=0.15)


def test_waveform_noise_features() -> None:
    X, _ = make_waveform(4000, n_noise=19, random_state=0)
    assert X.shape == (4000, 40)
    np.testing.assert_allclose(X[:, 21:].std(axis=0), 1.0, atol=0.1)


@pytest.mark.parametrize("options", [{"n": 0}, {"n": 5, "n_noise": -1}])
def test_waveform_errors(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="n must be at least 1"):
        make_waveform(**options)


def test_synthetic_1_is_a_small_disc_in_a_gaussian() -> None:
    X, y = make_malice_synthetic_1(0, n_rare=2000, center=(2.0, -1.0), radius=0.3)
    distance = np.linalg.norm(X[y == 1] - (2.0, -1.0), axis=1)
    assert distance.max() <= 0.3
    # Uniform in a disc: half of the rows lie within 1/sqrt(2) of the radius.
    assert np.mean(distance < 0.3 / np.sqrt(2)) == pytest.approx(0.5, abs=0.05)
    assert X[y == 0].std() == pytest.approx(1.0, abs=0.1)


def test_synthetic_2_has_four_dense_and_distinct_classes() -> None:
    X, y = make_malice_synthetic_2(0)
    assert np.bincount(y).tolist() == [3000, 267, 280, 84, 150]
    boxes = [(X[y == c].min(axis=0), X[y == c].max(axis=0)) for c in range(1, 5)]
    for i, (low, high) in enumerate(boxes):
        inside = np.all(np.clip(X, low, high) == X, axis=1)
        assert np.sum(inside & (y == i + 1)) > np.sum(inside & (y == 0))
        for other_low, other_high in boxes[:i]:
            assert np.any(low > other_high) or np.any(high < other_low)


def test_rows_are_shuffled() -> None:
    _, y = make_malice_synthetic_2(0)
    assert len(np.unique(y[:200])) > 1


def test_a_pair_of_gaussians_has_its_place_and_spread() -> None:
    X, y = make_gaussian_pair(40000, 20000, distance=3.0, random_state=0)
    assert np.bincount(y).tolist() == [40000, 20000]
    for label, center in ((0, (0.0, 0.0)), (1, (3.0, 0.0))):
        # Five standard errors of a mean over 20,000 rows.
        np.testing.assert_allclose(X[y == label].mean(axis=0), center, atol=0.036)
        np.testing.assert_allclose(X[y == label].std(axis=0), 1.0, atol=0.03)


@pytest.mark.parametrize("counts", [(0, 1), (1, 0)])
def test_a_pair_of_gaussians_needs_rows(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="n_majority and n_minority must be at least 1"):
        make_gaussian_pair(*counts)
