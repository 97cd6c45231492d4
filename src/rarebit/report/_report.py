"""Report: the parts that a document may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import confusion_matrix

from rarebit._text import counted
from rarebit.comparison import Comparison
from rarebit.report import _figures as figures
from rarebit.report._confusion import count_right, fold_frequent, worst_mistakes
from rarebit.report._page import Advice, make_grid
from rarebit.report._proof_parts import ProofParts
from rarebit.report._ranking import ranking_table
from rarebit.report._ranking_curves import draw_precision_recall, draw_roc
from rarebit.report._theme import WIDTH

_SHOWN = 24  # points of a curve in its table


class Report(ProofParts):
    """One self-contained HTML file that says what was found and how good the classifier is.

    Add the parts that are known, in the order in which they are to be read; nothing is shown for
    parts that are not added. The file needs no network, follows the light or dark theme of the
    reader, prints, and can be read on a telephone and by a screen reader. Needs matplotlib and
    jinja2.

    Parameters
    ----------
    title : str
        Heading of the page.
    summary : str or sequence of str, default=()
        Paragraphs below it.
    facts : mapping of str to object, optional
        Few numbers that matter most, by name.

    Examples
    --------
    >>> from rarebit.report import Report
    >>> report = Report("Intrusions", facts={"rows": 1000})
    >>> page = report.add_discovery({"normal": 1, "attack": 17}).html()
    >>> "attack" in page, "<script" in page
    (True, False)
    """

    def add_discovery(
        self,
        discovered: Mapping[Any, int],
        *,
        counts: Mapping[Any, int] | None = None,
        random: Mapping[Any, float] | None = None,
    ) -> Self:
        """Tell which classes were found, and when each was first seen.

        Parameters
        ----------
        discovered : mapping of class to int
            Labels spent when the class was first seen; 0 for classes known from the start.
        counts : mapping of class to int, optional
            Rows labelled so far, by class.
        random : mapping of class to float, optional
            Labels that random labelling needs.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        if not discovered:
            return self
        order = sorted(discovered, key=lambda name: discovered[name])
        last = order[-1]
        section = self._new("discovery", "What was found")
        said = "All of them have labels that were given beforehand."
        if discovered[last]:
            said = f"The last one, {last}, was first seen at label {discovered[last]:,}."
        section.text.append(f"{counted(len(order), 'class', 'classes')} found. {said}")
        headings = ["class", "first seen at label"]
        rows: list[list[Any]] = [[str(each), discovered[each] or "given"] for each in order]
        for name, known in (("at random, expected", random), ("rows labelled", counts)):
            if known:
                headings.append(name)
                for row, key in zip(rows, order, strict=True):
                    row.append(known.get(key))
        if len(order) > 2 or random:  # two dots are no chart
            drawn = figures.draw_discovery(discovered, random=random)
            said = ", ".join(f"{each} at label {discovered[each]:,}" for each in order[-12:])
            caption = "Labels spent when each class was first seen."
            self._draw(section, drawn, caption, f"{caption} {said}.")
        section.tables.append(
            make_grid("Classes in the order in which they were seen", headings, rows)
        )
        return self

    def add_learning_curve(
        self,
        curves: Mapping[str, figures.Curve],
        *,
        goal: float | None = None,
        stopped_at: int | None = None,
        final: tuple[int, float] | None = None,
        metric: str = "g-mean on test rows",
        text: str = "",
    ) -> Self:
        """Show how good the classifier was after each label, beside a baseline.

        Parameters
        ----------
        curves, goal, stopped_at, final, metric
            As in `draw_learning_curve`.
        text : str, default=""
            A sentence about how it was measured.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        section = self._new("learning-curve", "Learning curve")
        if text:
            section.text.append(text)
        drawn = figures.draw_learning_curve(
            curves, goal=goal, stopped_at=stopped_at, final=final, metric=metric
        )
        said, rows, runs = [], [], {}
        for name, curve in curves.items():
            labels, scores = figures.over_labels(curve)
            runs[name] = len(scores)
            mean = scores.mean(axis=0)
            said.append(f"{name}: {mean[-1]:.3f} after {counted(round(labels[-1]), 'label')}")
            shown = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), _SHOWN)).astype(int))
            worst, best = scores.min(axis=0), scores.max(axis=0)
            rows += [
                [name, int(labels[i]), *(float(column[i]) for column in (mean, worst, best))]
                for i in shown
            ]
        if goal is not None:
            said.append(f"with all labels: {goal:.3f}")
        if final is not None:
            said.append(f"the final classifier: {final[1]:.3f} after {counted(final[0], 'label')}")
        if stopped_at is not None:
            said.append(f"the advice to stop came at {counted(stopped_at, 'label')}")
        bands = "".join(
            f" {name}: the mean of {n:,} runs, the band reaches from the worst to the best."
            for name, n in runs.items()
            if n > 1
        )
        self._draw(section, drawn, f"{metric} by labels spent.{bands}", f"{'; '.join(said)}.")
        section.tables.append(
            make_grid(
                f"{metric} by labels",
                ["labelling", "labels", "mean", "worst", "best"],
                rows,
                folded="The curve in numbers",
            )
        )
        return self

    def add_ranking(
        self,
        y_true: ArrayLike,
        scores: Mapping[Any, ArrayLike],
        *,
        threshold: float | None = None,
        decided: ArrayLike | None = None,
        text: str = "",
    ) -> Self:
        """Show the ROC and the precision-recall curve, PRBEP and what is found.

        Parameters
        ----------
        y_true, scores, threshold, decided
            As in `draw_roc`. Classes without a row, or with all rows, are left out. With `decided`
            the figures of found rows are those of the decisions, as elsewhere in the report.
        text : str, default=""
            A sentence that says which classifier, on which rows.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        true = np.asarray(y_true)
        kept = {name: np.asarray(s) for name, s in scores.items() if 0 < np.mean(true == name) < 1}
        if not kept:
            return self
        section = self._new("ranking", "How well the rare class is ranked")
        section.text += [text] if text else []
        headings, rows = ranking_table(true, kept, threshold, decided)
        marked = ""
        if decided is not None:
            marked = " Open markers show what the decisions find."
        elif threshold is not None:
            marked = f" Open markers show the chosen threshold, {threshold:.4g}."
        said = "; ".join(f"{row[0]}: ROC area {row[2]:.3f}, PRBEP {row[3]:.3f}" for row in rows)
        for draw, caption in (
            (draw_roc, f"ROC curve: found against false alarms.{marked}"),
            (
                draw_precision_recall,
                "Precision against recall. Crosses mark the break-even point (PRBEP), where both "
                f"are equal.{marked}",
            ),
        ):
            drawn = draw(true, kept, threshold=threshold, decided=decided)
            self._draw(section, drawn, caption, f"{caption} {said}.")
        section.tables.append(make_grid("Figures of the ranking, by class", headings, rows))
        return self

    def add_confusion(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: Sequence[Any] | None = None,
        union: str = "",
    ) -> Self:
        """Show the confusion matrix.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
            True and predicted classes.
        labels : sequence, optional
            Classes in the order to show; by default sorted. Of more than twenty the rarest are
            shown, and the others as one.
        union : str, default=""
            One of them that stands for several, so that the page says so.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        true, guess = np.asarray(y_true), np.asarray(y_pred)
        known = np.unique(np.concatenate([true, guess])) if labels is None else np.asarray(labels)
        counts = confusion_matrix(true, guess, labels=known)
        counts, names = fold_frequent(counts, [str(name) for name in known.tolist()])
        section = self._new("confusion", "Confusion matrix")
        section.text.append(count_right(counts, union))
        caption = "Rows by true class (down) and predicted class (across)."
        worst = worst_mistakes(counts, names)
        self._draw(section, figures.draw_confusion(counts, names), caption, f"{caption} {worst}")
        rows = [[name, *line] for name, line in zip(names, counts.tolist(), strict=True)]
        section.tables.append(
            make_grid(caption, ["true \\ predicted", *names], rows, folded="The matrix in numbers")
        )
        return self

    def add_rows(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[Any]],
        *,
        images: Sequence[ArrayLike] | None = None,
        captions: Sequence[str] | None = None,
        title: str = "Most informative rows",
        caption: str = "Rows that taught the classifier most",
        text: Sequence[str] = (),
    ) -> Self:
        """Show the most informative rows, as a table and where they are pictures as such.

        Parameters
        ----------
        headings : sequence of str
            Names of the columns; the first should identify the row.
        rows : sequence of sequences
            Cells, one sequence per row.
        images : sequence of array-like, optional
            Pictures of the rows.
        captions : sequence of str, optional
            A line for each picture; the first column by default.
        title, caption, text : str, str and sequence of str, optional
            What the rows are, where they are not those that taught most; paragraphs before them.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        if not rows:
            return self
        section = self._new("rows", title)
        section.text += text
        if images is not None:
            below = list(captions) if captions is not None else [str(row[0]) for row in rows]
            drawn = figures.draw_images(images, below)
            said = "; ".join(" ".join(text.split()) for text in below)
            self._draw(section, drawn, f"{caption}.", f"{caption}. {said}.")
            caption = f"{title}, as a table"
        section.tables.append(make_grid(caption, headings, rows))
        return self

    def add_stop_advice(
        self,
        enough: bool,
        reasons: Mapping[str, str] | Sequence[str],
        headline: str | None = None,
    ) -> Self:
        """Say whether more labels are worth their price, and why.

        Parameters
        ----------
        enough : bool
            Whether asking can stop.
        reasons : mapping of str to str, or sequence of str
            Sentences, such as ``stop_reasons_`` of a `BorderLearner`.
        headline : str, optional
            What to say first; by default a sentence on the classifier.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        section = self._new("stopping", "When to stop")
        said = list(reasons.values()) if isinstance(reasons, Mapping) else list(reasons)
        headline = headline or (
            "You may stop: more labels would hardly change the classifier."
            if enough
            else "Continue labelling: the classifier is still changing."
        )
        section.advice = Advice(enough, headline, said)
        return self

    def add_comparison(self, comparison: Comparison, note: str = "") -> Self:
        """Show the folds and the table of `rarebit.compare`.

        Parameters
        ----------
        comparison : Comparison
            What ``compare`` returned.
        note : str, default=""
            What to know about the rows.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        section = self._new("comparison", "Comparison of methods")
        marked = zip(comparison.marked(), comparison.rows(), strict=True)  # marks failed folds
        found = [row | {"method": name} for name, row in marked]
        best = found[0]
        said = f"{best['method']} has the best mean g-mean, {best['g_mean']:.3f}, on "
        said += f"{comparison.n_folds} folds; the rare class is {comparison.minority_class}. {note}"
        section.text.append(said.rstrip())
        drawn = comparison.plot()
        drawn.set_size_inches(WIDTH, drawn.get_figheight())
        said = "; ".join(f"{row['method']}: {row['g_mean']:.3f}" for row in found)
        caption = "g-mean by fold; a star marks methods that differ from the best (p < 0.05)."
        self._draw(section, drawn, caption, f"{caption} {said}.")
        keys = {"method": "method", "g_mean": "g-mean", "g_mean_spread": "± spread",
                "sensitivity": "sensitivity", "specificity": "specificity", "prbep": "PRBEP",
                "auc": "AUC", "rank": "rank", "p_value": "p", "fit_seconds": "fit, s",
                "predict_seconds": "predict, s"}  # fmt: skip
        rows = [[row[key] for key in keys] for row in found]
        section.tables.append(make_grid("Methods, the best first", list(keys.values()), rows))
        section.text += comparison.failure_notes()
        return self

    def add_table(
        self,
        title: str,
        headings: Sequence[str],
        rows: Sequence[Sequence[Any]],
        *,
        caption: str = "",
        text: str | Sequence[str] = (),
    ) -> Self:
        """Show any table under a heading of its own.

        Parameters
        ----------
        title : str
            The heading.
        headings : sequence of str
            Names of the columns.
        rows : sequence of sequences
            Cells, one sequence per row.
        caption : str, default=""
            Says what the table holds; the title by default.
        text : str or sequence of str, default=()
            Paragraphs before it.

        Returns
        -------
        Report
            The report, for chained calls.
        """
        section = self._new(f"table-{len(self._sections) + 1}", title)
        section.text += [text] if isinstance(text, str) else list(text)
        if rows:
            section.tables.append(make_grid(caption or title, headings, rows))
        return self
