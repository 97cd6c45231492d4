"""The error of every project, and the warning of one whose rows are gone."""

from __future__ import annotations

from rarebit.exceptions import RarebitError


class ProjectError(RarebitError, ValueError):
    """Something that a project cannot do now; the message says what to do instead."""


class LabelsLeftOutWarning(UserWarning):
    """Rows in memory lack some that were labelled, whose labels are left out for now.

    `Project.open` issues it where it is given a frame. The store as it was is kept, and the labels
    return when the project is opened with their rows again.
    """


class SettingsError(RarebitError, ValueError):
    """Settings that no project can have; the message says which are allowed."""
