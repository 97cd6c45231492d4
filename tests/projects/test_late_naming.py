"""A proof does not choose its classes after it has seen its draws."""

from __future__ import annotations

import pytest

from rarebit.projects import Settings, SettingsError
from rarebit.projects._rare_classes import refuse_late_naming
from rarebit.projects.stores import Audit, Event

DRAWN = [Event(1, "ask", row=3, id="3", reason="random", order=1, audit=Audit(100, 0.9))]


def test_rare_classes_stay_once_random_rows_prove_a_recall() -> None:
    proving = Settings(recall=0.9)
    named = proving.with_changes(rare=("fraud",))
    refuse_late_naming(proving, named, [])  # nothing is drawn yet
    refuse_late_naming(Settings(), Settings(rare=("fraud",)), DRAWN)  # nothing is proved
    refuse_late_naming(named, named.with_changes(goal="find"), DRAWN)
    with pytest.raises(SettingsError, match="cannot change once random rows are drawn"):
        refuse_late_naming(proving, named, DRAWN)
    with pytest.raises(SettingsError, match="begin another project"):
        refuse_late_naming(Settings(), Settings(rare=("fraud",), recall=0.9), DRAWN)
