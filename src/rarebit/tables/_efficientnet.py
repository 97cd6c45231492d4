"""EfficientNet-Lite0, a small network trained on photographs, computed with NumPy.

Its weights come with a package of 17 MB; what would usually run them is a hundred times as large.
The network has no attention and one kind of activation, so that it is sums of products: pointwise
convolutions are matrix products, and the others sums over shifted images.
"""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from threadpoolctl import threadpool_limits

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
# A convolution with its normalisation: weights and a constant per channel.
Layer = tuple[Floats, Floats]

_SIDE = 224
_EPSILON = 1e-3
# Step of the window in each of the 16 blocks.
_STEPS = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
# Blocks whose extreme answers are kept, which see an eighth and a sixteenth of the resolution: a
# small defect is lost in the mean over all places. The 1,280 numbers after the last block, which
# tell a thousand kinds of photographs apart, only drown them (AUC of surfaces 0.65 with, 0.81
# without).
_LOOKED_INTO = (4, 10)
_TYPES: dict[str, np.dtype[Any]] = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}


def load_efficientnet(file: Path) -> Callable[[list[Pixels]], Floats]:
    """Return the function that turns images into vectors.

    Parameters
    ----------
    file : path
        Weights, as ``torch.save`` wrote them before its version 1.6.

    Returns
    -------
    function
        Of a list of arrays of shape (height, width, 3); it returns an array of shape
        (n_images, 624): means of the last block, and of two earlier ones the strongest and the
        weakest answer of each channel.
    """
    answers = load_blocks(read_weights(file))

    def vector(image: Pixels) -> Floats:
        found = answers(image)
        places = [f(found[b], axis=(1, 2)) for b in _LOOKED_INTO for f in (np.max, np.min)]
        return np.concatenate([found[-1].mean(axis=(1, 2)), *places])

    def vectors(images: list[Pixels]) -> Floats:
        # One image per thread: sums within an image are then the same for any number of threads.
        workers = min(8, os.cpu_count() or 1)
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
            return np.stack(list(pool.map(vector, images)))

    return vectors


def load_blocks(weights: dict[str, NDArray[Any]]) -> Callable[[Pixels], list[Floats]]:
    """Return the function that computes what each of the 16 blocks answers to an image.

    Parameters
    ----------
    weights : dict of str to ndarray
        As `read_weights` returns them.

    Returns
    -------
    function
        Of an array of shape (height, width, 3); it returns arrays of shape
        (n_channels, n_down, n_right).
    """
    first = _folded(weights, "_conv_stem", "_bn0")
    blocks = []
    for number in range(len(_STEPS)):
        at = f"_blocks.{number}."
        widened = _folded(weights, f"{at}_expand_conv", f"{at}_bn0") if number else None
        depth = _folded(weights, f"{at}_depthwise_conv", f"{at}_bn1")
        blocks.append((widened, depth, _folded(weights, f"{at}_project_conv", f"{at}_bn2")))

    def answers(image: Pixels) -> list[Floats]:
        scaled = Image.fromarray(image).resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
        values = (np.asarray(scaled, dtype=np.float32) - 127.0) / 128.0
        x = _capped(_first(np.ascontiguousarray(values.transpose(2, 0, 1)), *first))
        found = []
        for (widened, depth, project), step in zip(blocks, _STEPS, strict=True):
            y = x if widened is None else _capped(_pointwise(x, *widened))
            y = _pointwise(_capped(_depthwise(y, *depth, step)), *project)
            x = x + y if y.shape == x.shape else y
            found.append(x)
        return found

    return answers


# --- weights ----------------------------------------------------------------------------


class _WeightReader(pickle.Unpickler):
    """Reads names and shapes of arrays, and makes nothing else of what a file says."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda *parts: parts
        if module == "torch" and name in _TYPES:
            return name
        raise pickle.UnpicklingError(f"{module}.{name} is no part of weights")

    def persistent_load(self, pid: Any) -> Any:
        return pid


def read_weights(file: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file of weights by name, without the package that wrote it.

    Parameters
    ----------
    file : path
        As ``torch.save`` wrote it before its version 1.6.

    Returns
    -------
    dict of str to ndarray
        Arrays in their shapes.
    """
    with file.open("rb") as opened:
        for _ in range(3):  # a mark, a version, the machine it was written on
            _WeightReader(opened).load()
        listed, keys = _WeightReader(opened).load(), _WeightReader(opened).load()
        types = {parts[0][2]: _TYPES[parts[0][1]] for parts in listed.values()}
        stored = {key: _numbers(opened, types[key]) for key in keys}
    found = {}
    for name, (store, offset, shape, steps, *_) in listed.items():
        values = stored[store[2]]
        # Transposed arrays were saved as they lay in memory.
        places = offset + sum(
            (np.arange(n).reshape(-1, *[1] * (len(shape) - axis - 1)) * step)
            for axis, (n, step) in enumerate(zip(shape, steps, strict=True))
        )
        found[name] = np.ascontiguousarray(values[places])
    return found


def _numbers(opened: IO[bytes], kind: np.dtype[Any]) -> NDArray[Any]:
    n = int.from_bytes(opened.read(8), "little")
    return np.frombuffer(opened.read(n * kind.itemsize), dtype=kind)


def _folded(weights: dict[str, NDArray[Any]], layer: str, norm: str) -> Layer:
    """Return a convolution that does what it and the normalisation after it do."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + _EPSILON)
    kernel = weights[f"{layer}.weight"] * scale.reshape(-1, 1, 1, 1)
    constant = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale
    return kernel.astype(np.float32), constant.astype(np.float32)[:, None]


# --- layers -----------------------------------------------------------------------------


def _capped(x: Floats) -> Floats:
    return np.clip(x, 0.0, 6.0, out=x)


def _pointwise(x: Floats, kernel: Floats, constant: Floats) -> Floats:
    n, height, width = x.shape
    out = kernel.reshape(-1, n) @ x.reshape(n, -1)
    out += constant
    return out.reshape(-1, height, width)


def _depthwise(x: Floats, kernel: Floats, constant: Floats, step: int) -> Floats:
    out, shifted = None, None
    for i, j, part in _windows(x, kernel.shape[-1], step):
        if out is None or shifted is None:
            out = np.empty(part.shape, dtype=np.float32)
            out[:] = constant[:, :, None]
            shifted = np.empty_like(out)
        np.multiply(part, kernel[:, :, i, j][:, :, None], out=shifted)
        out += shifted
    assert out is not None
    return out


def _first(x: Floats, kernel: Floats, constant: Floats) -> Floats:
    parts = [part for _, _, part in _windows(x, kernel.shape[-1], 2)]
    height, width = parts[0].shape[1:]
    stacked = np.stack(parts, axis=1).reshape(-1, height * width)
    return (kernel.reshape(len(kernel), -1) @ stacked + constant).reshape(-1, height, width)


def _windows(x: Floats, size: int, step: int) -> list[tuple[int, int, Floats]]:
    """Return the image as each place of a window sees it, with zeros around."""
    heights, widths = (_placed(n, size, step) for n in x.shape[1:])
    padded = np.pad(x, ((0, 0), heights[1], widths[1]))
    return [
        (i, j, padded[:, i : i + step * (heights[0] - 1) + 1 : step,
                      j : j + step * (widths[0] - 1) + 1 : step])
        for i in range(size)
        for j in range(size)
    ]  # fmt: skip


def _placed(n: int, size: int, step: int) -> tuple[int, tuple[int, int]]:
    """Return how many windows there are, and the zeros before and after that they need."""
    windows = -(-n // step)
    lacking = max((windows - 1) * step + size - n, 0)
    return windows, (lacking // 2, lacking - lacking // 2)
