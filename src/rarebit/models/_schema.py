"""The tree of a skops file: checked node by node before anything is built, and renamed.

skops looks at the types in a file, not at what they are told to do. `check_tree` lets through the
few kinds of nodes that our models have, of registered types, with the attributes that are
registered, and gives the tree that skops builds from. Nodes lose their ids on the way: skops takes
the first node of an id for all others, which would then be built without having been looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rarebit.models._archive import Damaged, ModelError, read_header, read_sparse_header
from rarebit.models._nodes import ArrayHeader, Named, SavedObject, Value
from rarebit.models._types import TYPES, place_of, registered_name

SCHEMA = "schema.json"
_DEPTH = 32
# Bytes of the schema: as many objects are built from it.
SCHEMA_SHARE = 0.25
_TYPE, _LOADER = ("__module__", "__class__"), "__loader__"
_ARRAY_TYPES = {
    "numpy.ndarray",
    "numpy.bool",
    "numpy.bool_",
    "numpy.str_",
    *(f"numpy.{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)),
}
_SPARSE_TYPES = {
    "scipy.sparse._csr.csr_array": "scipy.sparse.csr_array",
    "scipy.sparse._csr.csr_matrix": "scipy.sparse.csr_matrix",
}
_KEYS = {"builtins.str", "numpy.str_"}
_TYPE_VALUES = {*_KEYS, "numpy.float64", "numpy.float32"}
_CONTAINERS = {
    "ListNode": "builtins.list",
    "TupleNode": "builtins.tuple",
    "DictNode": "builtins.dict",
}

Node = dict[str, Any]


def type_of(node: Node) -> str:
    """Return the full name of the type of a node."""
    module, name = (node[key] for key in _TYPE)
    if not isinstance(module, str) or not isinstance(name, str):
        raise Damaged("a node without a type")
    return f"{module}.{name}"


def rename(node: Any, files: dict[str, str]) -> Any:
    """Return a tree to be saved: registered names for types, numbers for files, no ids.

    Parameters
    ----------
    node : dict, list or plain value
        What skops made.
    files : dict of str to str
        Gets the new name of every file.
    """
    if isinstance(node, list):
        return [rename(item, files) for item in node]
    if not isinstance(node, dict):
        return node
    if not isinstance(node.get(_LOADER), str):
        return {key: rename(value, files) for key, value in node.items()}
    found = {key: rename(value, files) for key, value in node.items() if key != "__id__"}
    if isinstance(file := node.get("file"), str):
        ending = file.rpartition(".")[2]
        found["file"] = files.setdefault(file, f"{len(files)}.{ending}")
    if node[_LOADER] in ("ObjectNode", "SparseMatrixNode"):
        path = type_of(node)
        name = _SPARSE_TYPES.get(path) or registered_name(path) or path
        found |= dict(zip(_TYPE, name.rpartition(".")[::2], strict=True))
    return found


def check_tree(
    schema: Node, members: Mapping[str, bytes], trusted: frozenset[str], limit: int
) -> tuple[Node, list[str]]:
    """Check the tree of a model file and return what skops may build.

    Parameters
    ----------
    schema : dict
        The tree as it is in the file.
    members : mapping of str to bytes
        The other files of the archive.
    trusted : frozenset of str
        Further types that the caller trusts: these and what is in them is not checked.
    limit : int
        Bytes of the arrays, one that is there several times counted as often.

    Returns
    -------
    tuple of dict and list of str
        The tree with the places that the classes have here, and the types in it.
    """
    strange = sorted(_strange_types(schema, trusted, 0))
    if strange:
        raise ModelError(
            f"holds types that are not trusted ({', '.join(strange)}): do not load it unless you "
            "know who made it, and then name them: trusted=[…] in Python, --trust TYPE in commands."
        )
    checker = _Checker(members, limit)
    value, tree = checker.read(schema, 0)
    kinds = {"encoder": ("rarebit.tables.",), "classifier": ("rarebit.",)}
    optional = {"namer": ("rarebit.KernelSVC",)}  # where several classes are rare
    if not isinstance(value, dict) or set(value) - set(optional) != set(kinds):
        raise ModelError("holds no encoder and classifier: save the model again.")
    for name, starts in (kinds | optional).items():
        if name not in value:
            continue
        part = value[name]
        if not isinstance(part, SavedObject) or not (
            part.type_name.startswith(starts) or part.type_name in trusted
        ):
            raise ModelError(f"has no {name} that is one: save the model again.")
    return {**tree, "protocol": schema["protocol"]}, sorted(checker.places)


class _Checker:
    """Reads nodes: what they are, and how skops gets them."""

    def __init__(self, members: Mapping[str, bytes], limit: int) -> None:
        self._members = members
        self._limit = limit
        self._size = 0
        self.places: set[str] = set()

    def read(self, node: Any, depth: int) -> tuple[Value, Node]:
        """Return what a node holds, and the node for skops."""
        if not isinstance(node, dict) or depth > _DEPTH:
            raise Damaged("a node that is none, or too many of them inside each other")
        loader = node[_LOADER]
        if loader == "JsonNode":
            return self._plain(node)
        if loader in _CONTAINERS:
            return self._container(node, depth)
        if loader == "NdArrayNode":
            return self._array(node)
        if loader == "SparseMatrixNode":
            return self._sparse(node)
        if loader == "ObjectNode":
            return self._object(node, depth)
        if loader == "TypeNode":
            return Named(type_of(node)), _typed(node, type_of(node))
        return SavedObject(type_of(node)), self._unchecked(node)

    def _plain(self, node: Node) -> tuple[Value, Node]:
        value = json.loads(node["content"])
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise Damaged("a plain value that is none")
        if isinstance(value, str):
            value.encode()  # half a surrogate pair is no letter
        return value, _typed(node, "builtins.str", content=node["content"], is_json=True)

    def _container(self, node: Node, depth: int) -> tuple[Value, Node]:
        content = node["content"]
        path = _CONTAINERS[node[_LOADER]]
        if node[_LOADER] != "DictNode":
            pairs = [self.read(item, depth + 1) for item in content]
            values = [value for value, _ in pairs]
            nodes = [item for _, item in pairs]
            return (
                tuple(values) if path == "builtins.tuple" else values,
                _typed(node, path, content=nodes),
            )
        keys, key_types = self.read(node["key_types"], depth + 1)
        if len(keys) != len(content) or any(
            not isinstance(key, Named) or key.name not in _KEYS for key in keys
        ):
            raise Damaged("a dictionary with keys that are no names")
        "".join(content).encode()
        read = {key: self.read(item, depth + 1) for key, item in content.items()}
        return (
            {key: value for key, (value, _) in read.items()},
            _typed(
                node,
                path,
                content={key: item for key, (_, item) in read.items()},
                key_types=key_types,
            ),
        )

    def _array(self, node: Node) -> tuple[Value, Node]:
        path = type_of(node)
        if node["type"] == "json":
            items = [self._plain(item) for item in node["content"]]
            shape, shape_node = self._container(node["shape"], 0)
            if path != "numpy.ndarray" or shape != (len(items),):
                raise Damaged("an array of objects with another shape")
            kind = "T" if all(isinstance(value, str) for value, _ in items) else "O"
            nodes = [item for _, item in items]
            return ArrayHeader(kind, shape), _typed(
                node, path, content=nodes, shape=shape_node, type="json"
            )
        if node["type"] != "numpy":
            raise Damaged("an array that is neither numbers nor strings")
        header = read_header(self._file(node, ".npy"))
        if header.kind == "S" or (path != "numpy.ndarray" and header.shape != ()):
            raise Damaged(f"an array of the type {path}")
        return header, _typed(node, path, type="numpy", file=node["file"])

    def _sparse(self, node: Node) -> tuple[Value, Node]:
        if node["type"] != "scipy":
            raise Damaged("a sparse array of another library")
        header = read_sparse_header(self._file(node, ".npz"), self._limit)
        places = {name: path for path, name in _SPARSE_TYPES.items()}
        place = places.get(type_of(node), type_of(node))
        self.places.add(place)
        return header, _typed(node, place, type="scipy", file=node["file"])

    def _object(self, node: Node, depth: int) -> tuple[Value, Node]:
        path = type_of(node)
        name = registered_name(path)
        if name is None:
            return SavedObject(path), self._unchecked(node)
        saved = TYPES[name]
        attributes, content = self.read(node["content"], depth + 1)
        if not isinstance(attributes, dict):
            raise Damaged(f"a {name} without attributes")
        refused = saved.refused(attributes)
        if refused is not None:
            raise ModelError(
                f"sets {refused!r} of {name} to what no model of rarebit has: do not load it "
                "unless you know who made it, and then train it again."
            )
        place = place_of(saved)
        self.places.add(place)
        return SavedObject(name), _typed(node, place, content=content)

    def _unchecked(self, node: Any) -> Any:
        """Something that the caller trusts: only registered names in it become places."""
        if isinstance(node, list):
            return [self._unchecked(item) for item in node]
        if not isinstance(node, dict):
            return node
        found = {key: self._unchecked(value) for key, value in node.items() if key != "__id__"}
        if node.get(_LOADER) == "ObjectNode":
            name = registered_name(type_of(node))
            place = type_of(node) if name is None else place_of(TYPES[name])
            self.places.add(place)
            found |= dict(zip(_TYPE, place.rpartition(".")[::2], strict=True))
        return found

    def _file(self, node: Node, ending: str) -> bytes:
        name = node["file"]
        if not name.endswith(ending):
            raise Damaged(f"a file {name!r} that should end in {ending}")
        data = self._members[name]
        self._size += len(data)
        if self._size > self._limit:
            raise ModelError(
                f"holds arrays of more than {self._limit:,} bytes: if you know who made it, raise "
                "the limit with max_bytes."
            )
        return data


def _typed(node: Node, path: str, **content: Any) -> Node:
    """Return a node with these fields and no other."""
    return {
        **dict(zip(_TYPE, path.rpartition(".")[::2], strict=True)),
        _LOADER: node[_LOADER],
        **content,
    }


def _strange_types(node: Any, trusted: frozenset[str], depth: int) -> set[str]:
    """Return the names of all types that are neither registered nor trusted."""
    if depth > 4 * _DEPTH:
        raise Damaged("too many nodes inside each other")
    if isinstance(node, list):
        return set().union(*(_strange_types(item, trusted, depth + 1) for item in node))
    if not isinstance(node, dict):
        return set()
    inner = set().union(*(_strange_types(item, trusted, depth + 1) for item in node.values()))
    if not isinstance(loader := node.get(_LOADER), str):
        return inner
    path = type_of(node)
    known = {
        "JsonNode": path == "builtins.str",
        "NdArrayNode": path in _ARRAY_TYPES,
        "SparseMatrixNode": path in _SPARSE_TYPES or path in _SPARSE_TYPES.values(),
        "TypeNode": path in _TYPE_VALUES,
        **{name: path == own for name, own in _CONTAINERS.items() if name == loader},
    }.get(loader, loader == "ObjectNode" and registered_name(path) is not None)
    return inner if known or path in trusted else {*inner, path}
