"""Pictures and curves made of the block characters that every terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

_SHADES = " ░▒▓█"
_LEVELS = "▁▂▃▄▅▆▇█"
_LEAST = 16  # columns: smaller pictures are enlarged


def picture(image: Any, *, columns: int = 48, lines: int = 24, color: bool = False) -> Text:
    """Draw an image: with colours two pixels a character, without as shades of grey.

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
    text = Text()
    for top in range(0, len(values), down):
        if color:
            below = values[min(top + 1, len(values) - 1)]
            for upper, lower in zip(values[top], below, strict=True):
                text.append("▀", style=f"{_hex(upper)} on {_hex(lower)}")
        else:
            grey = values[top] if values.ndim == 2 else values[top].mean(axis=-1)
            levels = np.clip(grey / 256.0 * len(_SHADES), 0, len(_SHADES) - 1).astype(int)
            text.append("".join(_SHADES[level] * 2 for level in levels).rstrip())
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


def _resized(values: Any, width: int, height: int, least: int) -> Any:
    """Scale by whole steps: pixels repeated or left out, so that none is invented."""
    import numpy as np

    tall, wide = values.shape[:2]
    factor = max(1, min(width // max(wide, 1), height // max(tall, 1), -(-least // max(wide, 1))))
    values = values.repeat(factor, axis=0).repeat(factor, axis=1)
    tall, wide = values.shape[:2]
    shrink = max(1.0, wide / width, tall / height)
    rows = np.linspace(0, tall - 1, max(1, int(tall / shrink))).round().astype(int)
    columns = np.linspace(0, wide - 1, max(1, int(wide / shrink))).round().astype(int)
    return values[rows][:, columns]


def _hex(pixel: Any) -> str:
    parts = [int(pixel)] * 3 if getattr(pixel, "ndim", 0) == 0 else [int(part) for part in pixel]
    return "#" + "".join(f"{min(max(part, 0), 255):02x}" for part in parts[:3])
