"""The option ``--report`` and the file it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted
from rarebit.cli._show_report import SUMMARY

if TYPE_CHECKING:
    from rarebit.models import Judged, Measured, Model
    from rarebit.report import Report
    from rarebit.tables import Table

_PAGES = (".html", ".htm")


REPORT = click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Write an HTML report.",
)


def check_page(path: Path | None) -> None:
    """Refuse a place that cannot be written, and the name of another format."""
    from rarebit.cli._output import check_writable

    if path is None:
        return
    check_writable(path)
    if path.suffix and path.suffix.lower() not in _PAGES:
        raise click.UsageError(
            f"a report is a page in HTML, got {path.name!r}: choose a name that ends in .html"
        )


def write_report(report: Report, path: Path) -> None:
    """Write a report as a whole or not at all, with the errors of every other result."""
    from rarebit.cli._output import written_whole

    page = report.html()
    with written_whole(path) as partial:
        partial.write_text(page, encoding="utf-8")


def decisions_page(
    title: str,
    model: Model,
    measured: Measured | Judged,
    scores: Any,
    figures: Mapping[str, Any],
    *,
    sought: Mapping[str, Any] | None = None,
    rows: Sequence[LookedAt] = (),
    threshold: str = "",
    limits: Sequence[str] = (),
) -> Report:
    """Make the report of what a model decided on rows whose classes are known.

    Parameters
    ----------
    title : str
        Heading.
    model : Model
        Model that decides.
    measured : Measured or Judged
        True and decided classes.
    scores : ndarray of shape (n_rows,)
        Scores of the rare class.
    figures : mapping
        Figures of these decisions; every number of the page is of them or of the decisions.
    sought : mapping, optional
        ``rare`` and ``normal``, where others than those of training were asked for.
    rows : sequence of LookedAt
        Rows that were decided wrongly.
    threshold : str, default=""
        Sentence about a threshold that is not the model's own.
    limits : sequence of str
        Sentences about what the figures leave out.

    Returns
    -------
    Report
        Not written yet.
    """
    import numpy as np

    from rarebit.models import doubt_few, table_of_each
    from rarebit.report import Report

    rare, truth = model.name_of(**(sought or {})), measured.truth
    shown = {name: figures[key] for key, name in SUMMARY.items() if key in figures}
    unseen = f" that the classifier had not seen ({figures['how']})" if "how" in figures else ""
    n_rare = int(np.sum(truth == rare))
    few = doubt_few(model) if unseen else ""  # other rows than those of training measure it
    report = Report(
        title,
        f"{counted(len(truth), 'row')}{unseen}; {n_rare:,} of the rare class {rare!r}."
        + "".join(f" {said}" for said in (threshold, few, *limits) if said),
        {name: f"{value:.3f}" for name, value in shown.items()},
    )
    report.add_ranking(
        truth,
        {rare: scores},
        decided=measured.decided,
        text=f"Of the classifier in the model file (method {model.manifest['method']}).",
    )
    if "each" in figures:
        headings, lines, said = table_of_each(figures["each"], rare)
        report.add_table("Each rare class", headings, lines, text=said)
    report.add_confusion(truth, measured.decided, union=rare if "each" in figures else "")
    for name, caption, heading in (
        ("miss", "Rare rows that were not found, those with the highest score first", "Misses"),
        ("false alarm", "Rows that are not rare but were called rare, the highest score first",
         "False alarms"),
    ):  # fmt: skip
        own = [row for row in rows if row.what == name]
        wrong = (
            (truth == rare) & (measured.decided != rare)
            if name == "miss"
            else ((truth != rare) & (measured.decided == rare))
        )
        if (n_wrong := int(np.sum(wrong))) > len(own) > 0:
            caption = f"{caption}: {len(own):,} of {n_wrong:,}"
        images = [row.image for row in own]
        pictured = bool(images) and all(image is not None for image in images)
        report.add_rows(
            ["row", "class", "predicted", "score", *([] if pictured else ["content"])],
            [
                [str(row.id), row.truth, row.decided, row.score,
                 *([] if pictured else [row.content])]
                for row in own
            ],
            images=images if pictured else None,
            title=heading,
            caption=caption,
        )  # fmt: skip
    return report


@dataclass(frozen=True, eq=False)
class LookedAt:
    """A row that was decided wrongly."""

    what: str
    id: Any
    truth: str
    decided: str
    score: float
    content: str
    image: Any = None


class Lookout:
    """Keeps the rows that are worth a look: misses, and false alarms by their score."""

    most = 20

    def __init__(self) -> None:
        self._kept: dict[str, list[LookedAt]] = {"miss": [], "false alarm": []}

    def watch(
        self,
        table: Table,
        truth: Any,
        decided: Any,
        scores: Any,
        rare: str,
        names: Any = None,
        said: Any = None,
    ) -> None:
        """Look at some rows; `names` and `said` are true and predicted classes of a union."""
        import numpy as np

        from rarebit.projects import describe_rows

        names, said = truth if names is None else names, decided if said is None else said
        for what, wrong in (
            ("miss", (truth == rare) & (decided != rare)),
            ("false alarm", (truth != rare) & (decided == rare)),
        ):
            rows = np.flatnonzero(wrong)
            rows = rows[np.argsort(-scores[rows], kind="stable")[: self.most]]
            texts, images = describe_rows(table, rows.tolist())
            self._kept[what] += [
                LookedAt(what, table.ids[row], str(names[row]), str(said[row]),
                         float(scores[row]), text, None if images is None else images[i])
                for i, (row, text) in enumerate(zip(rows, texts, strict=True))
            ]  # fmt: skip
            self._kept[what].sort(key=lambda row: -row.score)
            del self._kept[what][self.most :]

    @property
    def rows(self) -> list[LookedAt]:
        """The rows kept."""
        return [*self._kept["miss"], *self._kept["false alarm"]]
