"""Collections of papers as programs and people really write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit import Project
from rarebit.tables import TableError, read_table, with_decision

ENTRY = "@article{{p{0},\n  title = {{Paper {0}}},\n  abstract = {{{1}}},\n  year = 200{0}\n}}\n\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("abstract", ["a set {x of y", "a set x} of y", "so { } }} it is"])
def test_a_brace_in_an_abstract_loses_no_paper(abstract: str, tmp_path: Path) -> None:
    said = ["one", abstract, "three", "four"]
    text = "".join(ENTRY.format(i, each) for i, each in enumerate(said))
    path = written(tmp_path / "a.bib", text)
    table = read_table(path, id="key")
    assert table.ids.tolist() == ["p0", "p1", "p2", "p3"]
    assert "2001" in str(table.show(1).fields["year"])
    assert "of y" in str(table.show(1).text) or "it is" in str(table.show(1).text)
    assert "braces that do not match, the first is 'p1'" in " ".join(table.notes)
    with Project.open(path, settings={"reading": {"id": "key"}}, store=tmp_path / "l.db") as made:
        made.answer(1, "relevant")
        made.export(tmp_path / "out.bib")
    again = read_table(tmp_path / "out.bib", id="key", target="rarebit")
    assert again.ids.tolist() == table.ids.tolist()
    assert list(again.target) == ["", "relevant", "", ""]


@pytest.mark.parametrize("gap", [" ", "\n  "])
def test_a_quote_that_is_not_closed_loses_no_decision(gap: str, tmp_path: Path) -> None:
    fields = ['title="unclosed quote', "abstract={f}", "year=2001}\n"]
    text = ENTRY.format(0, "a") + f",{gap}".join(["@article{p1", *fields]) + ENTRY.format(2, "c")
    path = written(tmp_path / "a.bib", text)
    table = read_table(path, id="key")
    assert table.ids.tolist() == ["p0", "p1", "p2"]
    assert table.show(1).text.startswith("unclosed quote")
    assert "1 entry has a quote that is not closed, the first is 'p1'" in " ".join(table.notes)
    with Project.open(path, settings={"reading": {"id": "key"}}, store=tmp_path / "l.db") as made:
        made.answer(1, "relevant")
        made.export(tmp_path / "out.bib")
    again = read_table(tmp_path / "out.bib", id="key", target="rarebit")
    assert again.ids.tolist() == table.ids.tolist()
    assert list(again.target) == ["", "relevant", ""]
    assert again.show(1).text == table.show(1).text


def test_a_damaged_entry_on_one_line_keeps_its_title(tmp_path: Path) -> None:
    text = ENTRY.format(0, "a") + "@misc{p1, title={An {open brace}, year=2001}\n\n"
    table = read_table(written(tmp_path / "a.bib", text + ENTRY.format(2, "c")), id="key")
    assert table.ids.tolist() == ["p0", "p1", "p2"]
    assert table.show(1).text.startswith("An open brace")


def test_quotes_inside_of_values_are_no_damage(tmp_path: Path) -> None:
    text = (
        '@misc{a, title={An 8" pipe}, year="2001"}\n@misc{b "c", title="B {"} b", note={x}}\n'
        '@misc(c, title="C" # " c", note = "")\n@misc{d, title = "D"\n}\n'
    )
    table = read_table(written(tmp_path / "a.bib", text), id="key")
    assert not {"closed", "match"} & set(" ".join(table.notes).replace(",", "").split())
    assert [table.show(row).text for row in range(4)] == ['An 8" pipe', 'B " b', "C c", "D"]


def test_the_first_few_damaged_entries_are_named(tmp_path: Path) -> None:
    text = "".join(ENTRY.format(i, "so {it is") for i in range(5))
    text += "".join(f"@misc{{n{i}, year=200{i}}}\n" for i in range(2))
    said = " ".join(read_table(written(tmp_path / "a.bib", text), id="key").notes)
    assert "5 entries have braces that do not match, the first is 'p0', then 'p1' and 'p2'" in said
    assert "cannot be judged, the first is 'n0', then 'n1': left out" in said


def test_commented_entries_stay_comments(tmp_path: Path) -> None:
    text = "@comment{\n@article{old, title={Old}}\n}\n" + ENTRY.format(1, "new")
    table = read_table(written(tmp_path / "a.bib", text), id="key")
    assert table.ids.tolist() == ["p1"]
    assert "braces" not in " ".join(table.notes)


def test_macros_are_replaced_so_that_a_written_entry_stands_alone(tmp_path: Path) -> None:
    text = (
        '@string{jr = "Journal of Rare Things"}\n@string(other = "x")\n'
        "@article{a, title={A}, journal = jr, month = jan}\n"
        '@article{b, title="B {"}quoted{"}", journal = jr # ", Part " # {2}}\n'
    )
    table = read_table(written(tmp_path / "a.bib", text), id="key")
    assert table.records["journal"].to_list() == [
        "Journal of Rare Things",
        "Journal of Rare Things, Part 2",
    ]
    assert table.raw is not None
    assert "journal = {Journal of Rare Things}, month = jan" in table.raw(0)
    assert table.show(1).text == 'B "quoted"'


def test_latex_is_read_as_letters(tmp_path: Path) -> None:
    text = r"""@article{a,
      title={The H{\"o}lder \& Erd{\H{o}}s bound: 5\% of {\ss}, {\O} and \'{\i}},
      author={Garc{\'i}a, \v{S}. and Fran\c{c}ois}}"""
    table = read_table(written(tmp_path / "a.bib", text + "\n@misc{b, title={C}, author={D}}"))
    assert table.show(0).text == "The Hölder & Erdős bound: 5% of ß, Ø and í"
    assert table.records["authors"][0] == "García, Š. and François"


def test_records_without_their_end_or_a_title(tmp_path: Path) -> None:
    text = (
        "TY  - JOUR\nTI  - First\nAB  - a\n\nTY  - JOUR\nTI  - Second\nER  - \n"
        "TY  - JOUR\nAB  - only an abstract\nER  - \nTY  - JOUR\nAU  - Nobody\nER  - \n"
    )
    table = read_table(written(tmp_path / "a.ris", text))
    assert [table.show(row).text for row in range(table.n_rows)] == [
        "First\na",
        "Second",
        "only an abstract",
    ]
    assert "1 record has neither a title nor an abstract" in " ".join(table.notes)


@pytest.mark.parametrize("ending", [".ris", ".bib"])
def test_any_field_can_be_named(ending: str, tmp_path: Path) -> None:
    if ending == ".ris":
        pieces = [f"TY  - JOUR\nTI  - T{i}\nC1  - {i % 2}\nSP  - {i}\nER  - \n" for i in range(4)]
        name, other = "C1", "SP"
    else:
        pieces = [
            f"@misc{{k{i}, title={{T{i}}}, Verdict={{{i % 2}}}, pages={i}}}" for i in range(4)
        ]
        name, other = "verdict", "pages"
    path = written(tmp_path / f"a{ending}", "\n".join(pieces))
    table = read_table(path, target=name)
    assert list(table.target) == ["0", "1", "0", "1"]
    assert f"not read: {other}." in " ".join(table.notes)
    assert name not in (*table.number_names, *table.records.columns)
    assert "not read" not in " ".join(read_table(path, target=name, aside=[other]).notes)
    with pytest.raises(TableError, match=f"no field 'nothing': .*further fields.* {other}"):
        read_table(path, target="nothing")


def test_a_decision_and_a_rank_replace_earlier_ones() -> None:
    ris = with_decision("TY  - JOUR\nTI  - A", "no", ".ris", "2 of 9, unseen")
    again = with_decision(ris.split("ER")[0].rstrip(), "yes", ".ris")
    assert again == "TY  - JOUR\nTI  - A\nN1  - rarebit: yes\nER  - \n\n"
    bib = with_decision("@misc{a,\n  title={A},\n}", "no", ".bib", "2 of 9")
    assert bib == "@misc{a,\n  title={A},\n  rarebit = {no},\n  rarebit-rank = {2 of 9}\n}\n\n"
    assert with_decision(bib, "yes", ".bib") == "@misc{a,\n  title={A},\n  rarebit = {yes}\n}\n\n"
    assert with_decision(bib, "", ".bib").count("rarebit") == 0


def test_copies_are_left_out_and_the_right_papers_written(tmp_path: Path) -> None:
    pieces = [f"TY  - JOUR\nTI  - T{i // 2}\nAB  - same\nER  - \n" for i in range(8)]
    path = written(tmp_path / "a.ris", "\n".join(pieces))
    reading = {"duplicates": "first"}
    with Project.open(path, settings={"reading": reading}, store=tmp_path / "l.db") as made:
        assert made.table.n_rows == 4
        made.answer(2, "yes")
        made.export(tmp_path / "out.ris")
    text = (tmp_path / "out.ris").read_text(encoding="utf-8")
    assert text.count("TY  - ") == 4
    assert "T2\nAB  - same\nN1  - rarebit: yes" in text


@pytest.mark.parametrize(
    ("ending", "head", "part"),
    [
        (".bib", "@misc{a, title={A}}\n", "@misc{b,\n"),  # no brace is ever closed
        (".bib", "@misc{a, title={A}}\n", "@misc{}\n"),  # no entry that begins a line follows
        (".bib", "@misc{a, title={A}}\n@comment{", "@misc{b,\n"),
        (".bib", "@misc{a, title={A}}}\n", " "),  # blanks where a field might follow
        (".bib", "@misc{a,\n title={A},\n note={", '\\" '),
        (".ris", "TY  - JOUR\nTI  - A\n", "b\n"),  # one field over all lines
        (".ris", "TY  - JOUR\nTI  - A\n", "AU  - b\n"),
    ],
)
def test_long_damage_takes_no_longer_per_character(
    ending: str, head: str, part: str, tmp_path: Path
) -> None:
    # Anything that looks again at the rest of the file for every part would take minutes.
    path = written(tmp_path / f"a{ending}", head + part * 200_000)
    assert read_table(path).n_rows >= 1


def test_blanks_before_a_decision_are_looked_at_once() -> None:
    piece = "@misc{a, title={A}" + " " * 300_000 + "}"
    assert with_decision(piece, "yes", ".bib").endswith("rarebit = {yes}\n}\n\n")


def test_decisions_are_read_back(tmp_path: Path) -> None:
    pieces = [f"TY  - JOUR\nTI  - T{i}" for i in range(4)]
    text = "".join(with_decision(each, "yn"[i % 2], ".ris") for i, each in enumerate(pieces))
    table = read_table(written(tmp_path / "a.ris", text), target="rarebit")
    assert list(table.target) == ["y", "n", "y", "n"]
