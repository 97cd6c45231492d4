"""Labels of data that have changed, in a database of several projects; logs of removed files."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rarebit import Project
from rarebit.projects import Desk, LabelsLeftOutWarning, ProjectError
from rarebit.projects.stores import OtherDataError, move_aside, open_store, read_history


def write_rows(path: Path, changed: bool = False) -> None:
    amount = [float(i) for i in range(40)]
    if changed:
        amount[3] = 99.0
    frame = pl.DataFrame({"id": [f"r{i}" for i in range(40)], "amount": amount})
    (frame.reverse() if changed else frame).write_csv(path)


def check_carrying(file: Path, address: str, kind: type[Project] | type[Desk] = Project) -> None:
    settings = {"reading": {"id": "id"}}
    write_rows(file)
    with kind.open(file, store=address, settings=settings) as project:
        for row in range(6):
            project.correct(row, "ok" if row else "rare")
    write_rows(file, changed=True)
    with Project.open(file, store=address, settings=settings) as project:
        assert "5 labels of unchanged rows kept" in project.notes[0]
        assert "1 label of changed rows left out" in project.notes[0]
        assert ".before-1" in project.notes[0]
        found = {str(project.table.ids[row]): label for row, label in project.labels.items()}
    assert found == {"r0": "rare", "r1": "ok", "r2": "ok", "r4": "ok", "r5": "ok"}


@pytest.mark.parametrize("named", [True, False])
def test_a_project_in_postgresql(
    tmp_path: Path, new_project: Callable[[], str], named: bool
) -> None:
    place, _, name = new_project().partition("#")
    address = f"{place}#{name}" if named else place  # without a name, that of the data
    check_carrying(tmp_path / f"{name}.csv", address)
    kept = read_history(f"{place}#{name}.before-1")
    assert [event.id for event in kept.standing()] == [f"r{i}" for i in range(6)]


def test_a_project_among_others_in_a_file(tmp_path: Path) -> None:
    place = tmp_path / "all.db"
    with open_store(f"{place}#other", ids=["a"], source="other.csv") as store:
        store.append("label", 0, "mine")
    check_carrying(tmp_path / "rows.csv", f"{place}#rows")
    assert [event.label for event in read_history(f"{place}#other").standing()] == ["mine"]
    # Nobody gets the labels of another project by a wrong name.
    assert read_history(f"{place}#nothing").standing() == []
    assert move_aside(f"{place}#nothing") is None


def test_answers_on_the_page_are_known_again_by_content(tmp_path: Path) -> None:
    check_carrying(tmp_path / "rows.csv", str(tmp_path / "rows.labels.db"), Desk)


def test_answers_on_the_page_to_rows_without_ids_are_kept(tmp_path: Path) -> None:
    file, address = tmp_path / "pumps.csv", str(tmp_path / "pumps.labels.db")
    pressure = [round(1.7 * i % 11, 3) for i in range(60)]
    pl.DataFrame({"pressure": pressure, "age": range(60)}).write_csv(file)
    with Desk.open(file, store=address) as desk:
        for row in range(10):
            desk.answer(row, "leak" if row < 2 else "ok")
    pl.DataFrame({"pressure": [*pressure, 4.5], "age": range(61)}).write_csv(file)
    with Desk.open(file, store=address) as desk:
        assert desk.board.labels == {row: "leak" if row < 2 else "ok" for row in range(10)}


@pytest.mark.parametrize("kind", [Project, Desk])
def test_labels_follow_the_same_rules_everywhere(
    tmp_path: Path, kind: type[Project] | type[Desk]
) -> None:
    write_rows(tmp_path / "rows.csv")
    with kind.open(
        tmp_path / "rows.csv", store=tmp_path / "rows.db", settings={"reading": {"id": "id"}}
    ) as project:
        project.answer(0, "ok ")
        project.answer(1, True)
        for wrong, message in (("  ", "must name a class"), (1, "counts as the class True")):
            with pytest.raises(ProjectError, match=message):
                project.answer(2, wrong)
            with pytest.raises(ProjectError, match=message):
                project.correct(0, wrong)
        with pytest.raises(ProjectError, match="named by its position"):
            project.answer("2", "ok")  # type: ignore[arg-type]
        assert project.store.labels() == {0: "ok", 1: True}


def test_a_file_of_another_name_is_refused(tmp_path: Path) -> None:
    place = f"{tmp_path / 'all.db'}#rows"
    open_store(place, ids=["a"], source="rows.csv").close()
    write_rows(tmp_path / "others.csv")
    with pytest.raises(OtherDataError, match="--labels"):
        Project.open(tmp_path / "others.csv", store=place)


def test_the_log_of_a_removed_file_does_not_spoil_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "rows.labels.db"
    killed = (
        "import os, signal\n"
        "from rarebit.projects.stores import open_store\n"
        f"store = open_store({str(file)!r}, ids=['a', 'b'], source='rows.csv')\n"
        "store.append('label', 1, 'old')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", killed], env=environment, check=False)
    log = file.with_name(f"{file.name}-wal")
    if not log.exists():
        pytest.skip("SQLite keeps no log on this disk")
    file.unlink()
    with open_store(file, ids=["a", "b", "c"], source="rows.csv") as store:
        assert store.labels() == {}
        store.append("label", 2, "new")
    assert [event.label for event in read_history(file).standing()] == ["new"]
    assert file.with_name(f"{file.name}.removed-1-wal").exists()


def frame_of(n_rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"amount": [float(i * i % 97) for i in range(n_rows)], "hour": range(n_rows)}
    )


def labelled(frame: pl.DataFrame, address: str) -> dict[int, str]:
    with Project.open(frame, store=address) as project:
        return project.labels


@pytest.mark.parametrize("ending", ["f.db", "f.jsonl", "all.db#f #1"])
def test_a_shorter_frame_warns_and_labels_return_with_their_rows(
    tmp_path: Path, ending: str
) -> None:
    address = str(tmp_path / ending)
    with Project.open(frame_of(60), store=address) as project:
        for row in (1, 5, 9, 40, 50):
            project.correct(row, "ok" if row else "rare")
    with pytest.warns(LabelsLeftOutWarning, match=r"2 labels .*\.before-1.* store of their own"):
        project = Project.open(frame_of(30), store=address)
    with project:
        assert sorted(project.labels) == [1, 5, 9]
        project.correct(20, "rare")
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelsLeftOutWarning)
        project = Project.open(frame_of(60), store=address)
    with project:
        assert project.labels == {1: "ok", 5: "ok", 9: "ok", 20: "rare", 40: "ok", 50: "ok"}
        assert "2 labels of rows that are back taken up again" in project.notes[0]


def test_a_label_taken_back_does_not_return(tmp_path: Path) -> None:
    address = str(tmp_path / "f.db")
    with Project.open(frame_of(60), store=address) as project:
        project.correct(1, "ok")
        project.correct(50, "rare")
    for _ in range(2):
        with pytest.warns(LabelsLeftOutWarning, match="1 label "):
            assert labelled(frame_of(30), address) == {1: "ok"}
        assert labelled(frame_of(60), address) == {1: "ok", 50: "rare"}
    with Project.open(frame_of(60), store=address) as project:
        project.undo()
        assert project.labels == {1: "ok"}
    assert labelled(frame_of(30), address) == labelled(frame_of(60), address) == {1: "ok"}


def test_labels_of_a_former_project_at_the_address_stay_away(tmp_path: Path) -> None:
    address = tmp_path / "f.db"
    for label in ("old", "new"):
        with Project.open(frame_of(60), store=address) as project:
            project.correct(1, label)
            if label == "old":
                project.correct(50, label)
        if label == "old":
            with pytest.warns(LabelsLeftOutWarning):
                labelled(frame_of(30), str(address))
            address.unlink()
    assert labelled(frame_of(59), str(address)) == {1: "new"}


def write_payments(file: Path, amounts: list[str]) -> None:
    rates = [f"{7 * i % 90},5 %" if i % 10 else "never" for i in range(len(amounts))]
    notes = ["late" if i % 3 else "" for i in range(len(amounts))]
    names = [f"p{i}" for i in range(len(amounts))]
    columns = {"id": names, "amount": amounts, "rate": rates, "checked": notes, "code": 7}
    pl.DataFrame(columns).write_csv(file)


@pytest.mark.parametrize(
    "then",
    [
        {"reading": {"id": "id", "columns": {"rate": "percent"}}},
        {"reading": {"id": "id", "categorical": ["code"], "drop": ["checked"]}},
        {"reading": {"id": "id"}, "target": "checked"},
    ],
)
@pytest.mark.parametrize("kind", [Project, Desk])
def test_labels_given_while_columns_were_read_differently_are_kept(
    tmp_path: Path, then: dict[str, object], kind: type[Project] | type[Desk]
) -> None:
    file, store = tmp_path / "payments.csv", tmp_path / "payments.labels.db"
    amounts = [f"{3 * i}.50" for i in range(40)]
    write_payments(file, amounts)
    with kind.open(file, store=store, settings={"reading": {"id": "id"}}) as project:
        for row in (0, 3, 6):
            project.correct(row, "fraud" if row else "ok")
    with kind.open(file, store=store, settings=then) as project:
        for row in (9, 12):
            project.correct(row, "ok")
    amounts[3] = "999.00"
    write_payments(file, amounts)
    with Project.open(file, store=store, settings=then) as project:
        kept = [note for note in project.notes if "of unchanged rows kept" in note]
        assert "1 label of changed rows left out" in kept[0]
        own = {row: label for row, label in project.labels.items() if label != "late"}
        assert own == {0: "ok", 6: "fraud", 9: "ok", 12: "ok"}
    # The next change finds them again, and so does the way back to the first reading.
    amounts[12] = "7.00"
    write_payments(file, amounts)
    with Project.open(file, store=store, settings={"reading": {"id": "id"}}) as project:
        own = {row: label for row, label in project.labels.items() if label != "late"}
        assert own == {0: "ok", 6: "fraud", 9: "ok"}
    amounts[3] = "9.50"
    write_payments(file, amounts)
    with Project.open(file, store=store, settings=then) as project:
        assert project.labels[3] == "fraud"  # of the first store, with its first reading


def test_a_new_row_that_decides_how_dates_and_amounts_are_read_leaves_labels_alone(
    tmp_path: Path,
) -> None:
    file, store = tmp_path / "claims.csv", tmp_path / "claims.labels.db"
    lines = [f"c{i};0{1 + i % 9}/0{1 + i % 8}/2024;{1 + i}.{100 + 7 * i}" for i in range(40)]
    file.write_text("\n".join(["id;when;paid", *lines]) + "\n")
    settings = {"reading": {"id": "id"}}
    with Project.open(file, store=store, settings=settings) as project:
        for row in range(6):
            project.correct(row, "fraud" if row else "ok")
    lines.append("c40;05/23/2024;7,25")
    file.write_text("\n".join(["id;when;paid", *lines]) + "\n")
    with Project.open(file, store=store, settings=settings) as project:
        assert any("6 labels of unchanged rows kept" in note for note in project.notes)
        assert not any("left out" in note for note in project.notes)
        assert project.labels[5] == "fraud"


def test_labels_that_are_left_out_can_be_brought_back(tmp_path: Path) -> None:
    file, store = tmp_path / "payments.csv", tmp_path / "payments.labels.db"
    amounts = [f"{3 * i}.50" for i in range(40)]
    write_payments(file, amounts)
    with Project.open(file, store=store, settings={"reading": {"id": "id"}}) as project:
        for row in range(6):
            project.correct(row, "ok")
    amounts[2] = "999.00"
    write_payments(file, amounts)
    with Project.open(file, store=store, settings={"reading": {"id": "id"}}) as project:
        assert any("rarebit labels export brings those labels" in note for note in project.notes)


def write_parcels(file: Path, **changes: object) -> None:
    columns = {
        "id": [f"s{i}" for i in range(50)],
        "weight": [f"{1 + i}.{i % 10}0" for i in range(50)],
        "depot": ["north" if i % 3 else "south" for i in range(50)],
        "seen": ["2026-01-01"] * 50,
    }
    columns |= changes  # type: ignore[arg-type]
    kept = {name: cells for name, cells in columns.items() if cells is not None}
    pl.DataFrame(kept).write_csv(file)


def label_parcels(file: Path, kind: type[Project] | type[Desk], **reading: object) -> Path:
    write_parcels(file)
    store = file.with_suffix(".labels.db")
    with kind.open(file, store=store, settings={"reading": {"id": "id", **reading}}) as project:
        for row in range(12):
            project.correct(row, "ok" if row % 4 else "lost")
    return store


def note_of(file: Path, store: Path, **reading: object) -> str:
    settings = {"reading": {"id": "id", **reading}}
    with Project.open(file, store=store, settings=settings) as project:
        return next(note for note in project.notes if "has changed since" in note)


@pytest.mark.parametrize("kind", [Project, Desk])
def test_a_word_in_a_new_row_leaves_the_labels_of_all_others(
    tmp_path: Path, kind: type[Project] | type[Desk]
) -> None:
    file = tmp_path / "parcels.csv"
    store = label_parcels(file, kind)
    words = ["heavy", "light", "broken", "lost", "returned", "wet"]
    file.write_text(file.read_text() + "".join(f"t{w},{w},north,2026-01-02\n" for w in words))
    said = note_of(file, store)
    assert "12 labels of unchanged rows kept" in said
    assert "left out" not in said


def test_labels_stay_where_a_column_is_new_and_where_one_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "parcels.csv"
    store = label_parcels(file, Project)
    write_parcels(file, score=[f"{i}" for i in range(50)], carrier=["DHL"] * 50)
    said = note_of(file, store)
    assert "12 labels of unchanged rows kept" in said
    assert "New since then: columns 'score' and 'carrier'." in said
    write_parcels(file, score=[f"{i}" for i in range(50)], depot=None)
    assert "12 labels of unchanged rows kept. The" in note_of(file, store)


def test_the_note_names_the_columns_whose_cells_have_changed(tmp_path: Path) -> None:
    file = tmp_path / "parcels.csv"
    store = label_parcels(file, Project)
    weight = [f"{1 + i}.{i % 10}0" for i in range(50)]
    write_parcels(
        file, weight=["99.00", *weight[1:]], seen=["2026-02-02"] * 3 + ["2026-01-01"] * 47
    )
    said = note_of(file, store)
    assert "9 labels of unchanged rows kept" in said
    assert "3 labels of changed rows left out (changed in columns 'seen' and 'weight')" in said


def test_a_column_that_has_changed_everywhere_is_named_with_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "parcels.csv"
    store = label_parcels(file, Project)
    write_parcels(file, seen=["2026-02-02"] * 50)
    with pytest.raises(OtherDataError, match=r"other cells in column 'seen' now, .*--drop"):
        Project.open(file, store=store, settings={"reading": {"id": "id"}})
    said = note_of(file, store, drop=["seen"])
    assert "12 labels of unchanged rows kept" in said
    assert "left out" not in said


def test_a_file_written_anew_with_other_decimals_keeps_its_labels(tmp_path: Path) -> None:
    file = tmp_path / "parcels.csv"
    store = label_parcels(file, Project)
    write_parcels(file, weight=[f"{1 + i}.{i % 10}" for i in range(50)])
    assert "12 labels of unchanged rows kept" in note_of(file, store)


def test_rows_without_ids_that_have_moved_are_not_taken_for_others(tmp_path: Path) -> None:
    file, store = tmp_path / "pumps.csv", tmp_path / "pumps.db"
    frame = pl.DataFrame({"pressure": [float(i * i % 53) for i in range(60)], "age": range(60)})
    frame.write_csv(file)
    with Project.open(file, store=store) as project:
        for row in range(10):
            project.correct(row, "leak" if row < 2 else "ok")
    frame[1:].write_csv(file)
    with pytest.raises(OtherDataError):
        Project.open(file, store=store)


def write_texts(file: Path, n: int = 30, changed: str = "") -> None:
    rows = [(f"k{i}", f"Title {i}", f"Words of {i}{changed * (i == 4)}") for i in range(n)]
    if file.suffix == ".csv":
        lines = [f"{key},{title},{words},{i}.5" for i, (key, title, words) in enumerate(rows)]
        file.write_text("\n".join(["key,title,abstract,score", *lines]))
    else:
        form = "TY  - JOUR\nID  - {}\nTI  - {}\nAB  - {}\nER  - \n"
        file.write_text("".join(form.format(*row) for row in rows))


@pytest.mark.parametrize("ending", [".csv", ".ris"])
def test_the_note_names_the_columns_that_a_text_is_joined_of(tmp_path: Path, ending: str) -> None:
    file, store = tmp_path / f"papers{ending}", tmp_path / "l.db"
    reading = {"id": "key"} | ({"text": ["title", "abstract"]} if ending == ".csv" else {})
    write_texts(file)
    with Project.open(file, store=store, settings={"reading": reading}) as project:
        for row in range(10):
            project.correct(row, "no" if row else "yes")
    write_texts(file, changed=" and more")
    said = note_of(file, store, **reading)
    assert "9 labels of unchanged rows kept" in said
    assert "1 label of changed rows left out (changed in column 'abstract')" in said
    assert "New since then" not in said
    write_texts(file, 35, changed=" and more")
    said = note_of(file, store, **reading)
    assert "9 labels of unchanged rows kept" in said
    assert "New since then" not in said
