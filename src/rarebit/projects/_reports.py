"""The reports of a project: which classes were found, and what was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import counted
from rarebit.active import Hunt, curves_beside_random
from rarebit.models import REST, Model, table_of_each
from rarebit.projects._advice import Ways, advise
from rarebit.projects._findings import count_asked, describe_rows, first_seen
from rarebit.projects._judgement import (
    add_findings,
    add_found_rows,
    add_predicted_rows,
    add_quality_by_draws,
    at_label,
    said_given,
)
from rarebit.projects._proofs import UNSETTLED
from rarebit.projects._status import ProjectStatus
from rarebit.report import Report, informative_rows, scores_by_class
from rarebit.tables import Table

_REPEATS = 5  # random draws that the learning curve is compared with
_MOST_LABELS = 5_000  # up to which a learning curve is measured
_MOST_CLASSES = 6  # rarest classes whose ranking is shown
_MOST_ROWS = 12


def discovery_report(
    table: Table,
    labels: Mapping[int, Any],
    given: Collection[int],
    status: ProjectStatus,
    ways: Ways,
    search: tuple[Hunt, tuple[list[int], int, int | None]] | None = None,
) -> Report:
    """Make the report of a project that looks for classes, or that has no model yet.

    Parameters
    ----------
    table : Table
        The data.
    labels : mapping of int to class
        Row to class.
    given : collection of int
        Rows whose label was known and not asked for.
    status : ProjectStatus
        Status of the project.
    ways : Ways
        How readers do what the advice names.
    search : tuple of Hunt and its finds, optional
        The hunt, and `found` as in `learning_report`, where rare rows are sought.

    Returns
    -------
    Report
        Not written yet.
    """
    found = status.classes
    texts, images = describe_rows(table, [each.position for each in found])
    at_random = None
    if table.target is not None:
        counts = Counter(str(label) for label in table.target if label)
        at_random = {name: (table.n_rows + 1) / (n + 1) for name, n in counts.items()}
    report = Report(
        f"Classes of {table.source}",
        f"{counted(len(found), 'class was', 'classes were')} found with "
        f"{counted(len(labels), 'label')} among {counted(table.n_rows, 'row')}."
        + _given_sentence(labels, given),
        {"rows": table.n_rows, **_label_facts(labels, given), "classes": len(found)},
    )
    _add_advice(report, status, ways)
    if search is not None:
        add_findings(report, search[0], status, search[1])
        add_found_rows(report, table, search[0], given)
    seen = first_seen(labels, given)
    report.add_discovery(seen, counts=Counter(labels.values()), random=at_random)
    headings = [table.id_name, "class", "at label", *([] if images else ["content"])]
    rows = [
        [
            str(each.first_row),
            str(each.name),
            at_label(each.first_seen_at),
            *([] if images else [text]),
        ]
        for each, text in zip(found, texts, strict=True)
    ]
    return report.add_rows(
        headings,
        rows,
        images=images,
        captions=[f"{each.first_row}\n{each.name}" for each in found],
        title="First rows",
        caption="The row by which each class was first seen",
    )


def learning_report(
    table: Table,
    hunt: Hunt,
    model: Model,
    X: Any,
    held_out: NDArray[np.intp],
    status: ProjectStatus,
    seed: int,
    found: tuple[list[int], int, int | None],
    ways: Ways,
    given: Collection[int] = (),
) -> Report:
    """Make the report of a project that learns a classifier.

    Parameters
    ----------
    table : Table
        The data.
    hunt : Hunt
        As it is now.
    model : Model
        With the final classifier, and its decisions on the rows held out.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    held_out : ndarray of shape (n_held_out,)
        Rows to measure on; may be empty.
    status : ProjectStatus
        Status of the project.
    seed : int
        Seed of the random draws beside the learning curve.
    found : tuple of list of {0, 1}, int and int or None
        Answers that were asked for, rows that could be, rare ones among them where that is known.
    ways : Ways
        How readers do what the advice names.
    given : collection of int, default=()
        Rows whose label was known and not asked for.

    Returns
    -------
    Report
        Not written yet.
    """
    labels = hunt.labels_
    n_pool = table.n_rows - len(held_out)
    facts: dict[str, Any] = {
        "rows": table.n_rows, **({"rows held out": len(held_out)} if len(held_out) else {}),
        **_label_facts(labels, given), "classes": len(hunt.discovered_),
    }  # fmt: skip
    of = counted(n_pool, "row")
    if len(held_out):
        held = f"{len(held_out):,} of {table.n_rows:,} are held out"
        of = f"the {of} that could be asked for ({held})"
    metrics = model.manifest["metrics"]
    if metrics is not None:
        facts["g-mean of the final classifier"] = f"{metrics['g_mean']:.3f}"
    report = Report(
        f"Learned from {table.source}",
        f"{len(labels):,} of {of} "
        f"{'was' if len(labels) == 1 else 'were'} labelled; "
        f"{counted(len(hunt.discovered_), 'class was', 'classes were')} met. "
        f"{_rare_sentence(hunt, model)}{_given_sentence(labels, given)}",
        facts,
    )
    _add_advice(report, status, ways)
    add_findings(report, hunt, status, found)
    finds = status.goal == "find"
    if finds:
        add_found_rows(report, table, hunt, given)
    report.add_discovery(first_seen(labels, given), counts=Counter(labels.values()))
    if len(held_out):
        _add_measurements(report, table, hunt, model, X, held_out, status, seed)
    else:
        add_quality_by_draws(report, model)
    # A bound on more classes than the classifier calls rare holds for these too.
    covered = all(hunt.is_rare(name, anew=False) for name in model.rare_classes)
    proof = status.proof if covered else None
    add_predicted_rows(report, table, hunt, model, X, held_out, likeliest=finds, proof=proof)
    best = informative_rows(hunt.learner_.history_, _MOST_ROWS)
    rows = best["row"].tolist()
    texts, images = describe_rows(table, rows)
    content = [] if images else ["content"]
    numbers = count_asked(labels, given)
    return report.add_rows(
        [table.id_name, "class", "expected", "chosen for", "at label", *content],
        [
            [str(table.ids[row]), best["label"][i], best["expected"][i], best["how"][i],
             at_label(numbers[row]), *([texts[i]] if content else [])]
            for i, row in enumerate(rows)
        ],
        images=images,
        captions=[f"{table.ids[row]}\n{best['label'][i]}" for i, row in enumerate(rows)],
    )  # fmt: skip


def _label_facts(labels: Mapping[int, Any], given: Collection[int]) -> dict[str, int]:
    """Count the labels, and those among them that nobody was asked for."""
    n_given = sum(row in given for row in labels)
    return {"labels": len(labels)} | ({"of them given beforehand": n_given} if n_given else {})


def _given_sentence(labels: Mapping[int, Any], given: Collection[int]) -> str:
    """Say how labels are counted on the page; empty where all of them were asked for."""
    n_given = sum(row in given for row in labels)
    if not n_given:
        return ""
    were = "was" if n_given == 1 else "were"
    return (
        f" {counted(n_given, 'label')} {were} given beforehand: below, labels are counted from the "
        f"first one after {'it' if n_given == 1 else 'them'}, unless something else is said."
    )


def _add_advice(report: Report, status: ProjectStatus, ways: Ways) -> None:
    advice = advise(status, ways)
    report.add_stop_advice(advice.stop, [*advice.reasons, *advice.steps], f"{advice.verdict}.")


def _rare_sentence(hunt: Hunt, model: Model) -> str:
    """Name what counts as rare in the proof, and what the classifier calls it."""
    sought, called = hunt.rare_, repr(model.rare_class)
    several = sum(hunt.is_rare(name, anew=False) for name in hunt.discovered_) > 1
    if several and len(model.rare_classes) == 1:
        return (
            f"Rare in the search are {sought}; the classifier calls {called} alone rare, and names "
            "the others."
        )
    if sought in (called, UNSETTLED) or (len(model.rare_classes) == 1 and "," not in sought):
        return f"The rare class is {called}."
    return f"Rare are {sought}; the classifier calls those that were met {called}."


def _as_judged(model: Model, classes: NDArray[Any]) -> NDArray[Any]:
    """Return classes as the final classifier is judged by them: several may be one."""
    kept = [*model.classes, ""]
    if model.takes_new_as_rare:
        others = np.isin(classes, kept) & ~np.isin(classes, model.rare_classes)
        return np.where(others, classes, model.rare_class)
    others = np.where(np.isin(classes, kept), classes, REST) if REST in kept else classes
    return np.where(np.isin(classes, model.rare_classes), model.rare_class, others)


def _add_measurements(
    report: Report,
    table: Table,
    hunt: Hunt,
    model: Model,
    X: Any,
    held_out: NDArray[np.intp],
    status: ProjectStatus,
    seed: int,
) -> None:
    assert table.target is not None
    assert model.judged is not None
    y_test, metrics = table.target[held_out], model.manifest["metrics"]
    pool = np.setdiff1d(np.flatnonzero(table.target != ""), held_out)
    rows = counted(len(held_out), "row")
    if status.n_labels <= _MOST_LABELS:
        # The curve is of the quantity that the final classifier is judged by.
        classes = _as_judged(model, table.target)
        merged = not np.array_equal(classes, table.target)
        n_classes = len(np.unique(classes[classes != ""]))
        curves = curves_beside_random(
            hunt, X, classes, pool, X[held_out], classes[held_out], repeats=_REPEATS,
            random_state=seed,
        )  # fmt: skip
        text = f"Measured on {rows} held out. The lines are of the support vector machine that "
        text += "chooses the questions, fitted again after each label"
        text += f" to tell {model.rare_class!r} from all other rows. " if merged else ". "
        if n_classes > 2:
            text += (
                f"The g-mean is that of {n_classes} classes judged singly: it is 0 while no row of "
                "one of them is recognised. "
            )
        report.add_learning_curve(
            curves,
            stopped_at=status.n_labels if status.stop_reasons else None,
            final=(status.n_labels, metrics["g_mean"]),
            text=f"{text}{said_given(status.n_given)}The final classifier is another one, fitted "
            f"once to all labels; its g-mean is {metrics['g_mean']:.3f}.",
        )
    judged = model.judged
    scores: dict[Any, Any] = {model.rare_class: judged.scores}
    if len(model.rare_classes) == 1 and len(model.classes) > 2:
        rarest = [name for name, _ in Counter(y_test.tolist()).most_common()][::-1]
        wanted = [name for name in rarest[:_MOST_CLASSES] if name != model.rare_class]
        scores |= scores_by_class(model.classifier, X[held_out], wanted)
    report.add_ranking(
        judged.truth,
        scores,
        decided=judged.decided,
        text=f"Of the final classifier, on {rows} held out.",
    )
    if "each" in metrics:
        headings, lines, said = table_of_each(metrics["each"], model.rare_class)
        report.add_table("Each rare class", headings, lines, text=said)
    union = model.rare_class if "each" in metrics else ""
    report.add_confusion(judged.truth, judged.decided, union=union)
    column = np.asarray(model.classifier.classes_).astype(str) == model.rare_class
    if hasattr(model.classifier, "predict_proba") and column.any():
        shares = model.classifier.predict_proba(X[held_out])[:, np.flatnonzero(column)[0]]
        report.add_reliability(
            judged.truth == model.rare_class, shares, text=f"Of the final classifier, on {rows} "
            "held out.",
        )  # fmt: skip
