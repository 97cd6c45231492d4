"""A matplotlib figure as an element of a page: small, of its own names, in the page's colours."""

from __future__ import annotations

import io
import re
from typing import Any

from rarebit.report._theme import DARK, color_name


def as_svg(figure: Any, name: str) -> str:
    """Return an ``<svg>`` element without its prologue.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure.
    name : str
        Put before every id, so that figures of one page do not share them.

    Returns
    -------
    str
        Text stays text; it is drawn in the font of the page. Colours of the theme are variables.
    """
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    # Its style speaks of all elements; the page says the same of those in drawings.
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, count=1, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    # Only text outside of tags can come from the data, and there quotation marks mean nothing.
    text = re.sub(r"<[^>]*>", lambda tag: _localised(tag[0], name), text)
    text = re.sub(r"^<svg[^>]*>", lambda tag: _opening(tag[0]), text)
    return re.sub(r" ?\n", " ", re.sub(r">\s+<", "><", text)).strip()


def _localised(tag: str, name: str) -> str:
    """Give a tag's ids the prefix and its colours their names; drop what only adds length."""
    # Groups and images are named by matplotlib, and nothing refers to them.
    tag = "<g>" if re.fullmatch(r'<g id="[^"]*">', tag) else tag
    tag = re.sub(r' id="[^"]*"', "", tag) if tag.startswith("<image") else tag
    tag = re.sub(r'\bid="([^"]*)"', rf'id="{name}-\1"', tag)
    tag = re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", tag)
    tag = re.sub(r'href="#([^"]*)"', rf'href="#{name}-\1"', tag)
    for color in DARK:
        tag = tag.replace(color, f"var({color_name(color)})")
    tag = tag.replace("#000000", "var(--ink)").replace("#ffffff", "var(--paper)")
    tag = re.sub(r"font-family: [^;\"]*;? ?", "", tag)
    tag = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", tag)
    return re.sub(r"(\d\.\d{2})\d+", r"\1", tag) if not tag.startswith("<image") else tag


def _opening(tag: str) -> str:
    box = re.search(r'viewBox="[^"]*"', tag)
    # The figure beside it has a caption and a description; the drawing itself is one picture.
    return f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box[0] if box else ""} role="img">'
