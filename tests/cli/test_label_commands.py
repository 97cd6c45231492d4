"""Answers in and out without questions, several intentions over one file, changed data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.cli import ExitCode, _earlier
from rarebit.cli._earlier import _search
from rarebit.projects import ProjectError, Settings
from rarebit.projects.stores import StoreError, read_history


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    fraud = rng.random(120) < 0.15
    frame = pl.DataFrame(
        {
            "payment": [f"p{i}" for i in range(120)],
            "amount": np.round(rng.normal(size=120) + 4 * fraud, 3),
            "shop": [f"shop {i % 7}" for i in range(120)],
            "kind": np.where(fraud, "fraud", "ok"),
        }
    )
    monkeypatch.chdir(tmp_path)
    frame.write_csv("payments.csv")
    return Path("payments.csv")


SETTINGS = Settings(reading={"id": "payment", "drop": ("kind",)})


def label_some(data: Path, n: int = 5) -> dict[str, str]:
    kinds = dict(pl.read_csv(data).select("payment", "kind").iter_rows())
    with Project.open(data, settings=SETTINGS) as project:
        for _ in range(n):
            question = project.question()
            assert question is not None
            project.answer(question.row, kinds[question.id])
        return {str(project.table.ids[row]): label for row, label in project.labels.items()}


def test_answers_by_hand_and_of_a_column_are_not_mixed(command: Any, data: Path) -> None:
    label_some(data)
    mixed = ["discover", data, "--id", "payment", "--oracle", "kind", "--max-labels", 20]
    refused = command(*mixed)
    assert refused.code == ExitCode.INPUT
    assert "payments.labels.db holds 5 answers given by hand" in refused.error
    assert "--labels column.labels.db" in refused.error
    assert command(*mixed, "--labels", "column.labels.db").code == ExitCode.OK
    assert len(read_history("payments.labels.db").standing()) == 5
    # A person who continues the answers of a column is told where they come from.
    with Project.open(data, store="column.labels.db", settings=SETTINGS) as project:
        assert any("20 answers of column.labels.db came from a column" in n for n in project.notes)


def test_labels_by_hand_are_kept_out_of_the_store_of_a_column(command: Any, data: Path) -> None:
    asked = ["discover", data, "--id", "payment", "--oracle", "kind", "--max-labels", 20]
    assert command(*asked).code == ExitCode.OK
    pl.DataFrame({"payment": ["p7"], "label": ["odd"]}).write_csv("two.csv")
    said = (
        "payments.labels.db holds 20 answers of the column 'kind', and labels given by hand would "
        "be mixed with them: give those a store of their own, such as store='hand.labels.db' in "
        "Python or --labels hand.labels.db in commands."
    )
    for words in (["set", data, "p7", "odd"], ["import", data, "two.csv", "--id", "payment"]):
        refused = command("labels", *words)
        assert refused.code == ExitCode.INPUT
        assert said in " ".join(refused.error.split())
    with (
        Project.open(data, settings={"oracle": "kind", "reading": {"id": "payment"}}) as project,
        pytest.raises(ProjectError, match="of the column 'kind'"),
    ):
        project.import_labels("two.csv")
    assert {event.source for event in read_history("payments.labels.db").standing()} == {"oracle"}
    # The way that the sentence names is one, and the column continues in its own store.
    own = ["labels", "import", data, "two.csv", "--id", "payment", "--labels", "hand.labels.db"]
    assert command(*own).code == ExitCode.OK
    changed = command("labels", "set", data, "p8", "odd", "--labels", "hand.labels.db")
    assert changed.code == ExitCode.OK
    assert command(*asked).code == ExitCode.OK


def test_commands_on_changed_data_say_how_labels_are_taken_over(command: Any, data: Path) -> None:
    asked = ["discover", data, "--id", "payment", "--oracle", "kind", "--max-labels", 20]
    assert command(*asked).code == ExitCode.OK
    text = data.read_text()
    data.write_text(text + "p120,0.5,shop 1,ok\n")
    for words in (["list", data], ["show", data, "p7"], ["set", data, "p7", "ok"]):
        refused = command("labels", *words)
        assert refused.code == ExitCode.INPUT
        said = " ".join(refused.error.split())
        assert (
            ", or run `rarebit discover payments.csv --id payment --oracle kind`, which takes over "
            "the labels of the unchanged rows if rows were changed or added."
        ) in said
    taken = command("discover", data, "--id", "payment", "--oracle", "kind")
    assert "20 labels of unchanged rows kept" in " ".join(taken.err.split())
    assert command("labels", "list", data).code == ExitCode.OK
    # Data of another name are a mistake that no session takes over.
    Path("other.csv").write_text(text)
    other = command("labels", "list", "other.csv", "--labels", "payments.labels.db")
    assert other.code == ExitCode.INPUT
    assert "takes over" not in other.error


def test_earlier_answers_are_listed_searched_and_changed(command: Any, data: Path) -> None:
    labels = label_some(data, 25)
    told = command("labels", "list", data, "--all", "--json").json["answers"]
    assert {row["id"]: row["label"] for row in told} == labels
    text = command("labels", "list", data)
    assert "25 answers; --all shows 5 more." in text.out
    assert "shop" in text.out
    frauds = command("labels", "list", data, "--class", "fraud", "--json").json["answers"]
    assert {row["id"] for row in frauds} == {k for k, v in labels.items() if v == "fraud"}
    shops = command("labels", "list", data, "--search", "SHOP 3", "--json").json["answers"]
    assert {row["id"] for row in shops} == {k for k in labels if int(k[1:]) % 7 == 3}
    name = next(iter(labels))
    changed = command("labels", "set", data, name, "doubtful")
    assert changed.code == ExitCode.OK
    assert f"{name}: doubtful (was '{labels[name]}'), saved in payments.labels.db" in changed.out
    shown = command("labels", "show", data, name, "--json").json
    assert shown["label"] == "doubtful"
    assert [event["what"] for event in shown["events"]] == ["label", "correction"]
    with Project.open(data, settings=SETTINGS) as project:
        assert project.labels[int(name[1:])] == "doubtful"
        assert len(project.labels) == 25
    missing = command("labels", "set", data, "p999", "ok")
    assert missing.code == ExitCode.INPUT
    assert "no row with the id 'p999'" in missing.error


def test_a_search_reads_every_cell_in_full(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [f"{'breast image risk ' * 20}{'asthma' if i == 7 else 'cohort'} end" for i in range(9)]
    wide = {
        "id": [f"p{i}" for i in range(9)],
        "title": [f"Paper {i}" for i in range(9)],
        "words": words,
        **{f"c{j}": [0.1 * i + j for i in range(9)] for j in range(14)},
        "land": ["XK" if i == 3 else "FR" for i in range(9)],
        "exact": [1234567.125 + i for i in range(9)],
        "day": [f"2024-04-{10 + i}" for i in range(9)],
    }
    pl.DataFrame(wide).write_csv("wide.csv")
    known = {f"p{i}": "ok" for i in range(9)}
    texts = [{"text": ("title", "words")}, {}]
    for number, reading in enumerate(texts):
        store = f"s{number}.db"
        settings = Settings(reading={"id": "id", **reading}, known=known)
        with Project.open(Path("wide.csv"), store=store, settings=settings) as project:
            project.skip(2, note="torn")
            project.correct(2, "ok")
            assert [project.table.ids[row] for row, _ in _search(project, "xk")[0]] == ["p3"]
            assert len(_search(project, "")[0]) == 9
            with monkeypatch.context() as patched:  # all are counted, few are described
                patched.setattr(_earlier, "_TOGETHER", 4)
                assert [_search(project, each)[1] for each in ("", "end", "xk")] == [9, 9, 1]
                assert len(_search(project, "end")[0]) == 4
        for sought, ids in [
            ("Asthma END", ["p7"]),
            ("xk", ["p3"]),
            ("1234571.125", ["p4"]),
            ("04-15", ["p5"]),
            ("p6", ["p6"]),
            ("ok", [f"p{i}" for i in range(9)]),
            ("land", []),
        ]:
            told = command(
                "labels", "list", "wide.csv", "--search", sought, "--labels", store, "--json"
            )
            assert sorted(row["id"] for row in told.json["answers"]) == ids, sought


@pytest.mark.parametrize("store", ["payments.labels.db", "payments.labels.jsonl"])
def test_labels_go_out_and_come_in_again(command: Any, data: Path, store: str) -> None:
    Path("given.csv").write_text("payment,verdict\np3,ok\np7,fraud\np9,\n")
    into = ["labels", "import", data, "given.csv", "--id", "payment", "--labels", store]
    first = command(*into)
    assert first.code == ExitCode.OK, first.err
    assert f"2 labels of given.csv imported into {store}." in first.out
    assert "2 were there already" in command(*into).out
    out = command("labels", "export", data, "--labels", store)
    assert out.out == "payment,label\np3,ok\np7,fraud\n"
    assert command("labels", "export", store, "-o", "l.parquet").code == ExitCode.OK
    assert pl.read_parquet("l.parquet").rows() == [("p3", "ok"), ("p7", "fraud")]
    detailed = command("labels", "export", store, "--details", "-o", "d.csv")
    assert "2 labels written to d.csv." in detailed.out
    # A session starts from them and does not ask for these rows; they do not count as asked.
    settings = Settings(reading={"id": "payment", "drop": ("kind",)}, max_labels=3)
    with Project.open(data, store=store, settings=settings) as project:
        assert project.labels == {3: "ok", 7: "fraud"}
        asked = set()
        while (question := project.question()) is not None:
            asked.add(question.row)
            project.answer(question.row, "ok")
        assert len(asked) == 3
        project.skip(next(row for row in range(20) if row not in project.labels))
        assert not asked & {3, 7}
        assert project.status().n_given == 2
    detailed = command("labels", "export", store, "--details", "-o", "d.csv")
    assert "5 labels and 1 skip written to d.csv." in detailed.out
    assert pl.read_csv("d.csv").height == 6
    Path("wrong.csv").write_text("payment,verdict\np3,ok\nq1,ok\n")
    wrong = command("labels", "import", data, "wrong.csv", "--labels", store)
    assert "1 id that is not in payments.csv (q1)" in wrong.error
    assert "or take the others alone (rarebit labels import --skip-unknown" in wrong.error
    Path("more.csv").write_text("payment,verdict\np11,ok\nq1,ok\nq2,fraud\n")
    skipped = ["labels", "import", data, "more.csv", "--labels", "skip.db", "--id", "payment"]
    done = command(*skipped, "--skip-unknown")
    assert done.code == ExitCode.OK, done.err
    assert "1 label of more.csv imported" in done.out
    assert "note: 2 ids of more.csv not in payments.csv were left out (q1, q2)." in done.err
    assert command(*skipped, "--skip-unknown", "--json").json["unknown"] == 2
    Path("new.csv").write_text("payment,verdict\np12,okk\np13,unclear\n")
    new = command("labels", "import", data, "new.csv", "--labels", "skip.db", "--id", "payment")
    assert "note: 'okk' is a new class, and close to 'ok': if it is meant" in new.err
    assert "note: unclear is a new class; until now there are ok." in new.err
    nameless = command(*into[:-2], "--labels", store, "--column", "class")
    assert "given.csv has no column 'class' of classes: it has payment, verdict" in nameless.error
    assert "no labels at none.db" in command("labels", "export", "none.db").error


def test_a_partly_labelled_column_and_known_rows_start_a_session(data: Path) -> None:
    frame = pl.read_csv(data).with_columns(
        kind=pl.when(pl.int_range(pl.len()) % 10 == 0).then(pl.col("kind"))
    )
    frame.write_csv(data)
    known = {f"p{i}": k for i, k in enumerate(frame["kind"]) if k is not None}
    settings = Settings(target="kind", known={"p5": "fraud"}, reading={"id": "payment"})
    with Project.open(data, settings=settings) as project:
        found = {str(project.table.ids[row]): label for row, label in project.labels.items()}
        assert found == {**known, "p5": "fraud"}
        assert "kind" not in project.table.columns
        question = project.question()
        assert question is not None
        assert question.id not in found
        project.correct(5, "ok")
        project.undo()
    with Project.open(data, settings=settings) as project:  # nothing is stored twice
        assert len([e for e in project.store.events() if e.source == "import"]) == len(found)
    with pytest.raises(ProjectError, match="no row with the id 'x'"):
        Project.open(data, store="o.db", settings=Settings(known={"x": "ok"}))


def test_labels_of_unchanged_rows_stay_when_the_file_changes(data: Path) -> None:
    labels = label_some(data, 12)
    changed, removed = list(labels)[:2]
    frame = pl.read_csv(data)
    new = (
        frame.filter(pl.col("payment") != removed)
        .with_columns(
            amount=pl.when(pl.col("payment") == changed).then(99.0).otherwise(pl.col("amount"))
        )
        .reverse()
    )
    more = frame.head(3).with_columns(payment=pl.col("payment") + "x")
    pl.concat([more, new]).select("shop", "payment", "kind", "amount").write_csv(data)
    with Project.open(data, settings=SETTINGS) as project:
        note = project.notes[0]
        assert "10 labels of unchanged rows kept" in note
        assert "1 label of changed rows left out" in note
        assert "1 label of rows that are gone left out" in note
        assert "payments.labels.before-1.db" in note
        found = {str(project.table.ids[row]): label for row, label in project.labels.items()}
        assert found == {k: v for k, v in labels.items() if k not in (changed, removed)}
    assert len(read_history("payments.labels.before-1.db").standing()) == 12
    # Data of which no row is known are refused, as before, and nothing is moved.
    frame.with_columns(payment=pl.lit("z") + pl.col("payment")).write_csv(data)
    with pytest.raises(StoreError, match=r"holds labels of payments\.csv"):
        Project.open(data, settings=SETTINGS)
    assert not Path("payments.labels.before-2.db").exists()


def test_known_rows_on_the_command_line(command: Any, data: Path) -> None:
    run = ["learn", data, "--id", "payment", "--oracle", "kind", "--max-labels", 30]
    told = command(*run, "--known", "p3=ok", "--known", "p7=fraud", "--export", "l.csv")
    assert told.code == ExitCode.OK, told.err
    assert "32 labels exported to l.csv." in told.out
    assert "Wrote payments.learned.rarebit" in told.out
    labels = dict(pl.read_csv("l.csv").iter_rows())
    assert labels["p3"] == "ok"
    assert labels["p7"] == "fraud"
    wrong = command(*run, "--known", "p3")
    assert wrong.code == ExitCode.USAGE
    assert "--known needs ID=CLASS" in wrong.error
    both = command(*run, "--target", "shop")
    assert both.code == ExitCode.USAGE
    assert "--oracle and --target cannot be combined" in both.error


def test_a_class_that_is_new_is_told(command: Any, data: Path) -> None:
    label_some(data)
    assert "new class" not in command("labels", "set", data, "p7", "fraud").err
    done = command("labels", "set", data, "p7", "doubtful")
    assert done.code == ExitCode.OK
    assert "note: 'doubtful' is a new class; until now there are 'fraud', 'ok'." in done.err
    for name in ("frued", "FRAUD"):
        refused = command("labels", "set", data, "p7", name)
        assert refused.code == ExitCode.USAGE
        assert f"{name!r} is none of the classes so far" in refused.error
        assert "close to 'fraud': write that, or give --new-class" in refused.error
        assert command("labels", "set", data, "p7", "fraud", "--json").json["before"] == "doubtful"
        command("labels", "set", data, "p7", "doubtful")
    done = command("labels", "set", data, "p7", "frued", "--new-class")
    assert done.code == ExitCode.OK
    assert "note: 'frued' is a new class" in done.err
    assert command("labels", "set", data, "p7", "fraud").code == ExitCode.OK
    assert command("labels", "set", data, "p7", "fraud", "--json").json["new"] is False


def test_imported_classes_that_differ_by_capitals_only_are_refused(
    command: Any, data: Path
) -> None:
    label_some(data)
    before = command("labels", "list", data, "--json").json["answers"]
    Path("near.csv").write_text("payment,label\np9,Fraud\np10, ok\n", encoding="utf-8")
    run = ["labels", "import", data, "near.csv", "--id", "payment"]
    refused = command(*run)
    assert refused.code == ExitCode.USAGE
    assert "'fraud' and 'Fraud' differ by capitals or blanks only" in refused.error
    assert "give --new-class" in refused.error
    assert command("labels", "list", data, "--json").json["answers"] == before
    done = command(*run, "--new-class")
    assert done.code == ExitCode.OK
    assert command("labels", "set", data, "p9", "Fraud", "--json").json["before"] == "Fraud"


def test_papers_are_written_back_with_their_labels(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    papers = [
        f"TY  - JOUR\nTI  - Title {i}\nAB  - Words of paper {i} are here.\nDO  - 10.1/{i}\nER  - \n"
        for i in range(6)
    ]
    Path("papers.ris").write_text("\n".join(papers), encoding="utf-8")
    with Project.open("papers.ris", settings=Settings(reading={"id": "doi"})) as project:
        project.correct(1, "relevant")
        project.correct(4, "irrelevant")
    done = command("labels", "export", "papers.ris", "--out", "screened.ris")
    assert done.code == ExitCode.OK
    assert "6 papers written to screened.ris, 2 labels." in done.out
    text = Path("screened.ris").read_text(encoding="utf-8")
    assert text.count("TY  - JOUR") == 6
    assert "DO  - 10.1/1\nN1  - rarebit: relevant\n" in text
    assert text.count("N1  - rarebit: irrelevant") == 1
    refused = command("labels", "export", "papers.labels.db", "--out", "screened.ris")
    assert refused.code == ExitCode.USAGE
    assert "give that" in refused.error
    shown = command("labels", "show", "papers.ris", "10.1/1").out
    assert "Title 1\n" in shown
