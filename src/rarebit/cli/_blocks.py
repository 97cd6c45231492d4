"""Pictures and curves made of the block characters that every terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

_SHADES = " ░▒▓█"
_LEVELS = "▁▂▃▄▅▆▇█"
_LEAST = 16  # columns: smaller pictures are enlarged
# Grey values from black to white at least: with fewer, noise would look like a picture.
_LEAST_SPAN = 40.0
# Averages over many pixels have less noise: where few shades are left of them, fewer will do.
_LEAST_SHADED = 6.0
_FEWEST_SHADES = 3


def picture(image: Any, *, columns: int = 48, lines: int = 24, color: bool = False) -> Text:
    """Draw an image: with colours two pixels a character, without as shades of grey.

    A large image is averaged over squares, so that a thin scratch stays in sight. An image in grey
    is spread from its darkest to its lightest place, as in reports; so are all without colours.

    Parameters
    ----------
    image : ndarray of shape (height, width) or (height, width, 3)
        Values from 0 to 255, or from 0 to 1.
    columns, lines : int
        Most characters to take.
    color : bool, default=False
        Whether the terminal has colours.

    Returns
    -------
    rich Text
        Lines of equal length.

    Examples
    --------
    >>> import numpy as np
    >>> print(picture(np.eye(3), columns=6))
    ██
      ██
        ██
    """
    import numpy as np
    from rich.text import Text

    values = np.asarray(image, dtype=float)
    values = np.nan_to_num(values) * (255.0 if values.size and values.max() <= 1.0 else 1.0)
    # A character is twice as high as wide: two columns a pixel, or two pixels a line.
    across, down = (1, 2) if color else (2, 1)
    values = _resized(values, columns // across, lines * down, _LEAST // across)
    if not color and values.ndim == 3:
        values = values.mean(axis=-1)
    low, span = _contrast(values) if values.ndim == 2 else (0.0, 256.0)
    if color:
        values = (values - low) * (256.0 / span)
    elif values.size:
        levels = _shades(values, low, span)
        if len(np.unique(levels)) < _FEWEST_SHADES and np.ptp(values) >= _LEAST_SHADED:
            levels = _shades(values, float(values.min()), float(np.ptp(values)))
    text = Text()
    for top in range(0, len(values), down):
        if color:
            below = values[min(top + 1, len(values) - 1)]
            for upper, lower in zip(values[top], below, strict=True):
                text.append("▀", style=f"{_hex(upper)} on {_hex(lower)}")
        else:
            text.append("".join(_SHADES[level] * 2 for level in levels[top]).rstrip())
        text.append("\n")
    text.rstrip()
    return text


def sparkline(values: Sequence[float], low: float = 0.0, high: float = 1.0) -> str:
    """Draw values as one line of bars.

    Examples
    --------
    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    span = max(high - low, 1e-12)
    places = [int((value - low) / span * len(_LEVELS)) for value in values]
    return "".join(_LEVELS[min(max(place, 0), len(_LEVELS) - 1)] for place in places)


def _contrast(values: Any) -> tuple[float, float]:
    """Return the grey value that becomes the darkest shade, and how many there are from it."""
    if not values.size:
        return 0.0, 256.0
    low, high = float(values.min()), float(values.max())
    if high - low >= _LEAST_SPAN:
        return low, high - low
    middle = min(max((low + high) / 2, _LEAST_SPAN / 2), 255.0 - _LEAST_SPAN / 2)
    return middle - _LEAST_SPAN / 2, _LEAST_SPAN


def _shades(values: Any, low: float, span: float) -> Any:
    """Return which shade each value has, from the darkest."""
    import numpy as np

    places = (values - low) / span * len(_SHADES)
    return np.clip(places, 0, len(_SHADES) - 1).astype(int)


def _resized(values: Any, width: int, height: int, least: int) -> Any:
    """Repeat pixels of a small image; average those of a large one over squares."""
    import numpy as np

    tall, wide = values.shape[:2]
    factor = max(1, min(width // max(wide, 1), height // max(tall, 1), -(-least // max(wide, 1))))
    values = values.repeat(factor, axis=0).repeat(factor, axis=1)
    tall, wide = values.shape[:2]
    shrink = max(1.0, wide / width, tall / height)
    for axis, size in ((0, tall), (1, wide)):
        if shrink > 1.0 and size > 1:
            parts = max(1, int(size / shrink))
            edges = np.linspace(0, size, parts + 1).round().astype(int)
            sums = np.add.reduceat(values, edges[:-1], axis=axis)
            shape = [-1 if each == axis else 1 for each in range(values.ndim)]
            values = sums / np.diff(edges).reshape(shape)
    return values


def _hex(pixel: Any) -> str:
    parts = [int(pixel)] * 3 if getattr(pixel, "ndim", 0) == 0 else [int(part) for part in pixel]
    return "#" + "".join(f"{min(max(part, 0), 255):02x}" for part in parts[:3])
