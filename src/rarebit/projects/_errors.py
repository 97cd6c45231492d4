"""The error of every project."""

from __future__ import annotations

from rarebit.exceptions import RarebitError


class ProjectError(RarebitError, ValueError):
    """Something that a project cannot do now; the message says what to do instead."""
