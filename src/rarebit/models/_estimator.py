"""An estimator of one's own in a model file: what skops can save, without an encoder of tables."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rarebit._extras import naming_extras
from rarebit.models._archive import ModelError, read_archive
from rarebit.models._manifest import current_versions, version_warnings
from rarebit.models._types import registered_name

KIND = "estimator"
# Types of plain values that skops asks about, and that pipelines and searches have everywhere.
_HARMLESS = {
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",  # support vectors of texts and categories
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    *(
        f"sklearn.model_selection._split.{name}"
        for name in ("KFold", "StratifiedKFold", "GroupKFold", "ShuffleSplit")
    ),
}


def dump_estimator(estimator: Any) -> tuple[dict[str, Any], bytes]:
    """Return what is known of an estimator, and the estimator as a skops file.

    Parameters
    ----------
    estimator : estimator
        Fitted; a pipeline or a search is one too.

    Returns
    -------
    tuple of dict and bytes
        Manifest and skops file.
    """
    with naming_extras("Files of models need"):
        import skops.io

    name = type(estimator).__name__
    if not isinstance(estimator, BaseEstimator) or not hasattr(estimator, "fit"):
        raise ModelError(
            f"A model must be what train_model returned, or a fitted estimator of scikit-learn's "
            f"kind, got {name}{_hint(estimator)}."
        )
    check_is_fitted(estimator)
    try:
        parts = skops.io.dumps(estimator)
        strange = strange_types(parts)
        nameless = [each for each in strange if "<" in each]
        if nameless:
            raise TypeError(", ".join(nameless))
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ModelError(
            f"{name} holds something that cannot be saved without pickle ({why}): replace "
            "functions that have no name, such as lambda, by functions of a module."
        ) from error
    manifest = {
        "kind": KIND,
        "type": f"{type(estimator).__module__}.{name}",
        "classes": [str(label) for label in getattr(estimator, "classes_", ())],
        "types_to_trust": strange,
        "versions": current_versions(),
    }
    return manifest, parts


def _hint(given: Any) -> str:
    """Say what to save in the place of what asks for labels."""
    return ": save its classifier_" if hasattr(type(given), "classifier_") else ""


def load_estimator(
    parts: bytes, manifest: Mapping[str, Any], trusted: Iterable[str], limit: int
) -> Any:
    """Build the estimator of a skops file, if all its types are known or trusted."""
    with naming_extras("Files of models need"):
        import skops.io

    read_archive(parts, limit, "The skops file in it")
    strange = [name for name in strange_types(parts) if name not in set(trusted)]
    if strange:
        raise ModelError(
            f"holds types that are not trusted ({', '.join(strange)}): do not load it unless you "
            "know who made it, and then name them: trusted=[…] in Python, --trust TYPE in commands."
        )
    for warning in version_warnings(manifest):
        warnings.warn(warning, UserWarning, stacklevel=3)
    return skops.io.loads(parts, trusted=skops.io.get_untrusted_types(data=parts))


def strange_types(parts: bytes) -> list[str]:
    """Return the types in a skops file that are neither skops' own choice nor of our models."""
    with naming_extras("Files of models need"):
        import skops.io

    untrusted = skops.io.get_untrusted_types(data=parts)
    return [n for n in untrusted if not _is_harmless(n) and registered_name(n) is None]


def _is_harmless(name: str) -> bool:
    """Return whether a type or function does no more than compute: scorers of searches do."""
    if name in _HARMLESS:
        return True
    module, _, own = name.rpartition(".")
    if not module.startswith("rarebit.metrics."):
        return False
    import rarebit.metrics  # noqa: F401

    # Names that a module of metrics has imported from elsewhere do not count.
    found = getattr(sys.modules.get(module), own, None)
    return getattr(found, "__module__", None) == module
