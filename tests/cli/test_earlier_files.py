"""Label and model files that earlier versions wrote go through today's commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from rarebit import Project
from rarebit.cli import ExitCode

MODELS = Path(__file__).parents[1] / "models" / "data"
# The journal of `rarebit learn pool.csv --oracle kind --id id --max-labels 24 --seed 3` as the
# version before projects wrote it: a header, and one line per answer without number or checksum.
ASKED = [
    44, 71, 73, 63, 149, 61, 23, 142, 1, 87, 92, 91, 18, 43,
    133, 113, 26, 110, 28, 105, 15, 13, 3, 103,
]  # fmt: skip
HEADER = (
    '{"rarebit-labels": 1, "data": "pool.csv", "fingerprint": '
    '"5d2de2f57a325951cfdd8dd821ffe97214db1364dffab0d05276e03703775c95", "rows": 150}\n'
)
ANSWER = (
    '{{"what": "label", "row": {row}, "id": "p{row}", "label": "{label}", "how": "oracle", "by": '
    '"learn scout seed 3 stop auto rbf C 1 gamma scale", "at": "2026-11-17T01:48:29+00:00"}}\n'
)
# Two payments that the models of format 1 were trained on.
PAYMENTS = """\
amount,kind,who,when,note
3.0,card,shop 0,2024-01-01T00:00:00.000000,the goods of order 0 came broken and late
0.3,cash,shop 1,2024-01-01T01:00:00.000000,the goods of order 1 came in time today
"""


def is_rare(row: int) -> bool:
    return row % 10 == 3


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the journal of an earlier version, beside its data in the current folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    lines = ["id,amount,age,kind"]
    for row in range(150):
        amount, age = (rng.normal() + shift * is_rare(row) for shift in (4, 2))
        lines.append(f"p{row},{amount:.2f},{age:.2f},{'fraud' if is_rare(row) else 'fine'}")
    Path("pool.csv").write_text("\n".join(lines) + "\n")
    answers = [ANSWER.format(row=row, label="fraud" if is_rare(row) else "fine") for row in ASKED]
    path = Path("pool.labels.jsonl")
    path.write_text(HEADER + "".join(answers))
    return path


def test_a_journal_is_continued_by_learn(command: Any, journal: Path) -> None:
    before = journal.read_bytes()
    outcome = command(
        "learn", "pool.csv", "--oracle", "kind", "--id", "id", "--max-labels", 26, "--seed", 3,
        "--report", "r.html", "-o", "m.rarebit",
    )  # fmt: skip
    assert outcome.code == ExitCode.OK, outcome.err
    assert "26 of 150 rows are labelled" in outcome.out
    assert journal.read_bytes().startswith(before)
    assert not Path("pool.labels.db").exists()
    assert "fraud" in Path("r.html").read_text(encoding="utf-8")
    judged = command("predict", "m.rarebit", "pool.csv", "-o", "judged.csv")
    assert judged.code == ExitCode.OK, judged.err
    said = pl.read_csv("judged.csv")
    truth = np.array([is_rare(row) for row in range(150)])
    assert roc_auc_score(truth, said["score"].to_numpy()) > 0.95


def test_a_journal_is_continued_by_discover(command: Any, journal: Path) -> None:
    before = journal.read_bytes()
    outcome = command("discover", "pool.csv", "--oracle", "kind", "--id", "id", "--max-labels", 25)
    assert outcome.code == ExitCode.OK, outcome.err
    assert "25 of 150 rows" in outcome.out
    assert journal.read_bytes().startswith(before)


def test_a_journal_is_opened_as_a_project(journal: Path) -> None:
    with Project.open("pool.csv", settings={"reading": {"id": "id", "drop": ["kind"]}}) as project:
        assert project.store.address.endswith(journal.name)
        assert [*project.labels] == ASKED
        assert project.status().n_labels == 24
        question = project.question()
        assert question is not None
        assert question.row not in ASKED


def test_a_journal_is_checked(command: Any, journal: Path) -> None:
    outcome = command("labels", "check", journal)
    assert outcome.code == ExitCode.OK
    assert "24 answers" in outcome.out
    assert "No line is damaged." in outcome.out


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bagged-format-1.rarebit", [1.7809725748053502, -0.9451247470892833]),
        ("learned-format-1.rarebit", [0.9516613457909945, -1.2314742842206234]),
        ("border-format-1.rarebit", [0.9519700497159538, -1.2318341042605372]),
    ],
)
def test_models_of_format_1_predict(
    name: str, expected: list[float], command: Any, tmp_path: Path
) -> None:
    payments = tmp_path / "payments.csv"
    payments.write_text(PAYMENTS)
    outcome = command("predict", MODELS / name, payments, "-o", tmp_path / "judged.csv")
    assert outcome.code == ExitCode.OK, outcome.err
    said = pl.read_csv(tmp_path / "judged.csv")
    assert said["predicted"].to_list() == ["fraud", "fine"]
    assert_allclose(said["score"].to_numpy(), expected, rtol=1e-6)
