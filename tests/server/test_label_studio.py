"""The Label Studio backend without Label Studio; `make test-label-studio` has the real one."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest
from PIL import Image

from rarebit.server.label_studio import (
    Backend,
    BackendServer,
    LabelStudio,
    LabelStudioError,
    kept_secret,
    read_config,
)
from tests.label_studio.studio import CONFIG, FIELDS, payments, reviews
from tests.server.served import until

SECRET = "0123456789abcdef0123456789abcdef"


class Recorded(LabelStudio):
    """A project whose tasks are given, and that keeps what is pushed to it."""

    def __init__(self, tasks: list[dict[str, Any]], config: str = CONFIG) -> None:
        super().__init__("http://127.0.0.1:1", 7, "token")
        self.given = [{"id": i + 101, "annotations": [], **task} for i, task in enumerate(tasks)]
        self.label_config = config
        self.predictions: dict[str, list[dict[str, Any]]] = {}
        self.changes: list[dict[str, Any]] = []
        self.now: dict[str, Any] = {"sampling": "Uncertainty sampling"}

    def settings(self) -> dict[str, Any]:
        return {"label_config": self.label_config, **self.now}

    def tasks(self) -> list[dict[str, Any]]:
        return json.loads(json.dumps(self.given))  # type: ignore[no-any-return]

    def push(self, predictions: list[dict[str, Any]]) -> None:
        self.predictions[predictions[0]["model_version"]] = predictions

    def change(self, **settings: Any) -> None:
        self.changes.append(settings)
        self.now.update(settings)

    def versions(self) -> list[str]:
        return list(self.predictions)

    def drop_predictions(self, version: str) -> None:
        del self.predictions[version]

    def annotate(self, task: int, label: str, number: int, **more: Any) -> dict[str, Any]:
        made = annotation(task, label, number, **more)
        place = next(each for each in self.given if each["id"] == task)
        place["annotations"] = [each for each in place["annotations"] if each["id"] != number] + [
            made
        ]
        return made


def annotation(task: int, label: str, number: int, **more: Any) -> dict[str, Any]:
    value = {"from_name": "kind", "to_name": "review", "type": "choices",
             "value": {"choices": [label]}}  # fmt: skip
    return {"id": number, "task": task, "result": [value], "was_cancelled": False, **more}


@contextmanager
def backend(studio: LabelStudio, folder: Path) -> Iterator[Backend]:
    made = Backend(studio, str(folder / "labels.db"), folder / "images")
    try:
        yield made
    finally:
        made.close()


def labels(made: Backend) -> dict[str, Any]:
    return {str(made.desk.table.ids[row]): label for row, label in made.desk.board.labels.items()}


def test_webhooks_become_answers_corrections_and_undoing(tmp_path: Path) -> None:
    studio = Recorded(reviews(40, 6)[0])
    with backend(studio, tmp_path) as made:
        made.hear({"action": "ANNOTATION_CREATED", "annotation": annotation(101, "ok", 1)})
        made.hear({"action": "ANNOTATION_CREATED", "annotation": annotation(101, "ok", 1)})
        many = [annotation(102, "ok", 2), annotation(103, "fraud", 3)]
        made.hear({"action": "ANNOTATIONS_CREATED", "annotation": many})
        assert labels(made) == {"101": "ok", "102": "ok", "103": "fraud"}
        assert len(made.desk.board.answers.by_annotator()) == 3
        made.hear({"action": "ANNOTATION_UPDATED", "annotation": annotation(101, "fraud", 1)})
        made.hear({"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 2}, {"id": 99}]})
        skipped = annotation(104, "ok", 4, was_cancelled=True)
        made.hear({"action": "ANNOTATION_CREATED", "annotation": skipped})
        assert labels(made) == {"101": "fraud", "103": "fraud"}
        assert made.status()["skipped"] == 1
        made.hear({"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 1}]})
        assert labels(made) == {"103": "fraud"}  # the correction and what it corrected are gone
        unknown = {"id": 5, "task": 9999}
        for strange in (
            {},
            {"action": "START_TRAINING"},
            {"action": "ANNOTATION_CREATED"},
            {"action": "ANNOTATIONS_DELETED", "annotations": [None, {"id": "x"}]},
            {"action": "ANNOTATION_CREATED", "annotation": unknown},
            {"action": "ANNOTATION_CREATED", "annotation": [3, {"task": 101}]},
        ):
            made.hear(strange)
        assert labels(made) == {"103": "fraud"}


def test_what_happened_while_nobody_listened_is_taken_over(tmp_path: Path) -> None:
    studio = Recorded(reviews(40, 6)[0])
    for number in range(1, 5):
        studio.annotate(100 + number, "ok", number)
    with backend(studio, tmp_path) as made:
        assert len(labels(made)) == 4
    studio.annotate(101, "fraud", 1)
    studio.given[1]["annotations"] = []
    studio.annotate(110, "fraud", 9)
    with backend(studio, tmp_path) as made:
        assert labels(made) == {"101": "fraud", "103": "ok", "104": "ok", "110": "fraud"}
        # An answer that came after the export was made stays.
        before = studio.tasks()
        made.hear({"action": "ANNOTATION_CREATED", "annotation": annotation(120, "ok", 20)})
        studio.tasks = lambda: before  # type: ignore[method-assign]
        known = made._known() - {"annotation 20"}
        made._take_all(before, known)
        assert labels(made)["120"] == "ok"


def test_new_tasks_are_rows_and_answers_stay(tmp_path: Path) -> None:
    studio = Recorded(reviews(40, 6)[0])
    with backend(studio, tmp_path) as made:
        made.hear({"action": "ANNOTATION_CREATED",
                   "annotation": studio.annotate(105, "ok", 1)})  # fmt: skip
        studio.given += [{"id": 500, "annotations": [], "data": {"review": "one more of them all"}}]
        made.reconcile()
        assert made.status()["rows"] == 41
        assert labels(made) == {"105": "ok"}


def test_the_order_is_pushed_with_its_version(tmp_path: Path) -> None:
    tasks, truth = payments(120, 12)
    studio = Recorded(tasks, FIELDS)
    with backend(studio, tmp_path) as made:
        made.start()
        rare = 0
        for number in range(20):
            until(lambda number=number: made.status()["pushed"]  # type: ignore[misc]
                  and made.status()["labels"] == number)  # fmt: skip
            front = studio.predictions[made.version]
            assert [each["score"] for each in front] == sorted(each["score"] for each in front)
            task = front[0]["task"]
            label = truth[studio.given[task - 101]["data"]["payment"]]
            rare += label == "fraud"
            made.hear({"action": "ANNOTATION_CREATED",
                       "annotation": studio.annotate(task, label, number)})  # fmt: skip
        assert rare >= 4
        assert studio.changes[-1] == {"model_version": made.version}
        assert list(studio.predictions) == [made.version]
        replies = made.predict([{"id": studio.predictions[made.version][0]["task"]}, {"id": 1}, 5])
        assert [each["score"] for each in replies] == [0.0, 1.0, 1.0]
        chosen = replies[0]["result"][0]
        assert chosen["type"] == "choices"
        assert chosen["value"]["choices"][0] in ("ok", "fraud")


def test_an_order_that_people_turn_off_is_pushed_again(tmp_path: Path) -> None:
    studio, said = Recorded(reviews(40, 6)[0]), list[str]()
    made = Backend(studio, str(tmp_path / "labels.db"), tmp_path / "images", say=said.append)
    try:
        made.start()
        until(lambda: bool(studio.changes) and made.status()["pushed"])
        first = made.version
        # Label Studio's page takes the version away when prelabelling is switched off.
        studio.now.update(model_version="", sampling="Sequential sampling")
        project = {"id": 7, **studio.settings()}
        made.hear({"action": "PROJECT_UPDATED", "project": project})
        until(lambda: made.version != first and studio.now["model_version"] == made.version)
        until(lambda: list(studio.predictions) == [made.version])
        made.reconcile()
        assert len(said) == 1  # told once
        assert "'Sequential sampling'" in said[0]
        assert "--connect" in said[0]
    finally:
        made.close()


class Forgetful(Recorded):
    """A project that loses a change: somebody else writes it back at the same time."""

    def __init__(self, n_lost: int) -> None:
        super().__init__(reviews(20, 4)[0])
        self.n_lost = n_lost
        self.now["sampling"] = "Sequential sampling"

    def connect(self, address: str, title: str) -> None:
        pass

    def change(self, **settings: Any) -> None:
        self.n_lost -= 1
        if self.n_lost < 0:
            super().change(**settings)


def test_the_sampling_is_set_until_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with backend(Forgetful(2), tmp_path) as made:
        monkeypatch.setattr(made._ended, "wait", lambda seconds: False)
        made.connect("http://127.0.0.1:2/x")
        assert made._studio.settings()["sampling"] == "Uncertainty sampling"
    with backend(Forgetful(100), tmp_path) as made:
        monkeypatch.setattr(made._ended, "wait", lambda seconds: False)
        with pytest.raises(LabelStudioError, match="does not keep"):
            made.connect("http://127.0.0.1:2/x")


def test_images_come_from_label_studio_only(tmp_path: Path) -> None:
    config = ('<View><Image name="i" value="$image"/><Choices name="kind" toName="i">'
              '<Choice value="a"/><Choice value="b"/></Choices></View>')  # fmt: skip
    tasks = [{"data": {"image": f"/data/upload/1/{i}.png"}} for i in range(12)]

    class WithImages(Recorded):
        def file(self, path: str) -> bytes:
            if not path.startswith("/data/"):
                return super().file(path)
            place = tmp_path / "made.png"
            Image.new("L", (24, 24), 20 * (int(Path(path).stem) % 5) + 40).save(place)
            return place.read_bytes()

    with backend(WithImages(tasks, config), tmp_path) as made:
        assert made.desk.table.n_rows == 12
        assert made.desk.table.ids[0] == "101"
    foreign = WithImages([{"data": {"image": "http://evil.example/a.png"}}], config)
    with pytest.raises(LabelStudioError, match="from elsewhere"):
        Backend(foreign, str(tmp_path / "b.db"), tmp_path / "other")


@pytest.mark.parametrize(
    "text",
    ["<View>", "<View/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><View/>", "<View>" + " " * (1 << 20)],
)
def test_configs_without_choices_are_refused(text: str) -> None:
    with pytest.raises(LabelStudioError):
        read_config(text)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackendServer]:
    with backend(Recorded(reviews(40, 6)[0]), tmp_path_factory.mktemp("studio")) as made:
        server = BackendServer(made, SECRET)
        thread = threading.Thread(target=server.run)
        thread.start()
        yield server
        server.stop()
        thread.join(300.0)


def test_only_the_secret_path_is_there(served: BackendServer) -> None:
    base = served.address.removesuffix(SECRET)
    health = httpx.get(f"{served.address}/health")
    assert health.json() == {"status": "UP", "model_class": "rarebit"}
    for path in ("", "health", "webhook", f"{SECRET[:-1]}/health", f"{SECRET}x/health",
                 f"x/{SECRET}/health"):  # fmt: skip
        assert httpx.get(base + path).status_code == 404
    event = {"action": "ANNOTATION_CREATED", "annotation": annotation(130, "ok", 50)}
    assert httpx.post(f"{base}webhook", json=event).status_code == 404
    cross = {"Origin": "http://evil.example"}
    assert httpx.post(f"{served.address}/webhook", json=event, headers=cross).status_code == 403
    assert httpx.post(f"{served.address}/webhook", json=event).status_code == 200
    assert labels(served.backend)["130"] == "ok"
    setup = {"project": "7.1", "schema": CONFIG, "hostname": "http://x", "access_token": "t"}
    assert "model_version" in httpx.post(f"{served.address}/setup", json=setup).json()
    assert httpx.get(f"{served.address}/versions").json()["versions"]
    asked = {"tasks": [{"id": 101}, {"id": 102}], "project": "7.1", "params": {}}
    assert len(httpx.post(f"{served.address}/predict", json=asked).json()["results"]) == 2


def test_no_request_breaks_the_backend(served: BackendServer) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    description = httpx.get(f"{served.address}/openapi.json").json()
    assert {"/health", "/setup", "/predict", "/webhook", "/versions"} <= set(description["paths"])
    broken: list[str] = []
    with httpx.Client(base_url=served.address) as client:
        for result in schemathesis.openapi.from_dict(description).get_all_operations():
            operation = result.ok()

            @hypothesis.settings(max_examples=10, deadline=None, database=None, derandomize=True,
                                 suppress_health_check=list(hypothesis.HealthCheck))  # fmt: skip
            @hypothesis.given(case=operation.as_strategy())
            def send(case: Any) -> None:
                body = case.body if isinstance(case.body, dict | list | str | int) else None
                kind = {"Content-Type": "application/json"}
                content = None if body is None else json.dumps(body).encode()
                reply = client.request(case.method, case.formatted_path, content=content,
                                       headers=kind)  # fmt: skip
                if reply.status_code >= 500:
                    broken.append(f"{case.method} {case.formatted_path} {body!r}"[:200])

            send()
    assert broken == []


def test_the_secret_is_kept_and_is_nobody_elses(tmp_path: Path) -> None:
    place = tmp_path / "a.secret"
    first = kept_secret(place)
    assert kept_secret(place) == first
    assert len(first) >= 32
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o600


def test_label_studio_that_is_not_there_is_told() -> None:
    with pytest.raises(LabelStudioError, match="cannot be reached"):
        LabelStudio("http://127.0.0.1:1", 1, "token").settings()
    with pytest.raises(LabelStudioError, match="cannot be reached"):
        LabelStudio("http://127.0.0.1:1", 1, "a.b.c").settings()
