"""Parts of a report on what was found, and on a classifier that no rows were held out for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import counted
from rarebit.active import Hunt
from rarebit.models import Model
from rarebit.projects._called import calls_rare, count_called, some_of
from rarebit.projects._findings import count_asked, describe_rows
from rarebit.projects._proofs import Proof, proof_sentences
from rarebit.projects._status import ProjectStatus
from rarebit.report import Report
from rarebit.statistics import share_interval
from rarebit.tables import Table

_MOST_RANKED = 500  # of the rows that look rare most, which are predicted in any case
_MOST_ROWS = 12
_MOST_FOUND = 12


def add_findings(
    report: Report, hunt: Hunt, status: ProjectStatus, found: tuple[list[int], int, int | None]
) -> None:
    """Add what is proved, and how soon rare rows were found.

    Parameters
    ----------
    report : Report
        Report that the parts are added to.
    hunt : Hunt
        As it is now.
    status : ProjectStatus
        Status of the project.
    found : tuple of list of {0, 1}, int and int or None
        Answers that were asked for, rows that could be, rare ones among them where that is known.
    """
    proof = status.proof
    if proof is not None and (proof.target is not None or proof.audits):
        said = [*proof_sentences(proof), said_given(status.n_given).strip()]
        report.add_proof(hunt.proof_path(), [each for each in said if each], target=proof.target)
    hits, n_rows, total = found
    given = 0 if proof is None else max(0, proof.found - sum(hits))
    report.add_search(hits, n_rows, n_rare=total, given=given)


def said_given(n_given: int) -> str:
    """Say that the labels given beforehand count in a curve; empty without any."""
    if not n_given:
        return ""
    many = counted(n_given, "label")
    return f"The {many} given beforehand {'is' if n_given == 1 else 'are'} counted in this curve. "


def at_label(number: int) -> int | str:
    """Return what a table says of the number of a label; one that was given has none."""
    return number or "given"


def add_found_rows(report: Report, table: Table, hunt: Hunt, given: Collection[int] = ()) -> None:
    """Add the rows that were labelled as rare, the latest first.

    Parameters
    ----------
    report : Report
        Report that the parts are added to; nothing is added where no row is known to be rare.
    table : Table
        The data.
    hunt : Hunt
        As it is now.
    given : collection of int, default=()
        Rows whose label was known and not asked for.
    """
    labels = hunt.labels_
    at = count_asked(labels, given)
    found = [row for row, label in labels.items() if hunt.is_rare(label, anew=False)]
    shown = found[: -_MOST_FOUND - 1 : -1]
    texts, images = describe_rows(table, shown)
    content = [] if images else ["content"]
    report.add_rows(
        [table.id_name, "class", "at label", *content],
        [
            [
                str(table.ids[row]),
                str(labels[row]),
                at_label(at[row]),
                *([texts[i]] if content else []),
            ]
            for i, row in enumerate(shown)
        ],
        images=images,
        captions=[f"{table.ids[row]}\n{labels[row]}" for row in shown],
        title="Rare rows found",
        caption="Rows labelled as rare, the latest first"
        + (f" ({len(shown):,} of {len(found):,})" if len(found) > len(shown) else ""),
    )


def add_quality_by_draws(report: Report, model: Model) -> None:
    """Add how good the classifier is on rows drawn uniformly, by folds that had not seen them.

    Parameters
    ----------
    report : Report
        Gets the parts; nothing is added without such rows.
    model : Model
        With the final classifier.
    """
    drawn = getattr(model.classifier, "drawn_", None)
    if drawn is None or not len(drawn):
        return
    called, true = drawn[:, 1] > 0.5, drawn[:, 2] > 0.5
    rows: list[list[Any]] = []
    for name, wanted, right in (
        ("rare rows that are predicted rare", true, called),
        ("other rows that are not", ~true, ~called),
        ("rows predicted rare that are rare", called, true),
    ):
        n, k = int(wanted.sum()), int((wanted & right).sum())
        low, high = share_interval(k, n)
        rows.append([name, k, n, k / n if n else None, low, high])
    report.add_table(
        "How good the classifier is, by audits",
        ["", "rows", "of", "share", "from", "to"],
        rows,
        caption="Shares with intervals of 95 % (Clopper-Pearson)",
        text=[
            f"No rows were held out. {counted(len(drawn), 'labelled row')} came from draws at "
            "random among those that nobody had been asked for, and each was predicted by "
            "classifiers that had not seen it. Rare rows that were found before are not among "
            "them, so that these are the harder rows."
        ],
    )
    if not true.any():
        return  # nothing tells whether probabilities of rare rows are true
    report.add_reliability(
        true,
        drawn[:, 0],
        text="Of the same rows, by classifiers that had not seen them; one number, the shift to "
        "the base rate, was fitted to them.",
    )


def add_predicted_rows(
    report: Report,
    table: Table,
    hunt: Hunt,
    model: Model,
    X: Any,
    held_out: NDArray[np.intp],
    *,
    likeliest: bool = False,
    proof: Proof | None = None,
) -> None:
    """Add the rows without a label that the classifier calls rare, and how many there may be.

    Parameters
    ----------
    report : Report
        Report that the parts are added to.
    table : Table
        The data.
    hunt : Hunt
        As it is now.
    model : Model
        With the final classifier.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    held_out : ndarray of shape (n_held_out,)
        Rows to measure on, which are not counted; may be empty.
    likeliest : bool, default=False
        Whether the rows that look rare most are shown even if they are not called rare.
    proof : Proof or None, default=None
        What is proved of the class that the classifier calls rare, on the same page.
    """
    classifier = model.classifier
    ranked = hunt.rank()
    if len(held_out):
        ranked = ranked[~np.isin(ranked, held_out)]
    if not len(ranked):
        return
    column = np.flatnonzero(np.asarray(classifier.classes_).astype(str) == model.rare_class)
    drawn, called = some_of(ranked), count_called(model, X, ranked)
    text = [
        f"{called.sentence(model.rare_class, len(held_out))} A prediction is not a find: only "
        "labelled rows count as found."
    ]
    text += [called.doubt] if called.doubt else []
    top = ranked[:_MOST_RANKED]
    if not likeliest:
        top = top[calls_rare(model, X, top)]
    probability = None
    if hasattr(classifier, "predict_proba"):
        text.append(how_many_rare(model, X, drawn, len(ranked), proof))
        if len(top):
            probability = classifier.predict_proba(X[top])[:, column[0]]
            order = np.argsort(-probability, kind="stable")
            top, probability = top[order], probability[order]
    top = top[:_MOST_ROWS]
    texts, images = describe_rows(table, top.tolist())
    headings = [table.id_name, *([] if probability is None else ["probability"])]
    headings += [] if images else ["content"]
    rows = [
        [str(table.ids[row]), *([] if probability is None else [float(probability[i])]),
         *([] if images else [texts[i]])]
        for i, row in enumerate(top.tolist())
    ]  # fmt: skip
    title = "Rows to look at next" if likeliest else "Rows that are predicted rare"
    caption = "Rows without a label, those that look most like rare ones first"
    if images and rows:
        report.add_rows(headings, rows, images=images, title=title, caption=caption, text=text)
    else:
        report.add_table(title, headings, rows, caption=caption, text=text)


def how_many_rare(
    model: Model, X: Any, drawn: NDArray[np.intp], n_rows: int, proof: Proof | None = None
) -> str:
    """Say how many of all rows without a label may be rare, as far as draws at random tell.

    Parameters
    ----------
    model : Model
        With the final classifier.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    drawn : ndarray of int
        Rows whose probabilities are added up.
    n_rows : int
        Rows without a label.
    proof : Proof or None, default=None
        What is proved: its bound is taken where it is the lower one.
    """
    classifier = model.classifier
    among = f"Among all {counted(n_rows, 'row')} without a label, predicted rare or not,"
    if hasattr(classifier, "base_rate_known_") and not classifier.base_rate_known_:
        # Probabilities of a base rate that nobody knows add up to anything.
        audits = classifier.drawn_[:, 2] > 0.5
        if not len(audits):
            return (
                f"{among} the number of rare rows is not known: no row was drawn at random to tell "
                "how frequent they are."
            )
        n_rare = int(audits.sum())
        _, most = share_interval(n_rare, len(audits))
        were = "none was rare" if n_rare == 0 else counted(n_rare, "was rare", "were rare")
        drew = f"of {counted(len(audits), 'labelled row')} drawn at random {were}"
        limit = int(np.ceil(most * n_rows))
        if proof is not None and proof.remaining_max <= limit:
            return (
                f"{among} there may be 0 to {proof.remaining_max:,} rare rows: more are ruled out "
                f"by what is proved ({100 * proof.confidence:g} %), {drew}, and fewer than two "
                "tell no better."
            )
        said = f"{among} there may be 0 to {limit:,} rare rows: {drew}, and fewer than two "
        if proof is None:
            return f"{said}tell no better (95 %)."
        return (
            f"{said}tell no better (95 %). This interval rests on these rows alone, looked at "
            f"once; that at most {proof.remaining_max:,} are missing is proved, however often one "
            "looks."
        )
    share = n_rows / len(drawn)
    column = np.flatnonzero(np.asarray(classifier.classes_).astype(str) == model.rare_class)[0]
    expected = float(classifier.predict_proba(X[drawn])[:, column].sum()) * share
    said = f"{among} about {counted(round(expected), 'row is', 'rows are')} rare by their "
    said += "probabilities"
    if hasattr(classifier, "probability_band") and _is_own(model):
        low, high = classifier.probability_band(X[drawn]).sum(axis=0) * share
        said += f", {low:,.0f} to {high:,.0f} as far as the base rate is known"
    return f"{said}. This is an estimate, not a bound."


def _is_own(model: Model) -> bool:
    return str(model.classifier.minority_class_) == model.rare_class
