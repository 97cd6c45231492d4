"""What a person does at the page, alone: label, look back, search, own the project."""

from __future__ import annotations

import base64
import io
import json
import time
from pathlib import Path

import polars as pl
import pytest

from rarebit.server import PageServer
from tests.server.served import FRAUD, N_ROWS, Browser, P, served, until, write_payments


def test_answers_are_stored_and_the_next_rows_come_with_the_reply(
    me: Browser, server: PageServer
) -> None:
    hand = me.ask(3)
    row = hand["front"][0]
    body = {"row": row, "label": "ok", "key": "first", "tab": "tab", "want": 3, "have": []}
    reply = me.post(f"{P}/answers", json=body).json()
    assert reply["saved"]["what"] == "label"
    assert row not in reply["front"]
    desk = server.office.places["payments"].desk
    assert desk is not None
    assert desk.store.answers_of(row)[""].label == "ok"
    again = me.post(f"{P}/answers", json=body).json()
    assert again["saved"]["number"] == reply["saved"]["number"]
    other = me.post(f"{P}/answers", json={**body, "label": "fraud"})
    assert other.status_code == 409


def test_nothing_before_the_answer_says_why_a_row_is_asked(me: Browser) -> None:
    me.label(30)
    hand = me.ask(5)
    row = hand["front"][0]
    for question in hand["questions"]:
        names = set(question)
        assert names == {"row", "id", "title", "text", "text_name", "cells", "images", "opinion",
                         "highlights", "note"}  # fmt: skip
        assert question["opinion"] is None
    assert me.get(f"{P}/rows/{row}/why").status_code == 403
    assert me.get(f"{P}/rows/{row}/history").json() == {"events": []}
    shown = me.get(f"{P}/rows/{row}").json()
    assert shown["answers"] == []
    assert "reason" not in json.dumps(shown)
    found = me.get(f"{P}/answers", params={"limit": 500}).json()["answers"]
    assert row not in {each["row"] for each in found}


def test_audits_look_like_every_other_row(tmp_path: Path) -> None:
    file = write_payments(tmp_path)
    with served(file, goal="find", recall=0.5, rare=["fraud"]) as server, Browser(server) as me:
        me.come_in()
        desk = server.office.places["payments"].desk
        assert desk is not None
        audits = 0
        for _ in range(250):
            hand = me.ask(2)
            if hand["done"]:
                break
            row = hand["front"][0]
            if desk.board.asked[row].reason == "audit":
                audits += 1
                for path in ("/questions?tab=tab&n=2", f"/rows/{row}", f"/rows/{row}/history"):
                    assert "audit" not in me.get(P + path).text
                assert me.get(f"{P}/rows/{row}/why").status_code == 403
            name = "fraud" if FRAUD[row] else "ok"
            body = {"row": row, "label": name, "key": f"audit {row}", "tab": "tab", "want": 2}
            reply = me.post(f"{P}/answers", json=body)
            assert "audit" not in reply.text.replace('"key": "audit', "")
            if audits >= 3:
                break
        assert audits >= 3
        proved = me.wait_until_learned()["guarantee"]
        assert proved["audits"] >= 1
        assert 0 <= proved["recall_min"] <= 1
        assert me.get(f"{P}/forecast", params={"recall": 0.5}).json()["sentence"]


def test_why_is_told_after_the_answer(me: Browser) -> None:
    row = me.label(20)[-1]
    me.wait_until_learned()
    until(lambda: me.get(f"{P}/rows/{row}/why").json()["opinion"] is not None)
    why = me.get(f"{P}/rows/{row}/why").json()
    assert why["reason"] in ("border", "explore", "harvest", "random", "start", "random-start")
    assert why["neighbours"]
    assert why["pushes"]
    assert why["learned"]
    cells = me.get(f"{P}/rows/{row}").json()["row"]["cells"]
    known = {f"{cell['name']} is {cell['shown']}" for cell in cells}
    assert {push["said"] for push in why["pushes"]} <= known
    assert any(said.startswith("country is ") for said in known)


def test_skip_note_and_undo(me: Browser) -> None:
    row = me.ask()["front"][0]
    skipped = me.post(
        f"{P}/skips", json={"row": row, "key": "s", "tab": "tab", "reason": "unsure", "want": 2}
    )
    assert skipped.json()["saved"]["what"] == "skip"
    noted = me.post(f"{P}/notes", json={"row": row, "key": "n", "note": "<b>odd</b>"})
    assert noted.status_code == 200
    undone = me.post(f"{P}/undos", json={"n": 1, "key": "u", "tab": "tab", "want": 2}).json()
    assert undone["undone"] == [{"row": row, "id": f"T-{row}", "label": None, "again": None}]
    assert undone["front"][0] == row
    assert undone["questions"][0]["note"] == "<b>odd</b>"
    kinds = [each["what"] for each in me.get(f"{P}/rows/{row}/history").json()["events"]]
    assert kinds == ["skip", "note", "undo"]


def test_two_tabs_have_different_rows(me: Browser) -> None:
    first, second = (me.ask(3, tab)["front"] for tab in ("one", "two"))
    assert not set(first) & set(second)
    beat = me.post(f"{P}/heartbeats", json={"tab": "one", "rows": [*first, second[0]]}).json()
    assert beat == {"kept": first, "lost": [second[0]]}
    assert me.post(f"{P}/releases", json={"tab": "one"}).json() == {"released": len(first)}


def test_a_new_class_is_made_while_labelling(me: Browser) -> None:
    row = me.ask()["front"][0]
    reply = me.post(f"{P}/answers", json={"row": row, "label": "refund", "key": "new"}).json()
    assert reply["saved"]["new_class"]
    names = [each["name"] for each in me.get(f"{P}/settings").json()["classes"]]
    assert "refund" in names
    me.post(f"{P}/undos", json={"key": "not new"})


def test_status_progress_and_map(me: Browser) -> None:
    me.label(10)
    status = me.wait_until_learned()
    assert status["labels"] == sum(each["labelled"] for each in status["classes"])
    assert status["curve"][-1]["labels"] == status["labels"]
    assert status["time_per_label"]["median_seconds"] > 0
    until(lambda: me.get(f"{P}/map").json()["score"] is not None)
    drawn = me.get(f"{P}/map").json()
    assert len(drawn["row"]) == len(drawn["x"]) == len(drawn["label"]) == N_ROWS
    assert len(drawn["grid"]["score"]) == drawn["grid"]["nx"] * drawn["grid"]["ny"]
    assert me.get("/api/status").json()["labels"] == status["labels"]
    assert me.get("/api/status", params={"project": "none"}).status_code == 404


def test_answers_are_filtered_and_corrected(me: Browser) -> None:
    rows = me.label(25)
    wrong = next(row for row in rows if not FRAUD[row])
    me.post(f"{P}/corrections", json={"row": wrong, "label": "fraud", "key": "wrong"})
    me.wait_until_learned()
    found = me.get(f"{P}/answers", params={"class": "fraud", "limit": 500}).json()
    assert wrong in {each["row"] for each in found["answers"]}
    doubtful = me.get(f"{P}/answers", params={"disagrees": "true"}).json()
    assert all(each["model"] != each["label"] for each in doubtful["answers"])
    doubts = [each["doubt"] for each in doubtful["answers"]]
    assert doubts == sorted(doubts, reverse=True)
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 3600))
    assert me.get(f"{P}/answers", params={"since": since}).json()["total"] == 0
    me.post(f"{P}/corrections", json={"row": wrong, "label": "ok", "key": "right"})


def test_search_finds_rows_that_can_be_labelled(me: Browser) -> None:
    body = {"words": "t-17", "where": [{"column": "amount", "op": ">", "value": -9}]}
    found = me.post(f"{P}/searches", json=body).json()
    assert {each["id"] for each in found["rows"]} == {"T-17", *(f"T-17{i}" for i in range(10))}
    best = me.post(f"{P}/searches", json={"sort": "score", "limit": 5}).json()["rows"]
    assert [each["score"] for each in best] == sorted((e["score"] for e in best), reverse=True)
    missing = {"where": [{"column": "amount", "op": "missing"}]}
    assert me.post(f"{P}/searches", json=missing).json()["total"] == 0
    unknown = {"where": [{"column": "none", "op": "=", "value": 1}]}
    assert me.post(f"{P}/searches", json=unknown).status_code == 400
    known = {"labels": [{"id": "T-5", "label": "ok"}, {"id": "X", "label": "ok"}], "key": "known"}
    reply = {"stored": 1, "unknown": ["X"], "already": [], "alike": []}
    assert me.post(f"{P}/known", json=known).json() == reply
    known["key"] = "again"
    reply = {"stored": 0, "unknown": ["X"], "already": ["T-5"], "alike": []}
    assert me.post(f"{P}/known", json=known).json() == reply
    assert me.get(f"{P}/rows/5/why").json()["reason"] == "given"
    liked = me.post(f"{P}/like", json={"words": "t-29", "n": 3, "key": "like"}).json()
    assert liked["queued"] >= 1


def test_settings_are_versioned(me: Browser) -> None:
    before = me.get(f"{P}/settings").json()
    change = {
        "version": before["version"], "guidelines": "Look twice.", "overlap": 0.1,
        "classes": [{"name": "ok", "key": "o", "colour": "#00ff00"}, {"name": "fraud"}],
    }  # fmt: skip
    after = me.put(f"{P}/settings", json=change).json()
    assert after["guidelines"] == "Look twice."
    assert after["classes"][0] == {"name": "ok", "key": "o", "colour": "#00ff00"}
    assert me.put(f"{P}/settings", json=change).status_code == 409
    extra = {"version": after["version"], "seed": 7}
    assert me.put(f"{P}/settings", json=extra).status_code == 422
    assert after["stop"] == "auto"
    wrong = {"version": after["version"], "stop": "sometimes"}
    assert me.put(f"{P}/settings", json=wrong).status_code == 422
    on = me.put(f"{P}/settings", json={"version": after["version"], "stop": "never"}).json()
    assert on["stop"] == "never"


def test_undoing_a_correction_says_which_label_stands_again(tmp_path: Path) -> None:
    with served(write_payments(tmp_path)) as own, Browser(own) as me:
        me.come_in()
        me.post(f"{P}/answers", json={"row": 1, "label": "fraud", "key": "a"})
        me.post(f"{P}/corrections", json={"row": 1, "label": "ok", "key": "c"})
        for key, again in (("u", "fraud"), ("v", None)):
            undone = me.post(f"{P}/undos", json={"tab": "t", "n": 1, "key": key}).json()["undone"]
            assert [(each["row"], each["again"]) for each in undone] == [(1, again)]


def test_classes_with_labels_are_neither_renamed_nor_removed(tmp_path: Path) -> None:
    with served(write_payments(tmp_path)) as own, Browser(own) as me:
        me.come_in()
        for i, name in enumerate(("ok", "fraud", "dear")):
            body = {"row": i, "label": name, "key": f"k{i}"}
            assert me.post(f"{P}/answers", json=body).is_success
        before = me.get(f"{P}/settings").json()
        kept = [each for each in before["classes"] if each["name"] != "fraud"]
        renamed = [*kept, {"name": "scam", "key": "9", "colour": "#000000"}]
        for classes in (kept, renamed):
            change = {"version": before["version"], "classes": classes, "guidelines": "Look."}
            refused = me.put(f"{P}/settings", json=change)
            assert refused.status_code == 400
            assert "'fraud' has 1 label, so that it can be neither renamed" in refused.text
        after = me.get(f"{P}/settings").json()
        names = ("version", "classes", "guidelines")  # other parts follow the learner
        assert [after[name] for name in names] == [before[name] for name in names]
        me.post(f"{P}/corrections", json={"row": 1, "label": "ok", "key": "c"})
        change = {"version": before["version"], "classes": kept}
        after = me.put(f"{P}/settings", json=change).json()
        assert [each["name"] for each in after["classes"]] == ["ok", "dear"]


def test_no_two_classes_have_one_colour(tmp_path: Path) -> None:
    with served(write_payments(tmp_path)) as own, Browser(own) as me:
        me.come_in()
        version = me.get(f"{P}/settings").json()["version"]
        classes = [{"name": name} for name in ("a", "b", "c")]
        first = me.put(f"{P}/settings", json={"version": version, "classes": classes}).json()
        taken = [each["colour"] for each in first["classes"]]
        turned = [{"name": "z"}, {"name": "c", "colour": taken[0]}, {"name": "y"}]
        change = {"version": first["version"], "classes": turned}
        then = me.put(f"{P}/settings", json=change).json()
        colours = [each["colour"] for each in then["classes"]]
        assert len(set(colours)) == 3
        assert colours[1] == taken[0]


def test_rare_classes_are_named_and_checked(me: Browser) -> None:
    before = me.get(f"{P}/settings").json()
    assert before["rare"] == before["normal"] == []
    version = before["version"]
    both = {"version": version, "rare": ["fraud"], "normal": ["ok"]}
    refused = me.put(f"{P}/settings", json=both)
    assert refused.status_code == 400
    assert "give one of them" in refused.text
    for wrong in (None, "fraud", [""], [7]):
        assert me.put(f"{P}/settings", json={"version": version, "rare": wrong}).status_code == 422
    named = me.put(f"{P}/settings", json={"version": version, "rare": ["fraud"]}).json()
    assert (named["rare"], named["normal"]) == (["fraud"], [])
    turned = me.put(f"{P}/settings", json={"version": named["version"], "normal": ["usual"]}).json()
    assert (turned["rare"], turned["normal"]) == ([], ["usual"])
    keys = {each["name"]: each["key"] for each in turned["classes"]}
    assert keys.pop("usual") not in ("", *keys.values())  # before any row has the class
    free = me.put(f"{P}/settings", json={"version": turned["version"], "normal": []}).json()
    assert free["rare"] == free["normal"] == []


def test_labels_go_in_and_out(me: Browser) -> None:
    content = base64.b64encode(b"id,label\nT-250,ok\nT-251,fraud\n").decode()
    body = {"key": "in", "name": "../../labels.csv", "base64": content}
    first = me.post(f"{P}/imports", json=body).json()
    # Rows are dealt at random at first, so that others of this file may have had one of these.
    assert (first["stored"] + first["already"], first["left_out"]) == (2, 0)
    told = {"stored": 0, "left_out": 0, "already": 2, "alike": []}
    assert me.post(f"{P}/imports", json=body).json() == told
    bad = base64.b64encode(b"id,label\nNOBODY,ok\n").decode()
    assert me.post(f"{P}/imports", json={**body, "key": "b", "base64": bad}).status_code == 400
    reply = me.get(f"{P}/exports/labels.csv")
    assert reply.headers["content-disposition"] == 'attachment; filename="payments.labels.csv"'
    assert "sandbox" in reply.headers["content-security-policy"]
    frame = pl.read_csv(io.BytesIO(reply.content))
    assert frame.filter(pl.col("id") == "T-251")["label"].to_list() == ["fraud"]
    details = me.get(f"{P}/exports/labels.jsonl", params={"details": "true"}).text.splitlines()
    assert {"reason", "annotator", "at"} <= set(json.loads(details[0]))
    assert me.get(f"{P}/exports/labels.parquet").content[:4] == b"PAR1"


def test_model_report_and_ranked_list(me: Browser) -> None:
    me.label(10)
    me.wait_until_learned()
    until(lambda: me.get(f"{P}/exports/ranked.csv").status_code == 200)
    ranked = pl.read_csv(io.BytesIO(me.get(f"{P}/exports/ranked.csv").content))
    assert ranked.height == N_ROWS
    assert ranked["state"][0] == "found"
    assert me.get(f"{P}/exports/model.rarebit").status_code == 200
    report = me.get(f"{P}/exports/report.html")
    assert report.headers["content-disposition"].startswith("attachment")
    assert me.get(f"{P}/exports/passwd").status_code == 422


def test_a_simulation_runs_beside_the_page(me: Browser) -> None:
    body = {"column": "country", "max_labels": 20, "key": "try"}
    job = me.post(f"{P}/simulations", json=body).json()["job"]
    until(lambda: me.get(f"{P}/simulations/{job}").json()["state"] != "running")
    found = me.get(f"{P}/simulations/{job}").json()
    assert found["state"] == "done", found
    assert found["result"]["labels"] == 20
    assert {each["class"] for each in found["result"]["classes"]} == {"DE", "FR", "IT"}
    assert me.get(f"{P}/simulations").json()["job"] == found  # for who left the view meanwhile
    nothing = {"column": "none", "max_labels": 20, "key": "no"}
    assert me.post(f"{P}/simulations", json=nothing).status_code == 400


def test_the_scope_of_the_model_is_told(tmp_path: Path) -> None:
    with served(write_payments(tmp_path), rare=("fraud",)) as server, Browser(server) as me:
        me.come_in()

        def scope(*names: str) -> str:
            labels = [{"id": f"T-{i}", "label": name} for i, name in enumerate(names)]
            body = {"labels": labels, "key": " ".join(names)}
            assert me.post(f"{P}/known", json=body).status_code == 200
            return str(me.get(f"{P}/settings").json()["model_sentence"])

        assert scope("ok") == "A model needs labels of two classes."
        assert scope("ok", "late") == "A model needs labels of a rare class."
        assert scope("ok", "fraud") == "The model tells 'fraud' from 'ok'."
        assert scope("ok", "fraud", "late") == "The model tells 'fraud' from the rest."
        settings = me.get(f"{P}/settings").json()
        change = {"version": settings["version"], "rare": ["fraud", "late"]}
        told = me.put(f"{P}/settings", json=change).json()["model_sentence"]
        assert told == "The model tells 'fraud' or 'late' from 'ok', and says which of them it is."
        change = {"version": settings["version"] + 1, "rare": []}
        told = me.put(f"{P}/settings", json=change).json()["model_sentence"]
        assert told == "The model tells 'ok', 'late' and 'fraud' apart."


def test_a_simulation_is_of_the_rare_classes_of_the_project(tmp_path: Path) -> None:
    with served(write_payments(tmp_path), rare=("FR", "IT")) as server, Browser(server) as me:
        me.come_in()
        assert me.get(f"{P}/simulations").json() == {"job": None}
        body = {"column": "country", "max_labels": 20, "key": "try"}
        job = me.post(f"{P}/simulations", json=body).json()["job"]
        until(lambda: me.get(f"{P}/simulations/{job}").json()["state"] != "running")
        result = me.get(f"{P}/simulations/{job}").json()["result"]
    assert result["rare_classes"] == ["FR", "IT"]
    rows = {each["class"]: each["rows"] for each in result["classes"] if each["rare"]}
    assert result["rare_rows"] == sum(rows.values())
    found = result["curve"][-1]["rare_found"]
    total = f"{found} of {result['rare_rows']} rows of the rare classes 'FR' and 'IT' would"
    assert total in result["sentence"]


def test_live_events_tell_of_answers(me: Browser) -> None:
    with me.stream("GET", f"{P}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(lines) == "event: status"
        assert "labels" in json.loads(next(lines).removeprefix("data: "))


def test_rows_are_added_and_stay(tmp_path: Path) -> None:
    file = write_payments(tmp_path)
    more = pl.read_csv(file).head(10).with_columns(pl.format("X-{}", pl.col("id")).alias("id"))
    content = base64.b64encode(more.write_csv().encode()).decode()
    with served(file) as server, Browser(server) as me:
        me.come_in().label(3)
        reply = me.post(f"{P}/rows", json={"key": "r", "name": "more.csv", "base64": content})
        assert reply.json() == {"added": 10, "rows": N_ROWS + 10}
        assert (tmp_path / "payments.rows-1.csv").exists()
        again = me.post(f"{P}/rows", json={"key": "s", "name": "more.csv", "base64": content})
        assert again.status_code == 400  # ids that are there already
        assert not (tmp_path / "payments.rows-2.csv").exists()


@pytest.mark.parametrize("kind", ["db", "jsonl"])
def test_a_server_that_starts_again_continues(tmp_path: Path, kind: str) -> None:
    file = write_payments(tmp_path)
    store = str(tmp_path / f"answers.{kind}")
    with served(file, store=store) as server, Browser(server) as me:
        rows = me.come_in().label(5)
    with served(file, store=store) as server, Browser(server) as me:
        assert me.come_in().get(f"{P}/status").json()["labels"] == 5
        assert me.ask()["front"][0] not in rows


def test_data_that_nothing_can_be_learned_from_are_told_on_the_page(tmp_path: Path) -> None:
    file = tmp_path / "payments.csv"
    file.write_text("id,same\n" + "".join(f"T-{i},1\n" for i in range(30)))
    with served(file) as server, Browser(server) as me:
        me.come_in()
        place = server.office.places["payments"]
        until(lambda: place.state == "failed")
        reply = me.get(f"{P}/questions", params={"tab": "tab", "n": 1})
        assert reply.status_code == 409
        assert "can be learned from" in reply.text
        (shown,) = me.get("/api/projects").json()["projects"]
        assert shown["state"] == "failed"
        assert "can be learned from" in shown["message"]


def test_small_pictures_are_enlarged_smoothly(tmp_path: Path) -> None:
    """Between two pixels lie shades, so that people see strokes and no squares."""
    image = pytest.importorskip("PIL.Image", reason="pictures need Pillow")
    step = image.new("L", (8, 8))
    step.paste(255, (4, 0, 8, 8))
    step.save(tmp_path / "step.png")
    file = tmp_path / "payments.csv"
    pl.DataFrame({"id": [str(i) for i in range(60)], "scan": ["step.png"] * 60,
                  "n": [float(i % 7) for i in range(60)]}).write_csv(file)  # fmt: skip
    with served(file) as server, Browser(server) as me:
        me.come_in().ask()
        large = image.open(io.BytesIO(me.get(f"{P}/rows/0/images/0?size=256").content))
        assert large.size == (256, 256)
        across = large.crop((0, 128, 256, 129)).tobytes()
        assert (across[0], across[-1]) == (0, 255)
        assert sum(0 < shade < 255 for shade in across) > 16
