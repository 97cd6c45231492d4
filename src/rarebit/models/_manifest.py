"""What a model file says of its model: built in one place, checked when it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rarebit._text import tell_missing_classes
from rarebit.models._archive import Damaged
from rarebit.models._support_rows import KEY as SUPPORT_ROWS
from rarebit.models._support_rows import are_support_rows
from rarebit.tables import Table, TableEncoder

FORMAT = 2
LABEL_KINDS = ("str", "int", "float", "bool", "decimal")
_PACKAGES = ("rarebit", "scikit-learn", "numpy", "scipy", "skops", "polars", "skrub")
# Versions that may differ in their last number only.
_SENSITIVE = ("rarebit", "scikit-learn", "skrub")


def build_manifest(
    *,
    method: str,
    classifier: Any,
    encoder: TableEncoder,
    source: Mapping[str, Any],
    classes: Mapping[str, int],
    rare_class: str,
    n_rows: int,
    rare_classes: Mapping[str, int] | None = None,
    threshold: float | None = None,
    threshold_aim: str = "own",
    points: Sequence[Sequence[float]] | None = None,
    metrics: Mapping[str, Any] | None = None,
    labels_used: int | None = None,
    stop_reasons: Mapping[str, str] | None = None,
    label_kind: str = "str",
    support_rows: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Put together what is known of a model, as plain values.

    Parameters
    ----------
    method : str
        How the classifier was made, a name of the method registry or ``"learned"``.
    classifier, encoder : estimators
        Fitted.
    source : mapping
        As `describe_source` gives it.
    classes : mapping of str to int
        Rows of each class.
    rare_class : str
        The class that the score is for.
    n_rows : int
        Rows with a class.
    rare_classes : mapping of str to int or None, default=None
        Rows of each class that the rare class stands for; None where it is one of its own.
    threshold : float or None, default=None
        Score from which a row is rare; None leaves it to the classifier.
    threshold_aim : str, default="own"
        What the threshold was chosen for.
    points : sequence of [threshold, recall, precision] or None, default=None
        What other thresholds are worth on the rows held out.
    metrics : mapping or None, default=None
        Figures of rows that were held out.
    labels_used : int or None, default=None
        Labels that an asking method read.
    stop_reasons : mapping of str to str or None, default=None
        Why it asked for no more.
    label_kind : {"str", "int", "float", "bool", "decimal"}, default="str"
        What the labels were that were given in Python.
    support_rows : mapping or None, default=None
        As `describe_support` gives it.

    Returns
    -------
    dict
        The ``manifest`` of a `Model`.
    """
    manifest = {
        "format": FORMAT,
        "method": method,
        "parameters": _plain_parameters(classifier),
        "classes": dict(classes),
        "rare_class": rare_class,
        "rare_classes": dict(rare_classes or {rare_class: classes.get(rare_class, 0)}),
        "threshold": threshold,
        "threshold_aim": threshold_aim,
        "operating_points": None if points is None else [list(point) for point in points],
        "columns": dict(encoder.schema_),
        "dropped": dict(encoder.dropped_),
        "missing": dict(encoder.missing_),
        "n_features": encoder.n_features_,
        "target": source["target"],
        "id": source["id"],
        "text": source["text"],
        **({} if source.get("embed") is None else {"embed": source["embed"]}),
        "source": {
            "file": source["file"],
            "rows": n_rows,
            "rows_without_class": source["rows"] - n_rows,
            "sha256": source["sha256"],
        },
        "metrics": None if metrics is None else dict(metrics),
        "versions": current_versions(),
    }
    if source.get("notes"):
        manifest["notes"] = list(source["notes"])
    if label_kind != "str":
        manifest["label_kind"] = label_kind
    if support_rows is not None:
        manifest[SUPPORT_ROWS] = dict(support_rows)
    if hasattr(classifier, "reason_"):
        manifest["reason"] = str(classifier.reason_)
    if labels_used is not None:
        manifest["labels_used"] = labels_used
        manifest["stop_reasons"] = dict(stop_reasons or {})
    return manifest


def describe_source(table: Table) -> dict[str, Any]:
    """Return what a manifest says of the file; the table itself may be let go of then."""
    unnamed = tell_missing_classes(table.missing_classes, table.target_name)
    return {
        "file": table.source,
        "rows": table.n_rows,
        "sha256": table.fingerprint,
        "target": table.target_name,
        "id": None if table.counts_rows else table.id_name,
        "text": table.text,
        "embed": None
        if table.embedded is None
        else {"text": table.embedded[0], "package": table.embedded[1]},
        "notes": [unnamed] if unnamed else [],
    }


def check_manifest(manifest: Any) -> dict[str, Any]:
    """Return a manifest from a file if everything that is used of it is there and of its type."""
    if not isinstance(manifest, dict):
        raise Damaged("a manifest that is no object")
    json.dumps(manifest, ensure_ascii=False).encode()  # half a surrogate pair is no letter
    number = manifest.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise Damaged(f"the format {number!r}")
    if not isinstance(manifest.get("versions", {}), dict):
        raise Damaged("versions that are no object")
    if number > FORMAT:
        return manifest  # refused by its number, in a sentence of its own
    classes = manifest.get("classes")
    if not isinstance(classes, dict) or len(classes) < 2 or not _counts(classes):
        raise Damaged("classes that are no numbers of rows")
    if manifest.get("rare_class") not in classes:
        raise Damaged("a rare class that is none of the classes")
    # Files written before a model could have several rare classes name one.
    members = manifest.setdefault("rare_classes", {manifest["rare_class"]: 0})
    if not isinstance(members, dict) or not members or not _counts(members):
        raise Damaged("rare classes that are no numbers of rows")
    points = manifest.setdefault("operating_points", None)
    if points is not None and not _are_points(points):
        raise Damaged("operating points that are no numbers")
    estimate = manifest.get("estimate")
    if estimate is not None and not (
        isinstance(estimate, dict)
        and _are_points(estimate.get("points"))
        and _counts({"labels": estimate.get("labels")})
        and _are_points([[estimate.get("recall"), estimate.get("precision") or 0.0, 0.0]])
    ):
        raise Damaged("an estimate that is no numbers")
    if manifest.get("label_kind", "str") not in LABEL_KINDS:
        raise Damaged("labels of a kind that there is not")
    threshold = manifest.get("threshold")
    if threshold is not None and (
        not isinstance(threshold, (int, float)) or isinstance(threshold, bool)
    ):
        raise Damaged(f"the threshold {threshold!r}")
    for name, kind in (("method", str), ("columns", dict), ("source", dict)):
        if not isinstance(manifest.get(name), kind):
            raise Damaged(f"no {name}")
    embed = manifest.get("embed")
    if embed is not None and not (
        isinstance(embed, dict)
        and embed.keys() == {"text", "package"}
        and isinstance(embed["text"], (str, type(None)))  # None for images
        and isinstance(embed["package"], str)
    ):
        raise Damaged("an embedding without a name")
    if SUPPORT_ROWS in manifest and not are_support_rows(manifest[SUPPORT_ROWS]):
        raise Damaged("training rows without an id and a class each")
    if not isinstance(manifest.get("metrics"), (dict, type(None))):
        raise Damaged("figures that are no object")
    return manifest


def current_versions() -> dict[str, str]:
    """Return the versions of the packages that a model depends on."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def version_warnings(manifest: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each package whose version differs from that of the manifest."""
    here = current_versions()
    found = []
    for name in _SENSITIVE:
        there = manifest.get("versions", {}).get(name)
        mine = here.get(name)
        if isinstance(there, str) and mine and there.split(".")[:2] != mine.split(".")[:2]:
            found.append(
                f"The model was saved with {name} {there}, and {mine} is installed: check its "
                "figures with rarebit evaluate, or train again."
            )
    return found


def _counts(values: Mapping[str, Any]) -> bool:
    return all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in values.values())


def _are_points(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(point, list)
        and len(point) == 3
        and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in point)
        for point in values
    )


def _plain_parameters(classifier: Any) -> dict[str, Any]:
    plain = (bool, int, float, str, type(None))
    return {
        name: value if isinstance(value, plain) else str(value)
        for name, value in classifier.get_params().items()
    }
