"""What labels come to: a model, or why there is none yet, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rarebit.models import Model, estimate_sentences

if TYPE_CHECKING:
    from rarebit.projects._called import CalledRare
    from rarebit.projects._project import Project


@dataclass(frozen=True)
class Conclusion:
    """The model of a project and what its figures mean.

    Attributes
    ----------
    model : Model or None
        None while there is none.
    missing : str
        Which labels a model still needs, as a clause; empty with a model.
    called : CalledRare or None
        How many rows without a label it calls rare; None where that is not known.
    n_held_out : int
        Rows that are never asked and measure it.
    notes : tuple of str
        What makes the figures doubtful, in sentences.
    proves : bool
        Whether a recall is to be proved, so that estimates of it say less.
    """

    model: Model | None
    missing: str = ""
    called: CalledRare | None = None
    n_held_out: int = 0
    notes: tuple[str, ...] = field(default=())
    proves: bool = False

    @property
    def metrics(self) -> dict[str, Any] | None:
        """Figures on the rows held out; None without any."""
        metrics = None if self.model is None else self.model.manifest["metrics"]
        return None if metrics is None else dict(metrics)

    def sentences(self) -> Iterator[str]:
        """Yield what is estimated of the model, and how many rows it calls rare."""
        if self.model is None:
            return
        yield from estimate_sentences(self.model.manifest, proves=self.proves)
        if self.called is not None and self.called.rows:
            yield self.called.sentence(self.model.rare_class, self.n_held_out)

    def to_json(self) -> dict[str, Any]:
        """Return what programs read, as plain values; empty without a model."""
        if self.model is None:
            return {}
        estimate = self.model.manifest.get("estimate") or {}
        called = self.called
        return {
            "rare_class": self.model.rare_class,
            "rare_classes": list(self.model.rare_classes),
            "metrics": self.metrics,
            # Points of a curve are for thresholds, not for readers.
            "estimate": {n: value for n, value in estimate.items() if n != "points"} or None,
            "called_rare": None
            if called is None
            else {"rows": called.rows, "called": called.called, "exact": called.exact},
            "notes": list(self.notes),
        }


def conclude(project: Project, name_them: str = "Name them ('rare', 'normal')") -> Conclusion:
    """Fit the final classifier of a project, and gather what has to be said of it.

    Parameters
    ----------
    project : Project
        Open.
    name_them : str
        How readers name the rare classes.

    Returns
    -------
    Conclusion
        Without a model where labels are missing. Where a column answers and shows one class only,
        that is a mistake, and `ProjectError` says so.
    """
    if missing := project.why_no_model():
        if project.settings.oracle is not None and len(project.discovered) < 2:
            project.finish()  # raises
        return Conclusion(None, missing)
    model = project.finish()
    called = project.called_rare()
    doubts = ["" if called is None else called.doubt, project.one_class_note(name_them)]
    return Conclusion(
        model,
        called=called,
        n_held_out=len(project.held_out),
        notes=tuple(doubt for doubt in doubts if doubt),
        proves=project.settings.recall is not None,
    )
