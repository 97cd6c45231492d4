"""Model files of blends: they say the same again, and trees of strangers are checked."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rarebit.models import ModelError, load_model, save_model, train_model
from rarebit.tables import Table

from .conftest import changed_inside, members_of, objects_of, rewritten


def saved_blend(table: Table, folder: Path) -> Path:
    model = train_model(table, method="blend", validate=False, n_trees=5)
    save_model(model, folder / "m.rarebit")
    return folder / "m.rarebit"


@pytest.fixture(scope="module")
def numbers(mixed: Table) -> Table:
    return Table("rows", mixed.ids, mixed.numbers, mixed.number_names, target=mixed.target)


@pytest.fixture(scope="module")
def blend(numbers: Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_blend(numbers, tmp_path_factory.mktemp("blend"))


@pytest.mark.parametrize("text", [False, True])
def test_a_blend_says_the_same_again(
    text: bool, mixed: Table, numbers: Table, tmp_path: Path
) -> None:
    table = mixed if text else numbers
    model = train_model(table, method="auto", validate=False, n_trees=5)
    save_model(model, tmp_path / "m.rarebit")
    loaded = load_model(tmp_path / "m.rarebit")
    assert model.manifest["method"] == "blend"
    for first, second in zip(model.judge(table), loaded.judge(table), strict=True):
        assert_array_equal(first, second)
    X = model.encoder.transform(table)
    assert_array_equal(model.classifier.predict_proba(X), loaded.classifier.predict_proba(X))
    assert_array_equal(model.classifier.probability_band(X), loaded.classifier.probability_band(X))
    assert loaded.classifier.reason_ == model.classifier.reason_


def test_the_same_blend_gives_the_same_bytes(numbers: Table, blend: Path, tmp_path: Path) -> None:
    assert saved_blend(numbers, tmp_path).read_bytes() == blend.read_bytes()


def array_bytes(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def replace_array(field: str, change: Any) -> Any:
    """Return a change of one array of every forest in a file."""

    def apply(schema: dict[str, Any], members: dict[str, bytes]) -> None:
        trees = objects_of(schema, "TreeEnsemble")
        assert trees
        for tree in trees:
            name = tree[field]["file"]
            members[name] = array_bytes(change(np.load(io.BytesIO(members[name]))))

    return apply


def first_is(value: Any) -> Any:
    def change(array: Any) -> Any:
        array[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("left", first_is(-1)),
        ("left", first_is(2**30)),
        ("right", first_is(0)),  # a root that leads to itself
        ("feature", first_is(10**6)),
        ("feature", first_is(-3)),
        ("roots", first_is(10**8)),
        ("value", first_is(np.nan)),
        ("value", lambda a: a[:-1]),
        ("threshold", lambda a: a[:-1]),
        ("left", lambda a: a.astype(float)),
        ("base", lambda a: np.append(a, 0.0)),
    ],
)
def test_trees_that_lead_nowhere_are_refused(field: str, change: Any, blend: Path) -> None:
    with pytest.raises(ModelError):
        load_model(changed_inside(blend, replace_array(field, change)))


def test_trees_that_never_end_are_refused(blend: Path) -> None:
    """A chain of a hundred thousand nodes, each below the one before."""
    n = 100_000

    def chain(schema: dict[str, Any], members: dict[str, bytes]) -> None:
        for tree in objects_of(schema, "TreeEnsemble"):
            outputs = np.load(io.BytesIO(members[tree["base"]["file"]])).shape[0]
            below = np.minimum(np.arange(1, n + 1), n - 1).astype(np.int32)
            arrays = {
                "left": below, "right": below, "feature": np.zeros(n, np.int32),
                "threshold": np.zeros(n), "value": np.zeros((n, outputs)),
                "roots": np.zeros(1, np.int32),
            }  # fmt: skip
            for name, array in arrays.items():
                members[tree[name]["file"]] = array_bytes(array)

    with pytest.raises(ModelError, match="levels"):
        load_model(changed_inside(blend, chain))


def test_random_nodes_end_in_a_model_or_an_error(blend: Path, numbers: Table) -> None:
    """400 damaged arrays of trees, with checksums that are right: no crash, no hang."""
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        field = str(rng.choice(["left", "right", "feature", "roots", "threshold", "value"]))
        value = rng.choice([-(2**31), -1, 0, 1, 7, 10**6, 2**31 - 1])
        position = int(rng.integers(50))

        def change(array: Any, at: int = position, to: Any = value) -> Any:
            array[at % len(array)] = to
            return array

        try:
            model = load_model(changed_inside(blend, replace_array(field, change)))
        except ModelError:
            refused += 1
            continue
        assert np.isfinite(model.judge(numbers)[1]).all()
    assert refused > 150


@pytest.mark.parametrize(
    "change",
    [
        lambda blend: blend["weights_"]["content"].clear(),
        lambda blend: blend["parts_"]["content"].clear(),
        lambda blend: blend.update(threshold_=blend["reason_"]),
        lambda blend: blend.update(parts_=blend["weights_"]),
        lambda blend: blend.update(_slopes=blend["reason_"]),
    ],
)
def test_blends_that_contradict_themselves_are_refused(change: Any, blend: Path) -> None:
    def apply(schema: dict[str, Any], members: dict[str, bytes]) -> None:
        (found,) = objects_of(schema, "BlendedClassifier")
        change(found)

    with pytest.raises(ModelError):
        load_model(changed_inside(blend, apply))


def test_changed_trees_of_json_are_refused_or_harmless(blend: Path) -> None:
    parts = members_of(members_of(blend.read_bytes())["model.skops"])
    schema = parts["schema.json"]
    rng = np.random.default_rng(1)
    letters = np.frombuffer(b'0123456789-.e"{}[],:ntf', dtype=np.uint8)
    from .conftest import archive_of

    for _ in range(100):
        changed = bytearray(schema)
        for place in rng.integers(0, len(schema), 2):
            changed[place] = rng.choice(letters)
        copy = rewritten(blend, model_skops=archive_of({**parts, "schema.json": bytes(changed)}))
        try:
            load_model(copy)
        except ModelError:
            continue
    assert json.loads(schema)
