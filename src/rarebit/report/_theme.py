"""How figures look, and how their colours follow the light or dark page that they stand in."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from rarebit._extras import naming_extras
from rarebit._text import visible

# Ink and series by their colour on white paper; a page in the dark replaces them by name. Each is
# at least 3:1 against its background, and lines differ by dashes and markers as well.
INK = "#1b1f24"
MUTED = "#6b7280"
SERIES = ("#0b62a4", "#c2410c", "#0f766e", "#7c3aed", "#b4236a", "#7a6000")
DARK = {
    INK: "#e6e8eb",
    MUTED: "#9aa4b2",
    **dict(
        zip(
            SERIES,
            ("#6cb6ff", "#ff9a5c", "#4fd1c0", "#b79bff", "#ff8bbd", "#e0c040"),
            strict=True,
        )
    ),
}
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)), (0, (3, 1)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P")

# Wide enough for a telephone held upright: on wider screens the figure grows with its letters.
WIDTH = 4.6  # inches
_LONGEST_NAME = 80


def color_name(color: str) -> str:
    """Name of the style sheet's variable for a colour."""
    if color == INK:
        return "--ink"
    return "--muted" if color == MUTED else f"--series-{SERIES.index(color) + 1}"


def new_axes(height: float = 3.1, width: float = WIDTH) -> tuple[Any, Any]:
    """Return a figure, which no window manager knows of, and its axes."""
    with naming_extras("Figures need", "report"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    with rc_context({"axes.unicode_minus": True}):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
    figure.patch.set_alpha(0.0)
    axes.patch.set_alpha(0.0)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(True, color=MUTED, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(MUTED)
    axes.xaxis.label.set(color=INK, size=10)
    axes.yaxis.label.set(color=INK, size=10)
    return figure, axes


def add_legend(axes: Any) -> None:
    """Explain the lines above the axes, where they hide nothing."""
    axes.legend(
        frameon=False, fontsize=8.5, labelcolor=INK, ncols=2, loc="lower left",
        bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, handlelength=2.4, columnspacing=1.2,
    )  # fmt: skip


def plain_text(value: object) -> str:
    """Return text as it is: no formula begins with a dollar sign of the data, nothing is unseen."""
    return visible(value, lines=True).replace("$", r"\$")


def shortened(name: object, most: int = 22) -> str:
    text = visible(" ".join(str(name).split()))
    return plain_text(text if len(text) <= most else text[: most - 1] + "…")


def wrapped(name: object, width: int) -> str:
    """Return a name in lines that an axis has room for, whole unless it is longer than any name."""
    return "\n".join(wrap(shortened(name, _LONGEST_NAME), width)) or shortened(name)
