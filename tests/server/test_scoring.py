"""`rarebit serve`: the decisions of `rarebit predict`, over HTTP."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import hypothesis
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from rarebit.models import Model, ModelError, decision_frame, explain, train_model
from rarebit.server.scoring import Limits, ScoringServer, make_scoring_app
from rarebit.tables import as_table
from tests.server.scored import payments, payments_model, scoring

ARROW = "application/vnd.apache.arrow.stream"
NEW = payments(40, seed=1).drop("class")
TOKEN = "0123456789abcdef0123"


@pytest.fixture(scope="module")
def model() -> Model:
    return payments_model()


@pytest.fixture(scope="module")
def service(model: Model) -> Iterator[httpx.Client]:
    with scoring(model, name="payments", limits=Limits(max_rows=2000, max_bytes=1 << 20)) as client:
        yield client


def expected(model: Model, frame: pl.DataFrame, **options: Any) -> list[dict[str, Any]]:
    table = model.table(frame)
    made = model.decide(table, **options)
    return decision_frame(table, made).with_columns(pl.Series("rare", made.rare)).to_dicts()


def as_stream(frame: pl.DataFrame, **options: Any) -> bytes:
    sink = io.BytesIO()
    frame.write_ipc_stream(sink, **options)
    return sink.getvalue()


def test_records_columns_and_arrow_have_the_decisions_of_the_model(
    service: httpx.Client, model: Model
) -> None:
    wanted = expected(model, NEW)
    assert {row["predicted"] for row in wanted} == {"ok", "fraud"}
    records = service.post("/predict", json={"records": NEW.to_dicts()})
    assert records.json() == {"predictions": wanted, "notes": [], "outside_range": {}}
    columns = service.post("/predict", json={"columns": NEW.to_dict(as_series=False)})
    assert columns.json() == records.json()
    arrow = service.post("/predict", content=as_stream(NEW), headers={"Content-Type": ARROW})
    assert arrow.headers["content-type"] == ARROW
    assert pa.ipc.open_stream(arrow.content).read_all().to_pylist() == wanted
    both = {"Content-Type": ARROW, "Accept": "application/json"}
    assert service.post("/predict", content=as_stream(NEW), headers=both).json() == records.json()


def test_arrow_of_pandas_has_categories(service: httpx.Client, model: Model) -> None:
    frame = NEW.to_pandas().astype({"country": "category"})
    table = pa.Table.from_pandas(frame)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    headers = {"Content-Type": ARROW, "Accept": "application/json"}
    reply = service.post("/predict", content=sink.getvalue().to_pybytes(), headers=headers)
    assert reply.json()["predictions"] == expected(model, NEW)


def test_options_are_those_of_the_model(service: httpx.Client, model: Model) -> None:
    body = {"records": NEW.to_dicts()}
    low = service.post("/predict", params={"threshold": "-100"}, json=body).json()
    assert {row["predicted"] for row in low["predictions"]} == {"fraud"}
    other = service.post("/predict", params={"rare": "ok"}, json=body).json()["predictions"]
    assert other == expected(model, NEW, rare=["ok"])
    for params in ({"threshold": "precision=2"}, {"rare": "who"}, {"probability": "true"}):
        reply = service.post("/predict", params=params, json=body)
        assert (reply.status_code, reply.json()["error"]["kind"]) == (400, "invalid")


def test_columns_are_checked_as_those_of_files(service: httpx.Client) -> None:
    def error(*records: dict[str, Any]) -> tuple[int, str]:
        reply = service.post("/predict", json={"records": list(records)})
        return reply.status_code, reply.json()["error"]["message"]

    whole = {"payment": "P", "amount": 1, "items": 2, "country": "DE"}
    status, message = error({"amount": 1, "items": 2})
    assert status == 400
    assert "country" in message
    status, message = error({**whole, "amount": "many"})
    assert status == 400
    assert "amount" in message
    assert error({"strange": 1})[0] == 400
    assert error({**whole, "country": {"deep": 1}})[0] == 400
    assert error({**whole, "country": ["DE"]})[0] == 400
    reply = service.post("/predict", json={"records": [{**whole, "country": "XX", "new": {}}]})
    assert reply.status_code == 200
    assert any("'XX'" in note for note in reply.json()["notes"])
    # A cell that is null or absent is missing, as in a file.
    null, absent = (
        service.post("/predict", json={"records": [NEW.row(0, named=True), each]}).json()
        for each in (
            {**whole, "amount": None},
            {"payment": "P", "items": 2, "country": "DE"},
        )
    )
    assert null["predictions"][1]["score"] == absent["predictions"][1]["score"]


def test_texts_vectors_and_forms_of_cells() -> None:
    words = ["refund now please sir", "all is well here today", "thanks for the quick help"] * 10
    rows = {
        "title": words,
        "cost": ["€1,50", "€2,75", "€80,00"] * 10,
        "place": [[0.1, 0.2], [0.3, 0.1], [5.0, 6.0]] * 10,
        "class": ["a", "a", "b"] * 10,
    }
    model = train_model(
        as_table(rows, target="class", text="title"), method="kernel", validate=False
    )
    frame = pl.DataFrame(rows).drop("class")
    wanted = expected(model, frame)
    with scoring(model) as service:
        reply = service.post("/predict", json={"records": frame.to_dicts()})
        assert reply.json()["predictions"] == wanted
        columns = {column["name"]: column for column in service.get("/schema").json()["columns"]}
    assert columns["place_1"] == {"name": "place_1", "type": "number"}
    assert "form" in columns["cost"]


def test_explanations_are_those_of_the_model(service: httpx.Client, model: Model) -> None:
    body = {"records": NEW.head(3).to_dicts()}
    found = service.post("/explain", params={"columns": 2, "rows": 1}, json=body).json()
    wanted = explain(model, model.table(NEW.head(3)), n_columns=2, n_rows=1)
    assert [each["payment"] for each in found["explanations"]] == NEW["payment"][:3].to_list()
    for each, own in zip(found["explanations"], wanted, strict=True):
        assert {part["name"]: part["part"] for part in each["columns"]} == own.columns
        assert (each["score"], each["base"], len(each["rows"])) == (own.score, own.base, 1)
    many = {"records": [NEW.row(0, named=True) | {"payment": str(i)} for i in range(1001)]}
    assert service.post("/explain", json=many).status_code == 413


def test_schema_health_and_metrics(service: httpx.Client, model: Model) -> None:
    schema = service.get("/schema").json()
    assert [column["name"] for column in schema["columns"]] == ["amount", "items", "country"]
    assert (schema["rare_class"], schema["id"]) == ("fraud", "payment")
    assert service.get("/health").json() == {"status": "ok", "model": "payments"}
    before = service.get("/metrics").text
    service.post("/predict", json={"records": NEW.to_dicts()})
    service.get("/nowhere")
    after = metrics(service.get("/metrics").text)
    assert after['rarebit_rows_total{path="/predict"}'] >= 40
    assert after['rarebit_requests_total{path="other",status="404"}'] == 1
    assert after['rarebit_request_seconds_bucket{path="/predict",le="+Inf"}'] == sum(
        n for name, n in after.items() if name.startswith('rarebit_requests_total{path="/predict"')
    )
    assert len(metrics(before)) <= len(after)
    assert after['rarebit_predicted_total{class="fraud"}'] > 0


def test_rows_outside_the_training_file_are_told(service: httpx.Client) -> None:
    cents = NEW.with_columns(pl.col("amount") * 100)
    reply = service.post("/predict", json={"records": cents.to_dicts()}).json()
    (column,) = reply["outside_range"]
    assert column == "amount"
    assert reply["outside_range"]["amount"]["of"] == 40
    assert "rows have a value of 'amount' outside" in reply["notes"][-1]
    counted = metrics(service.get("/metrics").text)
    rows = reply["outside_range"]["amount"]["rows"]
    assert counted['rarebit_outside_range_total{column="amount"}'] >= rows > 0
    # A single row tells nothing of a file, and is counted all the same.
    one = service.post("/predict", json={"records": cents.head(1).to_dicts()}).json()
    assert (one["outside_range"], one["notes"]) == ({}, [])


def metrics(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_many_at_once_get_their_own_answers(service: httpx.Client, model: Model) -> None:
    parts = [NEW[i : i + 5] for i in range(0, 40, 5)] * 5

    def ask(part: pl.DataFrame) -> Any:
        return service.post("/predict", json={"records": part.to_dicts()}).json()["predictions"]

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(ask, parts))
    assert replies == [expected(model, part) for part in parts]


def test_limits(service: httpx.Client, model: Model) -> None:
    many = {"records": [{"amount": 1, "items": 1, "country": "DE"}] * 2001}
    assert service.post("/predict", json=many).status_code == 413
    large = json.dumps({"records": [{"country": "x" * (2 << 20)}]})
    kind = {"Content-Type": "application/json"}
    assert service.post("/predict", content=large, headers=kind).status_code == 413
    wide = pl.DataFrame({"amount": [1.0] * 2001, "items": [1] * 2001, "country": ["DE"] * 2001})
    arrow = {"Content-Type": ARROW}
    assert service.post("/predict", content=as_stream(wide), headers=arrow).status_code == 413
    packed = as_stream(NEW, compression="zstd")
    reply = service.post("/predict", content=packed, headers=arrow)
    assert (reply.status_code, "compress" in reply.json()["error"]["message"]) == (400, True)
    # A dictionary of one long text, or views of one, would fill the memory when they are unpacked.
    long = pa.array(["x" * 500_000])
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), long)
    view = struct.pack("<i4sii", 500_000, b"xxxx", 0, 0) * 1000
    parts = [None, pa.py_buffer(view), pa.py_buffer(b"x" * 500_000)]
    views = pa.Array.from_buffers(pa.string_view(), 1000, parts)
    for column in (cells, views):
        sink = pa.BufferOutputStream()
        batch = pa.record_batch({"country": column})
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        body = sink.getvalue().to_pybytes()
        assert service.post("/predict", content=body, headers=arrow).status_code == 413
    with scoring(model, limits=Limits(seconds=1e-6)) as hurried:
        reply = hurried.post("/predict", json={"records": NEW.to_dicts()})
        assert reply.status_code in (408, 503)
    with scoring(model, limits=Limits(workers=1, max_waiting=-1)) as busy:
        reply = busy.post("/predict", json={"records": NEW.to_dicts()})
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")


@hypothesis.settings(max_examples=60, deadline=None, database=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))  # fmt: skip
@hypothesis.given(changes=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)),
                                   min_size=1, max_size=4))  # fmt: skip
def test_damaged_arrow_streams_are_refused_or_read(
    service: httpx.Client, changes: list[tuple[int, int]]
) -> None:
    body = bytearray(as_stream(NEW.head(5)))
    for place, value in changes:
        body[place % len(body)] = value
    reply = service.post("/predict", content=bytes(body), headers={"Content-Type": ARROW})
    assert reply.status_code < 500


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1, 2], pa.timestamp("s", tz="Nowhere/Mars")),
        pa.array([(1, 2, 3), (1, 2, 3)], pa.month_day_nano_interval()),
        pa.array([1, 2], pa.decimal256(60, 2)),
        pa.array([[1], [2]], pa.list_(pa.decimal256(60, 2))),
    ],
    ids=["zone", "interval", "decimal256", "list"],
)
def test_rare_types_of_arrow_are_refused(service: httpx.Client, cells: pa.Array) -> None:
    table = NEW.head(2).to_arrow().drop_columns("amount").append_column("amount", cells)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    reply = service.post("/predict", content=sink.getvalue(), headers={"Content-Type": ARROW})
    assert reply.status_code == 400
    assert reply.json()["error"]["kind"] == "invalid"


def test_a_panic_is_an_error_like_others(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*_: Any, **__: Any) -> None:
        raise pl.exceptions.PanicException("out of order")

    monkeypatch.setattr(Model, "decide", panic)
    with scoring(model) as service:
        reply = service.post("/predict", json={"records": NEW.head(1).to_dicts()})
        assert reply.status_code == 500
        assert reply.json()["error"]["kind"] == "unexpected"
        # The connection ends with such a reply, and the service goes on.
        assert httpx.get(f"{service.base_url}/health").status_code == 200


@pytest.mark.parametrize("day", [20240301, 1709251200, 20240301.5, True])
def test_numbers_are_no_dates(day: Any) -> None:
    rows = payments(60).with_columns(
        pl.Series("day", [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)])
    )
    table = as_table(rows, target="class", id="payment")
    with scoring(train_model(table, method="kernel", validate=False)) as service:
        record = rows.drop("class").to_dicts()[0]
        assert service.post("/predict", json={"records": [record]}).status_code == 200
        reply = service.post("/predict", json={"records": [{**record, "day": day}]})
        assert reply.status_code == 400
        assert f"one is '{str(day).lower()}'" in reply.json()["error"]["message"]


def test_a_cell_that_is_no_number_is_shown_whole(service: httpx.Client) -> None:
    record = NEW.to_dicts()[0]
    for cell in ("1,5", "x]"):
        reply = service.post("/predict", json={"records": [{**record, "amount": cell}]})
        assert reply.status_code == 400
        assert f"one cell is {cell!r}" in reply.json()["error"]["message"]


def test_a_threshold_is_a_number(service: httpx.Client) -> None:
    body = {"records": NEW.head(1).to_dicts()}
    for wrong in ("nan", "-NaN", "x", "recall=nan"):
        reply = service.post("/predict", params={"threshold": wrong}, json=body)
        assert reply.status_code == 400
        assert wrong in reply.json()["error"]["message"]


def test_browsers_of_other_sites_are_refused(service: httpx.Client) -> None:
    body = {"records": NEW.head(1).to_dicts()}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert service.post("/predict", json=body, headers=headers).status_code == 403
    assert service.get("/schema", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert service.get("/schema", headers={"Host": "evil.example"}).status_code == 421
    plain = service.post(
        "/predict", content=json.dumps(body), headers={"Content-Type": "text/plain"}
    )
    assert plain.status_code == 415


def test_a_token_is_needed_where_others_come_in(model: Model) -> None:
    with pytest.raises(ValueError, match="token"):
        ScoringServer(model, host="0.0.0.0")
    with pytest.raises(ValueError, match="token"):
        make_scoring_app(model)
    with scoring(model, token=TOKEN) as service:
        body = {"records": NEW.head(1).to_dicts()}
        assert service.get("/health").status_code == 200
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            assert service.post("/predict", json=body, headers=headers).status_code == 401
            assert service.get("/metrics", headers=headers).status_code == 401
            assert service.get("/openapi.json", headers=headers).status_code == 401
        own = {"Authorization": f"Bearer {TOKEN}"}
        assert service.post("/predict", json=body, headers=own).status_code == 200


def test_models_of_images_are_not_served(model: Model) -> None:
    import copy

    images = copy.copy(model)
    images.manifest = {**model.manifest, "id": "file", "target": "folder"}
    images.encoder = copy.copy(model.encoder)
    images.encoder.schema_ = {"p_1": "number"}
    with pytest.raises(ModelError, match="images"):
        ScoringServer(images)


def test_no_request_of_the_description_breaks_the_service(service: httpx.Client) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    description = service.get("/openapi.json").json()
    assert {"/predict", "/schema", "/health", "/metrics"} <= set(description["paths"])
    broken: list[str] = []
    for result in schemathesis.openapi.from_dict(description).get_all_operations():
        operation = result.ok()

        @hypothesis.settings(max_examples=25, deadline=None, database=None, derandomize=True,
                             suppress_health_check=list(hypothesis.HealthCheck))  # fmt: skip
        @hypothesis.given(case=operation.as_strategy())
        def send(case: Any) -> None:
            kind = case.media_type or "application/json"
            body = case.body
            if isinstance(body, (dict, list, str, int, float)) and kind == "application/json":
                body = json.dumps(body).encode()
            reply = service.request(
                case.method, case.formatted_path, params=dict(case.query or {}),
                content=body if isinstance(body, bytes) else None, headers={"Content-Type": kind},
            )  # fmt: skip
            if reply.status_code >= 500:
                broken.append(f"{case.method} {case.formatted_path} {reply.status_code}")

        send()
    assert broken == []
