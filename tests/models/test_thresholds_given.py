"""Thresholds of training may be numbers, as those of predictions may."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rarebit.models import train_model

RNG = np.random.default_rng(0)
RARE = RNG.random(200) < 0.2
DATA: dict[str, Any] = {"x": RNG.normal(size=200) + 2.0 * RARE, "y": np.where(RARE, "a", "b")}


@pytest.mark.parametrize("threshold", [0.3, np.float64(0.3), "0.3"])
def test_numbers_are_thresholds(threshold: Any) -> None:
    model = train_model(DATA, target="y", method="kernel", threshold=threshold)
    assert (model.manifest["threshold"], model.manifest["threshold_aim"]) == (0.3, "0.3")
    whole = train_model(DATA, target="y", method="kernel", threshold=0, validate=False)
    assert whole.manifest["threshold"] == 0.0


@pytest.mark.parametrize("threshold", [True, float("nan"), None])
def test_what_is_no_threshold_is_refused(threshold: Any) -> None:
    with pytest.raises(ValueError, match=r"A threshold must be own, g-mean.*got"):
        train_model(DATA, target="y", method="kernel", threshold=threshold)
