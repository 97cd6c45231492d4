"""Model files: names that stay, files of earlier versions, damage, and what strangers put in."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import FunctionTransformer

from rarebit.classifiers import BaggedSVC, BoostedSVC, PrunedSVC
from rarebit.models import ModelError, load_model, read_manifest, save_model, train_model
from rarebit.models._types import FORMER, TYPES, registered_name
from rarebit.svm import KernelSVC, OnlineSVC
from rarebit.tables import Table, read_table

from .conftest import archive_of, changed_inside, members_of, objects_of, rewritten

DATA = Path(__file__).parent / "data"
# Rows of files that the models of format 1 were trained on, and what they said of them then.
EARLIER_ROWS = """\
amount,kind,who,when,note
3.0,card,shop 0,2024-01-01T00:00:00.000000,the goods of order 0 came broken and late
0.3,cash,shop 1,2024-01-01T01:00:00.000000,the goods of order 1 came in time today
-0.27,card,shop 2,2024-01-01T02:00:00.000000,the goods of order 2 came in time today
"""
EARLIER = {
    "bagged-format-1.rarebit": [1.7809725748053502, -0.9451247470892833, -1.2735814068334133],
    "learned-format-1.rarebit": [0.9516613457909945, -1.2314742842206234, -1.1385006506189175],
    "border-format-1.rarebit": [0.9519700497159538, -1.2318341042605372, -1.1383212971335233],
}


def tree_of(path: Path) -> dict[str, Any]:
    parts = members_of(members_of(path.read_bytes())["model.skops"])
    return json.loads(parts["schema.json"])  # type: ignore[no-any-return]


def types_in(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*map(types_in, node))
    if not isinstance(node, dict):
        return set()
    own = {f"{node['__module__']}.{node['__class__']}"} if "__loader__" in node else set()
    return own.union(*map(types_in, node.values()))


# --- names --------------------------------------------------------------------------------------


def test_files_name_no_private_module(mixed_model: Path) -> None:
    named = types_in(tree_of(mixed_model))
    assert {"rarebit.KernelSVC", "rarebit.tables.TableEncoder", "skrub.StringEncoder"} <= named
    assert not [name for name in named if "._" in name]


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_registered_type_is_there(name: str) -> None:
    cls = TYPES[name].load()
    assert registered_name(f"{cls.__module__}.{cls.__name__}") == name


def test_former_places_lead_to_registered_types() -> None:
    assert set(FORMER.values()) <= set(TYPES)


def test_modules_may_move(mixed: Table, mixed_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_model(mixed_model).judge(mixed)[1]
    elsewhere = types.ModuleType("rarebit.elsewhere")
    elsewhere.KernelSVC = KernelSVC  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rarebit.elsewhere", elsewhere)
    monkeypatch.delattr("rarebit.svm._kernel_svc.KernelSVC")
    monkeypatch.setattr(KernelSVC, "__module__", "rarebit.elsewhere")
    assert_array_equal(load_model(mixed_model).judge(mixed)[1], before)


@pytest.mark.parametrize(("name", "expected"), EARLIER.items())
def test_files_of_format_1_still_load(name: str, expected: list[float], tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(EARLIER_ROWS)
    assert read_manifest(DATA / name)["format"] == 1
    model = load_model(DATA / name)
    table = read_table(tmp_path / "rows.csv", schema=model.encoder.schema_)
    decided, scores = model.judge(table)
    assert_allclose(scores, expected, rtol=1e-6)
    assert decided.tolist() == ["fraud", "fine", "fine"]
    # Saved again, it is of today's format and says the same.
    save_model(model, tmp_path / "again.rarebit")
    assert read_manifest(tmp_path / "again.rarebit")["format"] == 2
    assert_array_equal(load_model(tmp_path / "again.rarebit").judge(table)[1], scores)


CLASSIFIERS = [
    KernelSVC(kernel="linear"),
    OnlineSVC(random_state=0),
    BaggedSVC(n_estimators=3, random_state=0),
    BoostedSVC(random_state=0),
    PrunedSVC(max_removals=3, random_state=0),
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_every_classifier_can_be_saved(
    classifier: Any, text: bool, classes: int, mixed: Table, tmp_path: Path
) -> None:
    names = mixed.number_names
    table = mixed if text else Table("rows", mixed.ids, mixed.numbers, names, target=mixed.target)
    model = train_model(table, method="kernel", validate=False)
    y = mixed.target.copy()  # type: ignore[union-attr]
    if classes == 3:
        y = np.where(np.arange(len(y)) % 7 == 1, "late", y)
        model.manifest["classes"] = {"fine": 40, "fraud": 10, "late": 10}
    model.classifier = classifier.fit(model.encoder.transform(table), y)
    save_model(model, tmp_path / "m.rarebit")
    loaded = load_model(tmp_path / "m.rarebit")
    for first, second in zip(model.judge(table), loaded.judge(table), strict=True):
        assert_array_equal(first, second)


def test_the_same_model_gives_the_same_bytes(mixed: Table, tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_model(train_model(mixed, method="border", validate=False), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_could_not_be_loaded_is_not_saved(mixed: Table, tmp_path: Path) -> None:
    model = train_model(mixed, method="kernel", validate=False)
    model.classifier.helper = KernelSVC
    with pytest.raises(ModelError, match="The model "):
        save_model(model, tmp_path / "m.rarebit")
    assert not list(tmp_path.iterdir())


def test_there_is_no_pickle_inside(mixed_model: Path) -> None:
    names = members_of(members_of(mixed_model.read_bytes())["model.skops"])
    assert "schema.json" in names
    assert {name.rpartition(".")[2] for name in names} <= {"json", "npy", "npz"}


def test_versions_are_compared(mixed_model: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.rarebit"
    saved.write_bytes(mixed_model.read_bytes())
    manifest = read_manifest(saved)
    manifest["versions"]["scikit-learn"] = "0.1.2"
    model = load_model(rewritten(saved, manifest_json=json.dumps(manifest).encode()))
    (warning,) = model.warnings
    assert "scikit-learn 0.1.2" in warning
    manifest["format"] = 99
    with pytest.raises(ModelError, match="later version of rarebit"):
        load_model(rewritten(saved, manifest_json=json.dumps(manifest).encode()))


# --- damage -------------------------------------------------------------------------------------


def test_members_are_bound_by_checksums(mixed_model: Path, tmp_path: Path) -> None:
    members = members_of(mixed_model.read_bytes())
    for line in members["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert digest == hashlib.sha256(members[name]).hexdigest()
    manifest = json.loads(members["manifest.json"])
    manifest["threshold"] = 5.0  # the zip archive itself is whole
    members["manifest.json"] = json.dumps(manifest).encode()
    (tmp_path / "m.rarebit").write_bytes(archive_of(members))
    with pytest.raises(ModelError, match="damaged"):
        load_model(tmp_path / "m.rarebit")


SOURCES = ["mixed", "learned-format-1.rarebit", "border-format-1.rarebit"]


@pytest.mark.parametrize("source", SOURCES)
def test_changed_bytes_are_noticed_or_harmless(
    source: str, mixed: Table, mixed_model: Path, tmp_path: Path
) -> None:
    """400 changes and 40 lengths of each file: 1,320 in all."""
    whole = (mixed_model if source == "mixed" else DATA / source).read_bytes()
    path = tmp_path / "m.rarebit"
    path.write_bytes(whole)
    expected = load_model(path).judge(mixed)
    rng = np.random.default_rng(0)
    variants = [whole[:n] for n in rng.integers(0, len(whole), 40)]
    # Half of the changes in the directory of the archive, which no checksum of its own covers.
    places = np.concatenate(
        [rng.integers(0, len(whole), 200), rng.integers(len(whole) - 300, len(whole), 200)]
    )
    for place, flip in zip(places, rng.integers(1, 256, 400), strict=True):
        changed = bytearray(whole)
        changed[place] ^= int(flip)
        variants.append(bytes(changed))
    noticed = 0
    for variant in variants:
        path.write_bytes(variant)
        try:
            found = load_model(path).judge(mixed)
        except ModelError:
            noticed += 1
            continue
        assert_array_equal(found[0], expected[0])
        assert_array_equal(found[1], expected[1])
    assert noticed > 200


def test_trees_with_changed_bytes_and_right_checksums(
    mixed: Table, mixed_model: Path, tmp_path: Path
) -> None:
    """A file of a stranger: whatever its tree says, there is a model or a ModelError."""
    saved = tmp_path / "m.rarebit"
    saved.write_bytes(mixed_model.read_bytes())
    parts = members_of(members_of(saved.read_bytes())["model.skops"])
    schema = parts["schema.json"]
    rng = np.random.default_rng(0)
    letters = np.frombuffer(b'0123456789-.e"{}[],:\\ntfabNI', dtype=np.uint8)
    refused = 0
    for _ in range(300):
        changed = bytearray(schema)
        for place in rng.integers(0, len(schema), rng.integers(1, 4)):
            changed[place] = rng.choice(letters)
        copy = rewritten(saved, model_skops=archive_of({**parts, "schema.json": bytes(changed)}))
        try:
            load_model(copy)
        except ModelError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    "schema",
    [
        b"[" * 200_000,
        b'{"__loader__": "ListNode", "content": [' * 5_000,
        b"null",
        b'{"__loader__": 3}',
        b'{"protocol": 2}',
        b"\xff",
    ],
)
def test_trees_that_are_none(schema: bytes, mixed_model: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.rarebit"
    saved.write_bytes(mixed_model.read_bytes())
    parts = archive_of({"schema.json": schema})
    with pytest.raises(ModelError, match=r"^copy\.rarebit "):
        load_model(rewritten(saved, model_skops=parts))


@pytest.mark.parametrize(
    "change",
    [
        {"classes": {"fine": 3}},
        {"classes": {"fine": "many", "fraud": 1}},
        {"rare_class": "other"},
        {"threshold": "high"},
        {"format": "2"},
        {"versions": ["1"]},
        {"metrics": 3},
        {"columns": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_manifests_that_contradict_themselves(
    change: dict[str, Any], mixed_model: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "m.rarebit"
    saved.write_bytes(mixed_model.read_bytes())
    manifest = json.dumps({**read_manifest(saved), **change}).encode()
    with pytest.raises(ModelError, match=r"copy\.rarebit is not a rarebit model, or is damaged"):
        load_model(rewritten(saved, manifest_json=manifest))


def test_what_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a file"):
        load_model(tmp_path)
    if Path("/dev/zero").exists():
        with pytest.raises(ModelError, match="zero is not a file"):
            load_model("/dev/zero")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.rarebit")


# --- size ---------------------------------------------------------------------------------------

MIB = 1 << 20


def zeros(n: int) -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(n // 8))
    return file.getvalue()


def array_node(file: str) -> dict[str, Any]:
    kind = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode"}
    return {**kind, "type": "numpy", "file": file}


@pytest.fixture
def saved(mixed_model: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.rarebit"
    path.write_bytes(mixed_model.read_bytes())
    return path


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_bombs_are_refused_before_they_are_unpacked(compression: int, saved: Path) -> None:
    """In the outer archive, and in one that is packed inside it."""

    def add(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        objects_of(schema, "KernelSVC")[0]["_centre"] = array_node("bomb.npy")
        parts["bomb.npy"] = zeros(80 * MIB)

    bomb = changed_inside(saved, add, compression)
    assert bomb.stat().st_size < MIB
    with pytest.raises(ModelError, match=r"unpacks to 8.*67,108,864 are allowed.*max_bytes"):
        load_model(bomb)


def test_sparse_bombs(saved: Path) -> None:
    def add(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["bomb.npz"] = archive_of({"data.npy": zeros(80 * MIB)}, zipfile.ZIP_DEFLATED)
        kind = {"__class__": "csr_array", "__module__": "scipy.sparse"}
        objects_of(schema, "KernelSVC")[0]["_centre"] = {
            **kind, "__loader__": "SparseMatrixNode", "type": "scipy", "file": "bomb.npz"
        }  # fmt: skip

    with pytest.raises(ModelError, match="unpacks to 8"):
        load_model(changed_inside(saved, add))


def test_one_array_many_times(saved: Path) -> None:
    def repeat(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["large.npy"] = zeros(MIB)
        node = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        objects_of(schema, "KernelSVC")[0]["_centre"] = {
            **node, "content": [array_node("large.npy")] * 100
        }  # fmt: skip

    with pytest.raises(ModelError, match="holds arrays of more than 67,108,864 bytes"):
        load_model(changed_inside(saved, repeat))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 5)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (0,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1000000000000)}",
        "import os",
    ],
)
def test_headers_of_arrays_are_compared_with_their_bytes(header: str, saved: Path) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        name = objects_of(schema, "KernelSVC")[0]["_centre"]["file"]
        text = header.encode().ljust(117) + b"\n"
        parts[name] = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text

    with pytest.raises(ModelError, match=r"^copy\.rarebit "):
        load_model(changed_inside(saved, change))


def test_the_limit_can_be_changed(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"m\.rarebit unpacks to .* and 1,000 are allowed"):
        load_model(saved, max_bytes=1_000)
    monkeypatch.setenv("RAREBIT_MAX_MODEL_BYTES", "2000")
    with pytest.raises(ModelError, match="2,000 are allowed"):
        read_manifest(saved)
    load_model(saved, max_bytes=10 * MIB)
    monkeypatch.setenv("RAREBIT_MAX_MODEL_BYTES", "plenty")
    with pytest.raises(ModelError, match="must be a number of bytes above 0, got 'plenty'"):
        load_model(saved)


# --- what strangers put in ----------------------------------------------------------------------


def plain_node(value: Any) -> dict[str, Any]:
    node = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    return {**node, "content": json.dumps(value), "is_json": True}


def type_node(module: str, name: str, loader: str = "TypeNode") -> dict[str, Any]:
    return {"__class__": name, "__module__": module, "__loader__": loader}


def test_types_of_strangers_are_named_and_refused(saved: Path) -> None:
    strange = skops.io.dumps(
        {"encoder": FunctionTransformer(func=io.open_code), "classifier": KernelSVC()}
    )
    with pytest.raises(ModelError, match=r"not trusted \(.*open_code.*\): do not load.*--trust"):
        load_model(rewritten(saved, model_skops=strange))


def test_a_cell_is_never_taken_for_a_file(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden words")

    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        (vectorizer,) = objects_of(schema, "TfidfVectorizer")
        vectorizer["input"] = plain_node("filename")

    with pytest.raises(ModelError, match=r"sets 'input' of sklearn.*TfidfVectorizer to what no"):
        load_model(changed_inside(saved, change))


@pytest.mark.parametrize(
    ("name", "attribute", "node"),
    [
        ("TfidfVectorizer", "token_pattern", plain_node("(a+)+$")),
        ("TfidfVectorizer", "analyzer", plain_node("char")),
        ("TfidfVectorizer", "transform", plain_node("shadowed")),
        ("TfidfVectorizer", "vocabulary_", plain_node(3)),
        ("TfidfVectorizer", "dtype", type_node("numpy", "float32")),
        ("OneHotEncoder", "categories_", plain_node("none")),
        ("OneHotEncoder", "handle_unknown", plain_node("warn")),
        ("OneHotEncoder", "dtype", type_node("builtins", "str")),
        ("DatetimeEncoder", "resolution", plain_node("nanosecond")),
        ("StringEncoder", "vectorizer_", plain_node(None) | {"content": "3"}),
        ("StandardScaler", "mean_", plain_node("zero")),
        ("TableEncoder", "secret", plain_node(1)),
        ("TableEncoder", "numbers_", plain_node(1)),
        ("KernelSVC", "C", type_node("numpy", "float64")),
        ("KernelSVC", "predict", plain_node(1)),
    ],
)
def test_attributes_that_no_model_has(
    name: str, attribute: str, node: dict[str, Any], saved: Path
) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        attributes = objects_of(schema, name)[0]
        if attribute not in attributes:
            owner = next(o for o in nodes_of(schema, name))
            owner["content"]["key_types"]["content"].append(type_node("builtins", "str"))
        attributes[attribute] = node

    with pytest.raises(ModelError, match=f"sets '{attribute}' of .*{name} to what no model"):
        load_model(changed_inside(saved, change))


def nodes_of(schema: Any, name: str) -> list[dict[str, Any]]:
    found = []
    if isinstance(schema, dict):
        if schema.get("__loader__") == "ObjectNode" and schema["__class__"] == name:
            found.append(schema)
        found += [node for value in schema.values() for node in nodes_of(value, name)]
    if isinstance(schema, list):
        found += [node for value in schema for node in nodes_of(value, name)]
    return found


@pytest.mark.parametrize(
    "node",
    [
        type_node("builtins", "eval", "FunctionNode"),
        type_node("builtins", "eval"),
        type_node("os", "system", "TypeNode"),
        {**type_node("operator", "methodcaller", "OperatorFuncNode"), "attrs": plain_node("a")},
        {**type_node("collections", "OrderedDict", "DictNode"), "content": {}},
        {**type_node("sklearn.svm._classes", "SVC", "ObjectNode"), "content": plain_node(None)},
    ],
    ids=lambda node: f"{node['__class__']}-{node['__loader__']}",
)
def test_nodes_of_other_kinds(node: dict[str, Any], saved: Path) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        objects_of(schema, "KernelSVC")[0]["_centre"] = node

    with pytest.raises(ModelError, match=f"not trusted.*{node['__class__']}"):
        load_model(changed_inside(saved, change))


def test_no_node_stands_for_another(saved: Path, mixed: Table) -> None:
    """skops takes the first node of an id for all of them, whatever they say."""
    expected = load_model(saved).judge(mixed)[1]

    def change(schema: Any, parts: dict[str, bytes]) -> None:
        def mark(node: Any) -> None:
            for value in node.values() if isinstance(node, dict) else node:
                if isinstance(value, (dict, list)):
                    mark(value)
            if isinstance(node, dict) and "__loader__" in node:
                node["__id__"] = 7

        mark(schema)

    assert_array_equal(load_model(changed_inside(saved, change)).judge(mixed)[1], expected)


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("KernelSVC", "n_features_in_", 7),
        ("KernelSVC", "C", -1.0),
        ("KernelSVC", "kernel", "magic"),
        ("TableEncoder", "n_features_", 3),
        ("TableEncoder", "dtype_", "object"),
        ("StandardScaler", "n_features_in_", 99),
    ],
)
def test_parts_that_do_not_fit_together(name: str, attribute: str, value: Any, saved: Path) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        objects_of(schema, name)[0][attribute] = plain_node(value)

    with pytest.raises(ModelError, match=r"copy\.rarebit cannot be loaded"):
        load_model(changed_inside(saved, change))


@pytest.mark.parametrize("letter", [0xD800, 0x110000, 0xFFFFFFFF])
def test_strings_that_are_not_unicode(letter: int, saved: Path) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        name = objects_of(schema, "TableEncoder")[0]["schema_|names"]["file"]
        parts[name] = parts[name][:-4] + letter.to_bytes(4, "little")

    with pytest.raises(ModelError, match="strings that are not Unicode"):
        load_model(changed_inside(saved, change))


def test_names_that_are_not_unicode(saved: Path) -> None:
    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        objects_of(schema, "StringEncoder")[0]["input_name_"] = plain_node("\ud800")

    with pytest.raises(ModelError, match="surrogates not allowed"):
        load_model(changed_inside(saved, change))


@pytest.mark.parametrize(
    ("attribute", "array"),
    [
        ("classes_", np.array(["a", "b"])),
        ("support_vectors_", np.zeros((3, 2))),
        ("dual_coef_", np.zeros((1, 1))),
        ("dual_coef_", np.array([["a"]])),
        ("intercept_", np.array([np.nan])),
    ],
)
def test_arrays_that_do_not_fit_together(
    attribute: str, array: Any, tmp_path: Path, saved: Path
) -> None:
    frame = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "class": ["fine", "fine", "fraud", "fraud"]})
    frame.write_csv(tmp_path / "rows.csv")
    table = read_table(tmp_path / "rows.csv", target="class")
    save_model(train_model(table, method="kernel", validate=False), saved)

    def change(schema: dict[str, Any], parts: dict[str, bytes]) -> None:
        file = io.BytesIO()
        np.save(file, array)
        parts[objects_of(schema, "KernelSVC")[0][attribute]["file"]] = file.getvalue()

    with pytest.raises(ModelError, match=r"copy\.rarebit cannot be loaded"):
        load_model(changed_inside(saved, change))
