"""A model in one file: a zip archive of a manifest to read and a skops file to load.

No pickle: skops builds the types that a file names only if they are trusted, and the list of
those that our own models need is here.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import IO, Any

from rarebit.models._model import Model

_MANIFEST, _PARTS = "manifest.json", "model.skops"
_FORMAT = 1
_PACKAGES = ("rarebit", "scikit-learn", "numpy", "scipy", "skops", "polars", "skrub")
# Versions that may differ in their last number only.
_SENSITIVE = ("rarebit", "scikit-learn", "skrub")
TRUSTED = frozenset(
    {
        "rarebit.border._history.History",
        "rarebit.border._history.Table",
        "rarebit.border._svc.BorderSVC",
        "rarebit.classifiers._bagged.BaggedSVC",
        "rarebit.classifiers._boosted.BoostedSVC",
        "rarebit.classifiers._operating.OperatingPoint",
        "rarebit.classifiers._pruned.PrunedSVC",
        "rarebit.svm._kernel_svc.KernelSVC",
        "rarebit.svm._online_svc.OnlineSVC",
        "rarebit.tables._encoder.TableEncoder",
        "rarebit.tables._numbers.NumberScaler",
        "rarebit.tables._records.RecordEncoder",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "skrub._datetime_encoder.DatetimeEncoder",
        "skrub._datetime_encoder._CircularEncoder",
        "skrub._string_encoder.StringEncoder",
        "skrub._to_str.ToStr",
    }
)


class ModelError(ValueError):
    """A file is no model, or none that can be loaded here; the message says why."""


def current_versions() -> dict[str, str]:
    """Return the versions of the packages that a model depends on."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def save_model(model: Model, path: str | PathLike[str] | IO[bytes]) -> None:
    """Write a model to one file.

    Parameters
    ----------
    model : Model
        What to write.
    path : path or binary file
        Where; ``.rarebit`` is the usual ending.

    See Also
    --------
    load_model : Reads it again.
    """
    import skops.io

    parts = skops.io.dumps({"encoder": model.encoder, "classifier": model.classifier})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_MANIFEST, json.dumps(model.manifest, indent=1, ensure_ascii=False))
        archive.writestr(_PARTS, parts)


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """Read what a model file says of itself, without loading the model.

    Parameters
    ----------
    path : path
        A file that `save_model` wrote.

    Returns
    -------
    dict
        As ``manifest`` of `Model`.
    """
    return _read(Path(path))[0]


def load_model(path: str | PathLike[str], *, trusted: Iterable[str] = ()) -> Model:
    """Read a model.

    Parameters
    ----------
    path : path
        A file that `save_model` wrote.
    trusted : iterable of str, optional
        Names of types, beside those of this package, that may be built. Look at them first: a
        type that a stranger put into the file may do anything.

    Returns
    -------
    Model
        With ``warnings`` where versions differ.

    Raises
    ------
    ModelError
        The file is no model, was written by a later version, or holds types that are not trusted;
        the message names them.
    """
    import skops.io

    file = Path(path)
    manifest, parts = _read(file)
    allowed = TRUSTED | set(trusted)
    try:
        strange = [n for n in skops.io.get_untrusted_types(data=parts) if n not in allowed]
        if strange:
            raise ModelError(
                f"{file.name} holds types that are not trusted ({', '.join(strange)}): do not load "
                "it unless you know who made it, and then name them as trusted."
            )
        loaded = skops.io.loads(parts, trusted=sorted(allowed))
    except ModelError:
        raise
    # Whatever a damaged or foreign file makes the reader stumble over.
    except Exception as error:
        raise ModelError(
            f"{file.name} cannot be loaded with the packages installed here ({error}): it was "
            f"saved with {_listed(manifest.get('versions', {}))}; install these, or train again."
        ) from error
    if not isinstance(loaded, dict) or {"encoder", "classifier"} - set(loaded):
        raise ModelError(f"{file.name} holds no classifier: save the model again.")
    return Model(loaded["encoder"], loaded["classifier"], manifest, _differences(manifest))


def _read(file: Path) -> tuple[dict[str, Any], bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
            manifest: dict[str, Any] = json.loads(archive.read(_MANIFEST))
            parts = archive.read(_PARTS)
    except (zipfile.BadZipFile, KeyError, EOFError, ValueError) as error:
        raise ModelError(
            f"{file.name} is no model, or it is cut off: give a file that rarebit fit or rarebit "
            "learn wrote."
        ) from error
    if manifest.get("format", 0) > _FORMAT:
        raise ModelError(
            f"{file.name} was written by a later version of rarebit "
            f"({manifest.get('versions', {}).get('rarebit', 'unknown')}): install that version."
        )
    return manifest, parts


def _differences(manifest: dict[str, Any]) -> list[str]:
    here = current_versions()
    found = []
    for name in _SENSITIVE:
        there = manifest.get("versions", {}).get(name)
        mine = here.get(name)
        if there and mine and there.split(".")[:2] != mine.split(".")[:2]:
            found.append(
                f"The model was saved with {name} {there}, and {mine} is installed: check its "
                "figures with rarebit evaluate, or train again."
            )
    return found


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items()) or "unknown versions"
