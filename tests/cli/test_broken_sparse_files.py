"""NPZ files whose column numbers lead nowhere: one sentence, no crash of the process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rarebit.cli import ExitCode


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("broken", ["indices", "indptr", "last indptr"])
def test_discover_refuses_a_broken_sparse_file(
    form: str, broken: str, process: Any, tmp_path: Path
) -> None:
    rows = sp.random(40, 12, density=0.3, random_state=0).asformat(form)
    if broken == "last indptr":  # below 0, which SciPy does not notice
        rows.indptr[-1] = -180
    else:
        getattr(rows, broken)[3] = 2**30 if broken == "indices" else rows.indptr[-1]
    file = tmp_path / "rows.npz"
    with open(file, "wb") as target:
        names = {"indices": rows.indices, "indptr": rows.indptr, "data": rows.data}
        np.savez(target, format=form.encode(), shape=np.array(rows.shape), **names)
    outcome = process("discover", file, "--oracle", "class", "--labels", tmp_path / "rows.jsonl")
    assert outcome.code == ExitCode.INPUT, outcome
    assert "rows.npz" in outcome.error
    assert "sparse rows whose indices do not fit their shape" in outcome.error
