"""Figures on the pages are those of the stored results: pages include files that this rebuilds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rarebit.papers import Plan, find_plans, show_plan
from rarebit.papers._run import open_results

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "benchmarks" / "results" / "papers"
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
INCLUDED = re.compile(r"^```\{(?:include|image)\} (\S+)$", re.M)


@pytest.mark.skipif(not STORED.is_dir(), reason="measured results are not beside the tests")
@pytest.mark.parametrize("plan", find_plans(["all"]), ids=lambda plan: plan.name)
def test_stored_tables_follow_from_the_stored_results(plan: Plan, tmp_path: Path) -> None:
    page = STORED / f"{plan.name}.md"
    if not page.exists():
        pytest.skip("not measured yet")
    keys = [experiment.key for experiment in plan.experiments(plan.scale())]
    results = open_results(plan, STORED).results(keys)
    assert len(results)
    show_plan(replace(plan, draw=None), results, tmp_path)
    assert (tmp_path / page.name).read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_include_files_that_exist(page: Path) -> None:
    for name in INCLUDED.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / name).is_file(), name
