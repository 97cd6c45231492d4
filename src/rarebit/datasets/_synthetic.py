"""Generators: Breiman's waveforms, sets of the rare-class paper, the bagging paper's series."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets._sampling import Seed, as_generator

Points = NDArray[np.float64]
Classes = NDArray[np.int64]

# The two base waves that rows of class 0, 1 and 2 mix.
_WAVE_PAIRS = np.array([(0, 1), (0, 2), (1, 2)])


def make_waveform(
    n: int = 5000, *, n_noise: int = 0, random_state: Seed = None
) -> tuple[Points, Classes]:
    """Draw rows of Breiman's three-class waveform problem.

    A row is ``u * h_a + (1 - u) * h_b`` plus standard normal noise, with ``u`` uniform in [0, 1]
    and ``h`` triangles of height 6 that peak at features 7, 15 and 11. The Bayes error is 14 %.

    Parameters
    ----------
    n : int, default=5000
        Rows; the classes are equally likely.
    n_noise : int, default=0
        Standard normal features to append; 19 gives the forty-feature edition.
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable.

    Returns
    -------
    X : ndarray of shape (n, 21 + n_noise)
    y : ndarray of shape (n,)
        0, 1 or 2, numbered as in the UCI files.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984, pp. 49-55.

    Examples
    --------
    >>> from rarebit.datasets import make_waveform
    >>> X, y = make_waveform(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 21), [0, 1, 2])
    """
    if n < 1 or n_noise < 0:
        raise ValueError(
            f"n must be at least 1 and n_noise at least 0, got {n!r} and {n_noise!r}: raise them."
        )
    rng = as_generator(random_state)
    feature = np.arange(1, 22)
    waves = np.maximum(6.0 - np.abs(feature - np.array([[7], [15], [11]])), 0.0)
    y = rng.integers(3, size=n)
    first, second = waves[_WAVE_PAIRS[y, 0]], waves[_WAVE_PAIRS[y, 1]]
    u = rng.random((n, 1))
    X = rng.standard_normal((n, 21 + n_noise))
    X[:, :21] += u * first + (1.0 - u) * second
    return X, y


def make_malice_synthetic_1(
    random_state: Seed = None,
    *,
    n_majority: int = 1000,
    n_rare: int = 10,
    center: tuple[float, float] = (1.8, 1.8),
    radius: float = 0.07,
) -> tuple[Points, Classes]:
    """Draw the paper's first synthetic set: a Gaussian and a small ball inside it.

    The paper gives the counts and the two distributions, but neither the place nor the size of
    the ball: with the defaults random drawing, `Interleave` and `Malice` need about as many labels
    as the paper says.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable.
    n_majority, n_rare : int
        Rows of class 0, standard normal in the plane, and of class 1, uniform in a disc.
    center, radius : tuple of float, float
        The disc.

    Returns
    -------
    X : ndarray of shape (n_majority + n_rare, 2)
    y : ndarray of int
        0 for the majority, 1 for the rare class. Rows are shuffled.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> np.bincount(y).tolist()
    [1000, 10]
    """
    rng = as_generator(random_state)
    majority = rng.standard_normal((n_majority, 2))
    return _shuffled([majority, _moved(_disc(n_rare, rng), radius, center)], rng)


def make_malice_synthetic_2(
    random_state: Seed = None,
    *,
    n_majority: int = 3000,
    n_rare: tuple[int, int, int, int] = (267, 280, 84, 150),
    spread: float = 2.0,
) -> tuple[Points, Classes]:
    """Draw the paper's second synthetic set: a Gaussian and four rare classes of other shapes.

    The paper gives the counts and says that one rare class lies in the dense region of the
    majority; shapes and places are not in its text and are chosen here, such that random drawing,
    `Interleave` and `Malice` need about as many labels as it says: a crescent, a triangle, a disc
    near the centre of the Gaussian, and a bar.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable.
    n_majority : int
        Rows of class 0.
    n_rare : tuple of four int
        Rows of classes 1 to 4: crescent, triangle, disc, bar.
    spread : float
        Standard deviation of the Gaussian.

    Returns
    -------
    X : ndarray of shape (n_majority + sum(n_rare), 2)
    y : ndarray of int
        0 for the majority, 1 to 4 for the rare classes. Rows are shuffled.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import make_malice_synthetic_2
    >>> X, y = make_malice_synthetic_2(random_state=0)
    >>> np.bincount(y).tolist()
    [3000, 267, 280, 84, 150]
    """
    rng = as_generator(random_state)
    parts = [spread * rng.standard_normal((n_majority, 2))]
    parts += [draw(count, rng) for draw, count in zip(_SHAPES, n_rare, strict=True)]
    return _shuffled(parts, rng)


def make_gaussian_pair(
    n_majority: int = 4000,
    n_minority: int = 400,
    *,
    distance: float = 2.0,
    random_state: Seed = None,
) -> tuple[Points, Classes]:
    """Draw two round Gaussians in the plane: a set of the bagging paper's imbalance series.

    The paper varies the imbalance of sets "drawn from the same family of functions" and says
    nothing else of them. Here the family is the simplest whose best g-mean is known and does not
    depend on the imbalance: the normal distribution function at half the distance.

    Parameters
    ----------
    n_majority, n_minority : int
        Rows of class 0, around the origin, and of class 1, beside it.
    distance : float, default=2.0
        Between the two centres, in standard deviations.
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable.

    Returns
    -------
    X : ndarray of shape (n_majority + n_minority, 2)
    y : ndarray of int
        0 for the majority, 1 for the minority. Rows are in the order of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import make_gaussian_pair
    >>> X, y = make_gaussian_pair(4000, 4, random_state=0)  # the paper's imbalance of 0.001
    >>> np.bincount(y).tolist()
    [4000, 4]
    """
    if n_majority < 1 or n_minority < 1:
        raise ValueError(
            f"n_majority and n_minority must be at least 1, got {n_majority!r} and "
            f"{n_minority!r}: raise them."
        )
    y = np.repeat(np.array([0, 1]), [n_majority, n_minority])
    X = as_generator(random_state).standard_normal((len(y), 2))
    X[y == 1, 0] += distance
    return X, y


def _disc(n: int, rng: np.random.Generator) -> Points:
    """Uniform in the unit disc."""
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    # The square root makes equal areas equally likely.
    reach = np.sqrt(rng.random(n))
    return np.column_stack([reach * np.cos(angle), reach * np.sin(angle)])


def _moved(points: Points, scale: float, origin: tuple[float, float]) -> Points:
    return np.asarray(scale * points + np.array(origin), dtype=np.float64)


def _crescent(n: int, rng: np.random.Generator) -> Points:
    angle = rng.uniform(0.0, 0.6 * np.pi, n)
    reach = rng.uniform(0.3, 0.4, n)
    return np.column_stack([reach * np.cos(angle) - 2.0, reach * np.sin(angle) + 1.5])


def _triangle(n: int, rng: np.random.Generator) -> Points:
    # A square folded along its diagonal.
    corner = rng.random((n, 2))
    outside = corner.sum(axis=1) > 1.0
    corner[outside] = 1.0 - corner[outside]
    return _moved(corner, 0.5, (1.5, 1.5))


def _small_disc(n: int, rng: np.random.Generator) -> Points:
    return _moved(_disc(n, rng), 0.1, (0.3, -0.2))


def _bar(n: int, rng: np.random.Generator) -> Points:
    return rng.uniform([-0.15, -2.08], [0.15, -1.92], (n, 2))


_SHAPES: tuple[Callable[[int, np.random.Generator], Points], ...] = (
    _crescent,
    _triangle,
    _small_disc,
    _bar,
)


def _shuffled(parts: list[Points], rng: np.random.Generator) -> tuple[Points, Classes]:
    """Join the parts, number them as classes 0, 1, … and shuffle the rows."""
    X = np.concatenate(parts)
    y = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    order = rng.permutation(len(y))
    return X[order], y[order]
