"""Files that an owner takes from the page and gives to it."""

from __future__ import annotations

import base64
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from rarebit.demo import rare_digit_table
from rarebit.projects import take_labels
from rarebit.server import Doors, Office, PageServer
from tests.server.served import Browser, P, served, until, write_payments


@contextmanager
def served_digits(folder: Path) -> Iterator[PageServer]:
    office = Office(Doors(None))
    settings = {"rare": ("1", "8", "9")}
    office.add(rare_digit_table(), store=str(folder / "digits.labels.db"), settings=settings)
    server = PageServer(office)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        office.wait(300.0)
        yield server
    finally:
        server.stop()
        thread.join(300.0)


def test_the_model_of_the_demo_predicts_the_rows_that_the_page_gives(tmp_path: Path) -> None:
    digits = rare_digit_table()
    assert digits.target is not None
    with served_digits(tmp_path) as server, Browser(server) as me:
        me.come_in()
        (place,) = server.office.places.values()
        base = f"/api/projects/{place.name}"
        assert place.desk is not None
        chosen = [*range(0, 908, 9), *(i for i, y in enumerate(digits.target) if y in "189")]
        take_labels(place.desk, {i: digits.target[i] for i in chosen}, "", "known")
        assert me.get(f"{base}/settings").json()["has_row_file"]
        until(lambda: me.get(f"{base}/exports/model.rarebit").status_code == 200)
        for name in ("model.rarebit", "rows.csv"):
            (tmp_path / name).write_bytes(me.get(f"{base}/exports/{name}").content)
    rows = pl.read_csv(tmp_path / "rows.csv")
    assert rows.shape == (908, 65)
    assert rows.columns[:2] == ["picture", "p0"]
    assert "digit" not in rows.columns  # the answers
    command = [sys.executable, "-m", "rarebit", "predict", "model.rarebit", "rows.csv"]
    subprocess.run([*command, "--out", "found.csv"], cwd=tmp_path, check=True)
    found = pl.read_csv(tmp_path / "found.csv")
    best = found.sort("score", descending=True)["picture"].head(25)
    assert sum(digits.target[i - 1] in "189" for i in best) > 15


def test_rows_come_back_as_they_were_read(tmp_path: Path) -> None:
    file = write_payments(tmp_path)
    with served(file) as server, Browser(server) as me:
        me.come_in()
        (tmp_path / "rows.csv").write_bytes(me.get(f"{P}/exports/rows.csv").content)
    assert pl.read_csv(tmp_path / "rows.csv").equals(pl.read_csv(file))


def test_errors_call_a_file_what_its_owner_calls_it(tmp_path: Path) -> None:
    file = write_payments(tmp_path)
    labels = b"order,label\nT-1,ok\nNOBODY,ok\n"
    with served(file) as server, Browser(server) as me:
        me.come_in()
        body = {"key": "a", "name": "my labels.csv", "base64": base64.b64encode(labels).decode()}
        said = me.post(f"{P}/imports", json=body).json()["error"]["message"]
        assert said.startswith("my labels.csv has no column 'id' of ids")
        body |= {"id": "order"}
        said = me.post(f"{P}/imports", json=body).json()["error"]["message"]
        assert said.startswith("my labels.csv has 1 id that is not in payments.csv (NOBODY)")
        reply = me.post(f"{P}/imports", json={**body, "skip_unknown": True})
        assert reply.json() == {"stored": 1, "left_out": 1, "already": 0, "alike": []}
        reply = me.post(f"{P}/imports", json={**body, "key": "c", "skip_unknown": True})
        assert reply.json() == {"stored": 0, "left_out": 1, "already": 1, "alike": []}
        again = base64.b64encode(file.read_bytes()).decode()
        more = {"key": "b", "name": "twice.csv", "base64": again}
        said = me.post(f"{P}/rows", json=more).json()["error"]["message"]
        assert said.startswith("The ids of payments.csv and twice.csv overlap")
    assert not list(tmp_path.glob("payments.rows-*"))


def test_notes_stand_beside_the_answers_of_who_wrote_them(tmp_path: Path) -> None:
    with served(write_payments(tmp_path)) as server, Browser(server) as me:
        me.come_in()
        row = me.ask()["front"][0]
        for number, text in enumerate(("a strange shop", "ask Olga")):
            note = {"row": row, "note": text, "key": f"note {number}"}
            assert me.post(f"{P}/notes", json=note).status_code == 200
        me.post(f"{P}/notes", json={"row": (row + 1) % 300, "note": "elsewhere", "key": "other"})
        body = {"row": row, "label": "ok", "key": "answer", "tab": "tab", "want": 2}
        assert me.post(f"{P}/answers", json=body).status_code == 200
        for name in ("labels.csv", "labels.jsonl", "labels.parquet"):
            reply = me.get(f"{P}/exports/{name}", params={"details": True})
            (tmp_path / name).write_bytes(reply.content)
        listed = me.get(f"{P}/answers").json()["answers"]
    frames = [
        pl.read_csv(tmp_path / "labels.csv"),
        pl.read_ndjson(tmp_path / "labels.jsonl"),
        pl.read_parquet(tmp_path / "labels.parquet"),
    ]
    for frame in frames:
        assert frame["note"].to_list() == ["a strange shop; ask Olga"]
    assert [each["note"] for each in listed] == ["a strange shop; ask Olga"]


def test_known_rows_with_two_classes_are_refused_and_near_names_told(tmp_path: Path) -> None:
    with served(write_payments(tmp_path), rare=("fraud",)) as server, Browser(server) as me:
        me.come_in()

        def known(key: str, *pairs: tuple[str, str]) -> dict[str, Any]:
            labels = [{"id": id, "label": label} for id, label in pairs]
            return dict(me.post(f"{P}/known", json={"labels": labels, "key": key}).json())

        refused = known("two", ("T-4", "ok"), ("T-5", "fraud"), ("T-5", "ok"))
        said = "Row 'T-5' is given two classes, 'fraud' and 'ok': keep one of them."
        assert refused["error"]["message"] == said
        first = known("first", ("T-4", "ok"), ("T-4", "ok"), ("T-5", "fraud"))
        assert (first["stored"], first["already"], first["alike"]) == (2, [], [])  # nothing before
        near = known("near", ("T-6", "Fraud"), ("T-7", "ok"))
        assert near["stored"] == 2
        assert near["alike"] == [
            "'Fraud' differs from 'fraud' by capitals only: correct it under Answers if they are "
            "one class."
        ]
        file = base64.b64encode(b"id,label\nT-8,FRAUD\nT-9,ok\n").decode()
        reply = me.post(f"{P}/imports", json={"key": "f", "name": "more.csv", "base64": file})
        assert reply.json()["alike"] == [near["alike"][0].replace("Fraud", "FRAUD")]
