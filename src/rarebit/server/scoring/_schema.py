"""What a model needs and gives, as JSON."""

from __future__ import annotations

from typing import Any

from rarebit.models import Explanation, Model, ModelError
from rarebit.server.scoring._limits import Limits
from rarebit.tables import Form


def describe_model(model: Model, name: str, limits: Limits) -> dict[str, Any]:
    """Return columns, classes, threshold and limits of a served model.

    Parameters
    ----------
    model : Model
        The model.
    name : str
        What it is called.
    limits : Limits
        What requests may take.
    """
    if _reads_images(model):
        raise ModelError(
            f"The model {name} was trained on images, and the service takes rows of cells: predict "
            "folders of images with rarebit predict."
        )
    known, forms = model.manifest, model.encoder.forms_ or {}
    columns = []
    embed = known.get("embed")
    if embed is not None:
        columns.append({"name": embed["text"], "type": "text"})
    for column, role in model.encoder.schema_.items():
        if embed is not None and column.removeprefix(f"{embed['text']}_").isdecimal():
            continue
        described = {"name": column, "type": role}
        if column in forms:
            described["form"] = Form.from_json(forms[column]).sentence()
        columns.append(described)
    return {
        "model": name,
        "method": known["method"],
        "id": known["id"],
        "columns": columns,
        "classes": list(model.classes),
        "rare_class": model.rare_class,
        "rare_classes": list(model.rare_classes),
        "threshold": known["threshold"],
        "limits": {
            "bytes": limits.max_bytes,
            "rows": limits.max_rows,
            "explained_rows": limits.max_explained,
            "seconds": limits.seconds,
        },
    }


def explanation_json(found: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON has it."""
    return {
        "score": found.score,
        "base": found.base,
        "columns": [{"name": name, "part": part} for name, part in found.columns.items()],
        "rows": [{"row": row, "class": label, "part": part} for row, label, part in found.rows],
        "exact": found.exact,
    }


def _reads_images(model: Model) -> bool:
    """Return whether a model is of a folder of images, whose columns nobody can write."""
    known = model.manifest
    named_so = known["id"] == "file" and known["target"] in (None, "folder")
    return named_so and set(model.encoder.schema_.values()) == {"number"}
