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
# Share of a picture that a part and its ground have at least.
_LEAST_SHARE = 0.1


def picture(image: Any, *, columns: int = 48, lines: int = 24, color: bool = False) -> Text:
    """Draw an image: with colours two pixels a character, without as shades of grey.

    A large image is averaged over squares, so that a thin scratch stays in sight. An image in grey
    is spread from its darkest to its lightest place, as in reports; so are all without colours. Of
    a part on an even ground that is much darker or lighter, the part alone has several shades.

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
        if (parted := _shades_of_part(values)) is not None:
            levels = parted
        elif len(np.unique(levels)) < _FEWEST_SHADES and np.ptp(values) >= _LEAST_SHADED:
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


def _shades_of_part(values: Any) -> Any:
    """Return the shades of a part on an even ground, which else would have one or two.

    The ground has the darkest or the fullest shade. None where a picture is no such thing.
    """
    import numpy as np

    light = values > _parting(values)
    step = float(np.ptp(values)) / len(_SHADES)
    both = [values[light == side] for side in (False, True)]
    inner = [values[_without_rim(light == side)] for side in (False, True)]
    if step <= 0 or min(len(each) for each in both) < _LEAST_SHARE * values.size:
        return None
    # Whichever has the larger differences is looked at; the rims are of both.
    spans = [float(np.ptp(each)) if len(each) else 0.0 for each in inner]
    part = int(spans[1] >= spans[0])
    lower, upper = np.quantile(both[1 - part], [0.25, 0.75])
    if max(upper - lower, spans[1 - part]) >= step or 2 * len(inner[part]) < len(both[part]):
        return None
    middle = float(np.median(inner[part]))
    spread = float(np.median(np.abs(inner[part] - middle)))
    if spread >= step or abs(middle - float(np.median(both[1 - part]))) < 2 * step:
        return None
    # Two shades towards the ground, and one away from it.
    least, most, usual = (1, len(_SHADES) - 1, 3) if part else (0, len(_SHADES) - 2, 1)
    unit = max(_LEAST_SPAN / len(_SHADES), 1.5 * spread)
    shades = np.clip(np.rint((values - middle) / unit) + usual, least, most)
    return np.where(
        light == bool(part), shades, len(_SHADES) - 1 - part * (len(_SHADES) - 1)
    ).astype(int)


def _parting(values: Any) -> float:
    """Return the value that parts dark places from light ones best (Otsu's threshold)."""
    import numpy as np

    ordered = np.sort(values, axis=None)
    below = np.arange(1, ordered.size)
    sums = np.cumsum(ordered)
    if not below.size:
        return float(ordered[0])
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / (ordered.size - below)
    place = int(np.argmax(below * (ordered.size - below) * apart**2))
    return float(ordered[place])


def _without_rim(places: Any) -> Any:
    """Return the places all of whose neighbours belong to them as well."""
    import numpy as np

    inner = np.pad(places, 1, mode="edge")
    inner = inner[:-2] & inner[1:-1] & inner[2:]
    return inner[:, :-2] & inner[:, 1:-1] & inner[:, 2:]


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
