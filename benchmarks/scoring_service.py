"""What the scoring service adds to a model: ``python -m benchmarks.scoring_service``."""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import polars as pl

from rarebit.metrics import minority_scores
from rarebit.models import load_model, save_model, train_model
from rarebit.tables import as_table

ARROW = "application/vnd.apache.arrow.stream"


def make_rows(n_rows: int, n_columns: int, seed: int) -> pl.DataFrame:
    """Return payments: numbers, and two columns of categories."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n_rows) < 0.05
    numbers = {
        f"n{j}": np.round(rng.normal(np.where(fraud, 2.0, 0.0)), 4) for j in range(n_columns - 2)
    }
    words = {name: rng.choice(["DE", "FR", "IT", "SE"], n_rows) for name in ("from", "to")}
    return pl.DataFrame({**numbers, **words, "class": np.where(fraud, "fraud", "ok")})


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of some work."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(1000.0 * (time.perf_counter() - began))
    return statistics.median(times)


def processor_time(process: int) -> float:
    """Return the milliseconds of processor time of a process so far (Linux; 0 elsewhere)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return 1000.0 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Serve a model in a process of its own and send requests of some rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--method", default="kernel")
    parser.add_argument("--repeats", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "payments.rarebit"
        table = as_table(make_rows(2000, given.columns, 0), target="class")
        save_model(train_model(table, method=given.method, validate=False), path)
        model = load_model(path)
        rows = make_rows(given.rows, given.columns, 1).drop("class")
        X = model.encoder.transform(model.table(rows))

        def judge() -> None:
            minority_scores(model.classifier, X, model.rare_class)
            model.classifier.predict(X)

        stream = io.BytesIO()
        rows.write_ipc_stream(stream)
        process = subprocess.Popen(
            [sys.executable, "-m", "rarebit", "serve", str(path)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with httpx.Client(base_url=address, timeout=60.0) as client:
                as_json = httpx.Request("POST", "/predict", json={"records": rows.to_dicts()})
                bodies = {"JSON": (as_json.content, "application/json"),
                          "Arrow": (stream.getvalue(), ARROW)}  # fmt: skip

                def ask(name: str) -> None:
                    body, kind = bodies[name]
                    reply = client.post("/predict", content=body, headers={"Content-Type": kind})
                    assert reply.status_code == 200

                for name in bodies:
                    ask(name)
                own = milliseconds(judge, given.repeats)
                print(f"{given.rows:,} rows, {given.columns} columns, method {given.method}")
                print(f"the classifier itself  {own:7.1f} ms")
                for name in bodies:
                    before = processor_time(process.pid)
                    took = milliseconds(partial(ask, name), given.repeats)
                    busy = (processor_time(process.pid) - before) / given.repeats
                    print(
                        f"one request, {name:5}     {took:7.1f} ms  beyond {took - own:6.1f} ms  "
                        f"(processor time of the service {busy:.1f} ms)"
                    )
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    main()
