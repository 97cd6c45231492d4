"""Classes that no label had, where every class but one is rare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from rarebit.models import measure_decisions, save_model, train_model
from tests.cli.conftest import Command


def payments(kinds: list[str], seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.choice(["OK", *kinds], 600, p=[0.85, *[0.15 / len(kinds)] * len(kinds)])
    odd = 4.0 * (kind != "OK")
    columns = {name: rng.normal(size=600) + odd for name in "ab"}
    return pl.DataFrame({**columns, "kind": kind})


def test_a_rare_class_that_no_label_had_counts_as_rare(tmp_path: Path, command: Command) -> None:
    model = train_model(
        payments(["theft", "mule"], 0), target="kind", normal="OK", method="kernel", validate=False
    )
    assert model.takes_new_as_rare
    later = payments(["theft", "chargeback"], 1)
    truth = later["kind"].to_numpy().astype(str)
    measured = measure_decisions(model, truth, [model.decide(model.table(later.drop("kind")))])
    assert measured.unknown == ["chargeback"]
    assert set(measured.truth.tolist()) == {"not OK", "OK"}
    assert int((measured.truth == "not OK").sum()) == int((truth != "OK").sum())
    assert measured.report["g_mean"] > 0.9
    each = measured.report["each"]
    assert list(each) == ["mule", "theft", "chargeback"]
    assert each["chargeback"]["support"] == int((truth == "chargeback").sum())
    assert each["chargeback"]["found"] > 0
    assert each["chargeback"]["roc_auc"] is None

    save_model(model, tmp_path / "m.rarebit")
    later.write_csv(tmp_path / "later.csv")
    found = command("evaluate", tmp_path / "m.rarebit", tmp_path / "later.csv", "--target", "kind",
                    "--report", tmp_path / "r.html")  # fmt: skip
    assert found.code == 0
    assert "'not OK' includes it." in " ".join(found.err.split())
    assert "It has not met chargeback, so" in " ".join(found.out.split())
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "False alarms" not in page or "chargeback" not in page.split("False alarms")[1][:2000]


def test_classes_beside_named_rare_ones_do_not(tmp_path: Path) -> None:
    model = train_model(
        payments(["theft", "mule"], 0), target="kind", rare="theft", method="kernel", validate=False
    )
    assert not model.takes_new_as_rare
