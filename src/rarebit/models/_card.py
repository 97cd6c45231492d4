"""A model card: what a model is for, what it learned from and how good it is, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rarebit._text import counted, name_list
from rarebit.models._estimate import estimate_sentences

_MOST_COLUMNS = 40


def model_card(manifest: Mapping[str, Any], name: str = "Model") -> str:
    """Return what is known of a model as Markdown.

    Every number comes from the manifest; nothing is measured again.

    Parameters
    ----------
    manifest : mapping
        As `read_manifest` returns it.
    name : str, default="Model"
        Heading, such as the name of its file.

    Returns
    -------
    str
        Markdown with a heading, ready to be kept beside the model.

    Examples
    --------
    >>> from rarebit.models import model_card
    >>> manifest = {
    ...     "method": "kernel",
    ...     "parameters": {"C": 1.0},
    ...     "classes": {"fraud": 9, "ok": 91},
    ...     "rare_class": "fraud",
    ...     "rare_classes": {"fraud": 9},
    ...     "threshold": None,
    ...     "columns": {"amount": "number"},
    ...     "target": "kind",
    ...     "metrics": None,
    ...     "source": {
    ...         "file": "payments.csv",
    ...         "rows": 100,
    ...         "rows_without_class": 0,
    ...         "sha256": "e3",
    ...     },
    ...     "versions": {"rarebit": "0.1.0"},
    ... }
    >>> print(model_card(manifest, "fraud.rarebit").splitlines()[0])
    # fraud.rarebit
    """
    if manifest.get("kind") == "estimator":
        return _card_of_estimator(manifest, name)
    sections = [
        f"# {_line(name)}",
        _purpose(manifest),
        _data(manifest),
        _figures(manifest),
        _limits(manifest),
        _making(manifest),
    ]
    return "\n\n".join(sections) + "\n"


def _card_of_estimator(manifest: Mapping[str, Any], name: str) -> str:
    """Return the little that is known of an estimator that was made elsewhere."""
    lines = [f"# {_line(name)}", f"An estimator of the type `{_line(str(manifest.get('type')))}`."]
    classes = manifest.get("classes")
    if isinstance(classes, list) and classes:
        lines.append(f"It tells {name_list(_line(str(label)) for label in classes[:20])} apart.")
    lines.append("It reads features, not files: load it with `rarebit.models.load_model`.")
    return "\n\n".join(lines) + "\n"


def _purpose(manifest: Mapping[str, Any]) -> str:
    rare, members = manifest["rare_class"], manifest["rare_classes"]
    others = name_list(_line(c) for c in manifest["classes"] if c != rare)
    said = f"Tells **{_line(rare)}**, the rare class, from {others}."
    if len(members) > 1:
        names = _and([name_list([_line(each)]) for each in members])
        said += f" It stands for {names}, and each is named."
    cut = manifest.get("threshold")
    said += (
        " The classifier's own threshold decides which rows are called rare."
        if cut is None
        else f" A row is called rare when its score is {cut:.6g} or more"
        f" (chosen for {manifest.get('threshold_aim', 'own')})."
    )
    return said


def _data(manifest: Mapping[str, Any]) -> str:
    source, target = manifest["source"], manifest.get("target")
    lines = ["## Data", ""]
    lines.append(f"- File: {_line(source['file'])}, SHA-256 `{source.get('sha256') or 'unknown'}`")
    lines.append(f"- Rows with a class: {source['rows']:,}; without: "
                 f"{source.get('rows_without_class', 0):,}")  # fmt: skip
    if manifest.get("answered_by") == "people":
        lines.append("- Classes were given by people, row by row")
    elif target:
        lines.append(f"- Classes are those of the column {_line(target)}")
    if "labels_used" in manifest:
        lines.append(f"- Labels used: {manifest['labels_used']:,}")
    lines += ["", "| class | rows |", "|---|--:|"]
    rare = manifest["rare_class"]
    counts = {**manifest["rare_classes"]} if len(manifest["rare_classes"]) > 1 else {}
    counts |= {c: n for c, n in manifest["classes"].items() if c != rare or not counts}
    lines += [f"| {_line(each)} | {n:,} |" for each, n in counts.items()]
    columns = manifest["columns"]
    listed = [f"{_line(each)} ({kind})" for each, kind in list(columns.items())[:_MOST_COLUMNS]]
    more = f" and {len(columns) - len(listed):,} more" if len(columns) > len(listed) else ""
    lines += ["", f"Columns used: {', '.join(listed)}{more}."]
    if manifest.get("dropped"):
        left = [f"{_line(each)} ({why})" for each, why in list(manifest["dropped"].items())[:20]]
        lines.append(f"Columns not used: {', '.join(left)}.")
    return "\n".join(lines)


def _figures(manifest: Mapping[str, Any]) -> str:
    metrics = manifest.get("metrics")
    if metrics is None:
        said = "The model was not measured on rows that it had not seen."
        return "\n\n".join(["## Figures", " ".join([said, *estimate_sentences(manifest)])])
    rows = counted(metrics["n_rows"], "row")
    lines = ["## Figures", "", f"On {rows} not seen ({metrics['how']}):", ""]
    lines += ["| class | rows | found | recall | precision |", "|---|--:|--:|--:|--:|"]
    for each, own in metrics["classes"].items():
        lines.append(
            f"| {_line(each)} | {own['support']:,} | {own['tp']:,} | {own['sensitivity']:.3f} "
            f"| {own['precision']:.3f} |"
        )
    names = {"g_mean": "g-mean", "prbep": "PRBEP (where precision = recall)",
             "roc_auc": "ROC AUC", "average_precision": "average precision"}  # fmt: skip
    shown = [f"{label} {metrics[key]:.3f}" for key, label in names.items() if key in metrics]
    lines += ["", f"{', '.join(shown)}."]
    for each, own in metrics.get("each", {}).items():
        lines.append(
            f"- {_line(each)}: {own['found']:,} of {own['support']:,} called rare, "
            f"{own['named']:,} by the right name"
        )
    return "\n".join(lines)


def _limits(manifest: Mapping[str, Any]) -> str:
    lines = ["## Limits", ""]
    metrics = manifest.get("metrics")
    rare_rows = sum(manifest["rare_classes"].values())
    lines.append(
        f"- Learned from {rare_rows:,} rare {'row' if rare_rows == 1 else 'rows'}; figures of few "
        "rows vary."
    )
    lines.append("- Rows unlike those of the file, and classes it did not have, were not seen.")
    if metrics is not None and "by group" not in metrics["how"] and "latest" not in metrics["how"]:
        lines.append(
            "- Rows were held out at random: where rows of one customer or day are alike, the "
            "figures flatter the model (`--group`, `--time`)."
        )
    if manifest.get("stop_reasons"):
        lines += [f"- {_line(why)}" for why in manifest["stop_reasons"].values()]
    return "\n".join(lines)


def _making(manifest: Mapping[str, Any]) -> str:
    given = ", ".join(f"{k}={v}" for k, v in manifest["parameters"].items())
    versions = ", ".join(f"{k} {v}" for k, v in manifest.get("versions", {}).items())
    return f"## Made by\n\nMethod `{manifest['method']}` ({_line(given)}).\n\n{versions}."


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _line(text: Any) -> str:
    """Return text of a file as one line that Markdown shows as it is."""
    line = " ".join(str(text).split())
    for mark in "\\`*_|<>[]#":
        line = line.replace(mark, f"\\{mark}") if mark not in "_#" else line
    return line
