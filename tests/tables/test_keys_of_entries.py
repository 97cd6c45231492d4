"""BibTeX entries whatever their keys, with parentheses, and with LaTeX commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit import Project
from rarebit.tables import TableError, read_table, with_decision

HEADS = {
    "smith2019": "@article{smith2019,",
    "de Vries 2020": "@article{de Vries 2020,",
    "RN 12": "@Article{RN 12,",
    "O'Neil (2020)": "@article{O'Neil (2020),",
    "": "@article{",
    "missing comma": "@article{missing comma",
}
TEXT = "abstract = {{Words (of {title}) = so, so.}}"
FORMS = {
    "lines": "{head}\n  title = {{{title}}},\n  " + TEXT + "\n{end}\n",
    "line": "{head} title={{{title}}}, " + TEXT + "{end}\n",
    "gaps": '{head}\n\n title = "{title}",, ,\n ' + TEXT + ",{end}\n",
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("bounds", ["{}", "()"])
@pytest.mark.parametrize("form", FORMS)
def test_every_key_is_read_and_written_back(form: str, bounds: str, tmp_path: Path) -> None:
    heads = [head.replace("{", bounds[0]) for head in HEADS.values()]
    text = "% papers\n" + "\n".join(
        FORMS[form].format(head=head, title=f"Title {i}", end=bounds[1])
        for i, head in enumerate(heads)
    )
    table = read_table(written(tmp_path / "a.bib", text))
    n = len(HEADS)
    wanted = [f"Title {i}\nWords (of Title {i}) = so, so." for i in range(n)]
    assert [table.show(row).text for row in range(table.n_rows)] == wanted
    assert [table.show(row).fields["key"] or "" for row in range(n)] == list(HEADS)
    assert not table.notes
    with Project.open(tmp_path / "a.bib", store=tmp_path / "l.db") as made:
        for row in range(n):
            made.correct(row, "relevant" if row % 2 else "no")
        made.export(tmp_path / "out.bib")
    again = read_table(tmp_path / "out.bib", target="rarebit")
    assert [again.show(row).text for row in range(n)] == wanted
    assert list(again.target) == ["relevant" if row % 2 else "no" for row in range(n)]
    assert (tmp_path / "out.bib").read_text().count("@") == n


def test_entries_of_all_kinds_in_one_file(tmp_path: Path) -> None:
    text = (
        "Mail me @home (evenings).\n"
        "@article{a, title={One}, abstract={It says\n@mention (see there, too) and\n@b (c, d}}\n"
        '@article(b c, title={Two}, note="a ) b", year=2001)\n'
        "@string(jr = {Journal})@misc{title = {Three, of three}, journal=jr}\n"
        "@comment(@article{old, title={Old}})\n"
        "@article{d, title = {Four} of, abstract = {Rest}}\n"
    )
    table = read_table(written(tmp_path / "a.bib", text))
    texts = [str(table.show(row).text) for row in range(table.n_rows)]
    assert [each.split("\n")[0] for each in texts] == ["One", "Two", "Three, of three", "Four"]
    assert texts[3] == "Four\nRest"
    assert table.show(1).fields["year"] == 2001
    assert table.show(2).fields["journal"] == "Journal"


def test_an_entry_with_a_missing_brace_ends_at_any_other(tmp_path: Path) -> None:
    for head in (*HEADS.values(), "@article(x y,", "@article( "):
        end = ")" if "(" in head[:9] else "}"
        text = "@article{a,\n title={One},\n abstract={So {it is}\n}\n\n" + FORMS["lines"].format(
            head=head, title="Two", end=end
        )
        table = read_table(written(tmp_path / "a.bib", text))
        assert [str(table.show(i).text)[:3] for i in range(table.n_rows)] == ["One", "Two"], head
        assert "1 entry has braces that do not match, the first is 'a'" in " ".join(table.notes)


def test_what_is_left_out_is_named_and_counted(tmp_path: Path) -> None:
    text = "@article{a, title={One}}\n@article{no title, year=2000}\n@misc{}\n@article{c}\n"
    notes = " ".join(read_table(written(tmp_path / "a.bib", text)).notes)
    assert "3 records have neither a title nor an abstract" in notes
    assert "the first is 'no title'" in notes
    with pytest.raises(TableError, match="no paper with a title"):
        read_table(written(tmp_path / "a.bib", "@misc{}\n"))


@pytest.mark.parametrize(
    ("head", "part"),
    [
        ("@misc{a, title={A}}\n", "@misc(b c,\n"),
        ("@misc{a, title={A}}\n", "@misc(b,\n title={B},\n"),
        ("@misc{a, title={A}}\n", "@misc{b c\n"),
        ("@misc{a, title={A}}\n", "@misc{b = {\n"),
        ("@misc{a,\n title={A}, ", "b, "),
        ("@misc{a, title={A}} @misc{", "a "),
        ("@misc{a, title={A}}", ")   "),
        ("@misc{a, title={A}}\n@misc(", '()"'),
        ("@misc{a,\n title={A},\n abstract={", "\\textit "),
        ("@misc{a,\n title={A},\n abstract={", "\\href{"),
    ],
)
def test_long_damage_takes_no_longer_per_character(head: str, part: str, tmp_path: Path) -> None:
    # Anything that looks again at the rest of the file for every part would take minutes.
    assert read_table(written(tmp_path / "a.bib", head + part * 200_000)).n_rows >= 1


def test_a_decision_on_an_entry_in_parentheses() -> None:
    once = with_decision("@misc(a, title={A})", "no", ".bib", "2 of 9")
    assert once == "@misc(a, title={A},\n  rarebit = {no},\n  rarebit-rank = {2 of 9}\n)\n\n"
    again = with_decision(once, "yes", ".bib")
    assert again == "@misc(a, title={A},\n  rarebit = {yes}\n)\n\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (r"Virulence of \textit{Escherichia coli} in \emph{Homo sapiens}",
         "Virulence of Escherichia coli in Homo sapiens"),
        (r"N\textsubscript{2}O and \textbf{bold {\em x}}", "N2O and bold x"),
        (r"see \url{https://a.org/b_c} or \href{https://a.org}{the page}",
         "see https://a.org/b_c or the page"),
        (r"a {\it b} {\bf c}, \alpha-helix, $\beta$", r"a b c, \alpha-helix, $\beta$"),
        (r"25\% {\TeX} \textit {x} \textcolor{red}{Alert}", r"25% \TeX x Alert"),
        (r"about \citet{roe} \'{e}t\textbf{\'{e}}", r"about \citet roe été"),
    ],
)  # fmt: skip
def test_commands_of_latex_leave_their_text(value: str, shown: str, tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "a.bib", f"@misc{{a, title={{{value}}}}}\n"))
    assert table.show(0).text == shown
