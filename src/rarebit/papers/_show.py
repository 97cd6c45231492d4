"""Tables and figures of a plan, made from its file of results and from nothing else."""

from __future__ import annotations

from pathlib import Path

from rarebit.papers._plan import Plan
from rarebit.papers._rows import Results
from rarebit.papers._tables import ResultTable


def show_plan(
    plan: Plan, results: Results, folder: Path
) -> tuple[list[ResultTable], list[Path], str]:
    """Write ``<name>.md`` and, for a figure, ``<name>.png``.

    Parameters
    ----------
    plan : Plan
        What to show.
    results : Results
        Its results.
    folder : Path
        Where the files go.

    Returns
    -------
    tables : list of ResultTable
        For the terminal.
    files : list of Path
        What was written.
    trouble : str
        Why there is no figure, or nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = plan.tables(results)
    text = "\n".join(table.markdown() for table in tables)
    about = "".join(f"- {name}: {value}\n" for name, value in results.about.items())
    files = [folder / f"{plan.name}.md"]
    files[0].write_text(f"{text}\n{about}", encoding="utf-8")
    if plan.draw is None:
        return tables, files, ""
    try:
        plan.draw(results, folder / f"{plan.name}.png")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        return tables, files, "no figure was drawn: install matplotlib"
    return tables, [*files, folder / f"{plan.name}.png"], ""
