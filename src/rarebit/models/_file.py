"""A model in one file: a manifest to read, a skops file to load, and the checksums of both.

No pickle: what may be in a file is registered in `rarebit.models._types`, and everything is checked
before it is built. The checksums notice damage; they do not say who made a file.
"""

from __future__ import annotations

import hashlib
import io
import json
import stat
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any

from polars.exceptions import PanicException

from rarebit._extras import naming_extras
from rarebit._whole_files import replaced_whole
from rarebit.exceptions import InputTypeError
from rarebit.models._archive import (
    Damaged,
    MissingModelError,
    ModelError,
    read_archive,
    unpacked_limit,
)
from rarebit.models._card import model_card
from rarebit.models._estimator import KIND, dump_estimator, load_estimator
from rarebit.models._manifest import FORMAT, check_manifest, version_warnings
from rarebit.models._model import Model
from rarebit.models._schema import SCHEMA, SCHEMA_SHARE, check_tree, rename
from rarebit.models._trial import check_model

_MANIFEST, _PARTS, _SUMS = "manifest.json", "model.skops", "SHA256SUMS"
_CARD = "README.md"  # the model card, for whoever unpacks the file


def save_model(model: Any, path: str | PathLike[str] | IO[bytes]) -> None:
    """Write a model to one file.

    Parameters
    ----------
    model : Model or estimator
        What to write: what `train_model` returned, or a fitted estimator, pipeline or search of
        your own that skops can save.
    path : path or binary file
        Where; ``.rarebit`` is the usual ending. A file that is there is replaced when the new one
        is whole and on the disk.

    Raises
    ------
    ModelError
        The model holds what `load_model` would refuse, or what cannot be saved without pickle.
    MissingFileError
        The folder of `path` does not exist; it is a `FileNotFoundError` too.

    Warns
    -----
    UserWarning
        An estimator of your own holds types that `load_model` builds only where `trusted` names
        them; the warning has the call to copy.

    See Also
    --------
    load_model : Reads it again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rarebit import KernelSVC
    >>> from rarebit.models import load_model, save_model
    >>> X, y = load_iris(return_X_y=True)
    >>> own = make_pipeline(StandardScaler(), KernelSVC()).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(own, pathlib.Path(folder) / "own.rarebit")
    ...     again = load_model(pathlib.Path(folder) / "own.rarebit")
    >>> bool((again.predict(X) == own.predict(X)).all())
    True
    """
    manifest, parts = _parts_of(model) if isinstance(model, Model) else dump_estimator(model)
    if strange := manifest.get("types_to_trust"):
        place = repr(str(path)) if isinstance(path, (str, PathLike)) else "path"
        warnings.warn(
            f"{type(model).__name__} holds types that load_model builds only if they are named: "
            f"load it with load_model({place}, trusted={strange!r}).",
            UserWarning,
            stacklevel=2,
        )
    content = {
        _MANIFEST: json.dumps(
            {**manifest, "format": FORMAT}, indent=1, ensure_ascii=False
        ).encode(),
        _PARTS: parts,
        _CARD: model_card(manifest).encode(),
    }
    content[_SUMS] = _sums(content)
    archive = _archive(content, zipfile.ZIP_DEFLATED)
    if not isinstance(path, (str, PathLike)):
        path.write(archive)
    elif Path(path).exists() and not Path(path).is_file():
        Path(path).write_bytes(archive)  # a device or a pipe is written to, never replaced
    else:
        with replaced_whole(Path(path)) as partial:
            partial.write_bytes(archive)


def _parts_of(model: Model) -> tuple[dict[str, Any], bytes]:
    """Return the manifest and the skops file of a model, checked as `load_model` will."""
    with naming_extras("Files of models need"):
        import skops.io

    whole = {"encoder": model.encoder, "classifier": model.classifier}
    if model.namer is not None:
        whole["namer"] = model.namer
    parts = _renamed(skops.io.dumps(whole))
    try:
        _checked(parts, frozenset(), len(parts) << 4)
    except ModelError as error:
        raise ModelError(f"The model {error}") from error
    return model.manifest, parts


def read_manifest(path: str | PathLike[str], *, max_bytes: int | None = None) -> dict[str, Any]:
    """Read what a model file says of itself, without loading the model.

    Parameters
    ----------
    path : path
        A file that `save_model` wrote.
    max_bytes : int or None, default=None
        As in `load_model`.

    Returns
    -------
    dict
        As ``manifest`` of `Model`.
    """
    return _read(_as_path(path), max_bytes)[0]


def load_model(
    path: str | PathLike[str], *, trusted: str | Iterable[str] = (), max_bytes: int | None = None
) -> Any:
    """Read a model.

    Parameters
    ----------
    path : path
        A file that `save_model` wrote.
    trusted : str or iterable of str, optional
        Names of types, beside those of this package, that may be built. Look at them first: a
        type that a stranger put into the file may do anything.
    max_bytes : int or None, default=None
        Bytes that the file may unpack to. None takes the environment variable
        ``RAREBIT_MAX_MODEL_BYTES``; where it is not set, 200 times the size of the file, but at
        least 64 MiB, and at most a quarter of the free memory.

    Returns
    -------
    Model or estimator
        What was saved. A `Model` has ``warnings`` where versions differ; of an estimator Python
        warns. An estimator may hold every type that skops trusts, such as those of scikit-learn,
        and only its types are checked, not its attributes.

    Raises
    ------
    MissingModelError
        There is no such file; a `ModelError`, and also a `FileNotFoundError`.
    ModelError
        The file is damaged, is not a model, was written by a later version, unpacks to more than
        `max_bytes`, or holds types or settings that no model of rarebit has; the message says
        which.
    """
    with naming_extras("Files of models need"):
        import skops.io

    file = _as_path(path)
    manifest, parts, limit = _read(file, max_bytes)
    trusted = (trusted,) if isinstance(trusted, str) else tuple(trusted)
    try:
        if manifest.get("kind") == KIND:
            return load_estimator(parts, manifest, trusted, limit)
        checked, places = _checked(parts, frozenset(trusted), limit)
        loaded = skops.io.loads(checked, trusted=[*places, *trusted])
        model = Model(
            loaded["encoder"], loaded["classifier"], manifest, version_warnings(manifest),
            namer=loaded.get("namer"),
        )  # fmt: skip
        check_model(model)
    except ModelError as error:
        raise ModelError(f"{file.name} {error}") from error
    # Whatever a damaged or foreign file makes the readers and their native code stumble over.
    except (Exception, PanicException) as error:
        raise ModelError(
            f"{file.name} cannot be loaded with the packages installed here ({error}): it was "
            f"saved with {_listed(manifest.get('versions', {}))}; install these, or train again."
        ) from error
    return model


def _as_path(path: Any) -> Path:
    if isinstance(path, str | PathLike):
        return Path(path)
    raise InputTypeError(
        f"A model is read from a file, got {type(path).__name__}: give the path that save_model "
        "wrote it to."
    )


def _read(file: Path, max_bytes: int | None) -> tuple[dict[str, Any], bytes, int]:
    """Return the manifest, the skops file, and the bytes that it may unpack to."""
    if not file.exists():
        raise MissingModelError(
            f"The model {str(file)!r} does not exist: check the path, or write one with save_model "
            "or rarebit fit.",
            str(file),
        )
    # A pipe or a device may never end.
    if not stat.S_ISREG(file.stat().st_mode):
        raise ModelError(f"{file.name} is not a file: give one that rarebit fit wrote.")
    data = file.read_bytes()
    limit = unpacked_limit(len(data), max_bytes)
    try:
        content = read_archive(data, limit, file.name)
        manifest = json.loads(content[_MANIFEST])
        if not (isinstance(manifest, dict) and manifest.get("kind") == KIND):
            manifest = check_manifest(manifest)
        _check_sums(content, manifest["format"])
        parts = content[_PARTS]
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"{file.name} is not a rarebit model, or is damaged or truncated: give a file that "
            "rarebit fit or rarebit learn wrote."
        ) from error
    if manifest["format"] > FORMAT:
        raise ModelError(
            f"{file.name} was written by a later version of rarebit "
            f"({manifest.get('versions', {}).get('rarebit', 'unknown')}): install that version."
        )
    return manifest, parts, limit


def _checked(parts: bytes, trusted: frozenset[str], limit: int) -> tuple[bytes, list[str]]:
    """Return the skops file that may be built, and the types in it."""
    members = read_archive(parts, limit, "The skops file in it")
    schema = members.pop(SCHEMA)
    if len(schema) > SCHEMA_SHARE * limit:
        raise ModelError(
            f"has a schema of {len(schema):,} bytes, and {SCHEMA_SHARE * limit:,.0f} are allowed: "
            "if you know who made it, raise the limit with max_bytes."
        )
    tree, places = check_tree(json.loads(schema), members, trusted, limit)
    members[SCHEMA] = json.dumps(tree).encode()
    return _archive(members), places


def _renamed(parts: bytes) -> bytes:
    """Return a skops file with registered names; the same model gives the same bytes."""
    with zipfile.ZipFile(io.BytesIO(parts)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names: dict[str, str] = {}
    schema = rename(json.loads(members.pop(SCHEMA)), names)
    members = {names.get(name, name): data for name, data in members.items()}
    members[SCHEMA] = json.dumps(schema).encode()
    return _archive(dict(sorted(members.items())))


def _archive(content: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in content.items():
            # Without a time, so that the same model gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return file.getvalue()


def _sums(content: Mapping[str, bytes]) -> bytes:
    """Return checksums in the form of sha256sum, to be checked with ``sha256sum -c``."""
    lines = [
        f"{hashlib.sha256(content[name]).hexdigest()}  {name}\n"
        for name in (_MANIFEST, _PARTS, _CARD)
        if name in content
    ]
    return "".join(lines).encode()


def _check_sums(content: Mapping[str, bytes], number: int) -> None:
    if number > FORMAT:
        return
    known = {_MANIFEST, _PARTS, *((_SUMS,) if number > 1 else ())}
    if set(content) - ({_CARD} if number > 1 else set()) != known:
        raise Damaged(f"the members {', '.join(content)}")
    if number > 1 and content[_SUMS] != _sums(content):
        raise Damaged("a checksum that differs")


def _listed(versions: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items()) or "unknown versions"
