"""Images become numbers: gradients, textures and spots that stand out, at several scales.

Small defects fill few pixels: scaled to a thumbnail they vanish, and pixel by pixel they are never
at the same place. What is measured here does not depend on the place: how far the strongest spots,
edges and patches of an image lie from what is usual in that image. Histograms of gradients in a
grid of cells keep the shape of what is large, such as digits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Image = NDArray[Any]
_CELLS, _ANGLES = (4,), 6
_LIGHT = 4
_SIGMAS = (1.0, 2.0, 4.0)
_PATCHES = (5, 9)
_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
_MOMENTS = ("spread", "most", "top", "high", "least", "low", "tails")
_LEAST_SIDE = 32


def _uniform_codes() -> NDArray[np.intp]:
    """Return the class of each pattern of neighbours: 0 to 8 brighter in a row, or 9."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    changes = (bits != np.roll(bits, 1, axis=1)).sum(axis=1)
    return np.where(changes <= 2, bits.sum(axis=1), 9)


_CODES = _uniform_codes()


def descriptor_names(*, colours: bool) -> tuple[str, ...]:
    """Return the name of every number of `describe_image`."""
    names = [f"gradient{n}_{i}" for n in _CELLS for i in range(n * n * _ANGLES)]
    names += [f"light_{i}" for i in range(_LIGHT * _LIGHT)]
    names += [f"texture{scale}_{i}" for scale in (1, 2) for i in range(10)]
    maps = [*(f"spots{s:g}" for s in _SIGMAS), "edges", *(f"patches{n}" for n in _PATCHES)]
    names += [f"{each}_{moment}" for each in maps for moment in _MOMENTS]
    if colours:
        names += [f"{colour}_{moment}" for colour in "rgb" for moment in ("mean", "spread")]
    return tuple(names)


def side_of(height: int, width: int, most: int) -> int:
    """Return the side of the square that an image is measured at."""
    return int(np.clip(max(height, width), _LEAST_SIDE, max(most, _LEAST_SIDE)))


def describe_image(image: Image) -> NDArray[np.float32]:
    """Measure one image.

    Parameters
    ----------
    image : ndarray of shape (side, side) or (side, side, 3)
        Brightnesses from 0 to 255; the side is at least 32.

    Returns
    -------
    ndarray of shape (n_descriptors,)
        In the order of `descriptor_names`.

    Examples
    --------
    >>> import numpy as np
    >>> flat = np.full((32, 32), 128)
    >>> spot = flat.copy()
    >>> spot[9:12, 20:23] = 255
    >>> most = descriptor_names(colours=False).index("spots1_most")
    >>> bool(describe_image(spot)[most] > describe_image(flat)[most])
    True
    """
    values = np.asarray(image, dtype=np.float32)
    grey = values if values.ndim == 2 else values.mean(axis=2)
    blurred = [grey, *(ndimage.gaussian_filter(grey, sigma) for sigma in _SIGMAS)]
    found = [_gradients(grey, n) for n in _CELLS]
    found.append(_light(grey))
    found += [_textures(grey), _textures(blurred[1][::2, ::2])]
    found += [_moments(fine - coarse) for fine, coarse in pairwise(blurred)]
    found.append(_moments(np.hypot(ndimage.sobel(blurred[1], 0), ndimage.sobel(blurred[1], 1))))
    found += [_moments(_contrast(grey, n)) for n in _PATCHES]
    if values.ndim == 3:
        flat = values.reshape(-1, values.shape[2])
        found.append(np.stack([flat.mean(axis=0), flat.std(axis=0)], axis=1).ravel() / 255.0)
    return np.concatenate(found).astype(np.float32)


def _gradients(grey: Image, n: int) -> Image:
    """Return how much of the gradient has which direction in each cell of a grid."""
    down, right = np.gradient(grey)
    weight = np.hypot(down, right)
    angle = (np.arctan2(down, right) % np.pi) / np.pi * _ANGLES
    low = np.floor(angle)
    share, first = angle - low, low.astype(np.intp) % _ANGLES
    rows, columns = (np.minimum(np.arange(size) * n // size, n - 1) for size in grey.shape)
    cell = (rows[:, None] * n + columns[None, :]) * _ANGLES
    size = n * n * _ANGLES
    sums = np.bincount((cell + first).ravel(), ((1 - share) * weight).ravel(), size)
    sums += np.bincount((cell + (first + 1) % _ANGLES).ravel(), (share * weight).ravel(), size)
    return np.sqrt(sums / (sums.sum() + 1e-6))


def _light(grey: Image) -> Image:
    """Return the mean brightness of each cell of a grid."""
    bands = np.array_split(np.arange(len(grey)), _LIGHT)
    rows = np.stack([grey[band].mean(axis=0) for band in bands])
    bands = np.array_split(np.arange(grey.shape[1]), _LIGHT)
    return np.stack([rows[:, band].mean(axis=1) for band in bands], axis=1).ravel() / 255.0


def _textures(grey: Image) -> Image:
    """Return how often a pixel is darker than which of its neighbours (local binary patterns)."""
    inner = grey[1:-1, 1:-1]
    code = np.zeros(inner.shape, dtype=np.intp)
    height, width = grey.shape
    for bit, (down, right) in enumerate(_AROUND):
        other = grey[1 + down : height - 1 + down, 1 + right : width - 1 + right]
        code |= (other >= inner).astype(np.intp) << bit
    counts = np.bincount(_CODES[code].ravel(), minlength=10)
    return np.sqrt(counts / counts.sum())


def _contrast(grey: Image, size: int) -> Image:
    mean = ndimage.uniform_filter(grey, size)
    return np.log1p(np.maximum(ndimage.uniform_filter(grey**2, size) - mean**2, 0.0))


def _moments(values: Image) -> Image:
    """Return how far the extremes lie from the mean, in units of the spread."""
    flat = np.sort(values, axis=None).astype(np.float64)
    n = len(flat)
    few, some = max(4, n // 250), max(8, n // 100)
    mean, spread = flat.mean(), flat.std() + 1e-3
    centred = (flat - mean) / spread
    return np.array(
        [
            np.log1p(spread),
            centred[-1],
            centred[-few:].mean(),
            centred[-some:].mean(),
            -centred[0],
            -centred[:few].mean(),
            np.log1p((centred**4).mean()),
        ]
    )
