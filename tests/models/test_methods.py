"""The one list of methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rarebit.classifiers import FINAL_METHODS
from rarebit.cli._fit import fit
from rarebit.cli._learn import learn
from rarebit.models import METHODS, final_classifier, find_method, method_names
from rarebit.models._types import TYPES
from rarebit.svm import KernelSVC

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "models.md"


def choices(command: object, option: str) -> tuple[str, ...]:
    (found,) = (p for p in command.params if p.name == option)  # type: ignore[attr-defined]
    return tuple(found.type.choices)


def test_the_command_line_takes_its_methods_from_the_list() -> None:
    assert choices(fit, "method") == method_names()
    assert choices(learn, "method") == method_names(learns=True)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_makes_its_classifier(method: object) -> None:
    assert method in METHODS
    made = find_method(method.name).make(3, C=2.0)  # type: ignore[attr-defined]
    assert type(made) is TYPES[method.type_name].load()  # type: ignore[attr-defined]
    assert made.C == 2.0
    assert made.get_params().get("random_state", 3) == 3


@pytest.mark.skipif(not GUIDE.exists(), reason="the documentation is not beside the tests")
def test_the_guide_names_every_method() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    for method in METHODS:
        name = method.type_name.removeprefix("rarebit.")
        assert f"| `{method.name}` | `{name}` | {method.summary}" in page


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(
        ValueError, match="method must be one of auto, blend, border, bagged, boosted"
    ):
        find_method("magic")
    X = np.array([[0.0], [1.0]])
    machine = KernelSVC().fit(X, [0, 1])
    with pytest.raises(ValueError, match="method must be one of auto, blend, border, bagged, got"):
        final_classifier(X, {0: "a", 1: "b"}, border=machine, method="pruned")


def test_methods_that_learn_from_few_labels_are_listed_once() -> None:
    assert set(method_names(learns=True)) == set(FINAL_METHODS)
