"""Ten files as people have them, made anew for each test, with what must be understood of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

N_ROWS = 240


@dataclass(frozen=True)
class Messy:
    """A file's bytes and, by column, what it is: the words of a form, or how it is encoded.

    ``values`` holds for some columns the value that the first row must have, ``whole`` those of all
    rows.
    """

    name: str
    data: bytes
    expected: dict[str, str]
    values: dict[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    duplicates: int = 0
    doubtful: tuple[str, ...] = ()
    whole: dict[str, list[Any]] = field(default_factory=dict)


def grouped(value: float, group: str, decimal: str) -> str:
    text = f"{value:,.2f}"
    return text.replace(",", "\0").replace(".", decimal).replace("\0", group)


def delimited(rows: list[list[str]], delimiter: str, encoding: str = "utf-8") -> bytes:
    def quoted(cell: str) -> str:
        inner = delimiter in cell or '"' in cell or "\n" in cell
        return '"' + cell.replace('"', '""') + '"' if inner else cell

    lines = (delimiter.join(map(quoted, row)) for row in rows)
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


def _days(rng: random.Random, pattern: str, *, up_to_day: int = 28) -> list[str]:
    return [
        datetime(2024, rng.randint(1, 12), rng.randint(1, up_to_day)).strftime(pattern)
        for _ in range(N_ROWS)
    ]


def us_payments(rng: random.Random) -> Messy:
    amounts = [1234.56, *(rng.uniform(-9000, 9000) for _ in range(N_ROWS - 1))]
    paid = [f"$ {grouped(a, ',', '.')}" if a >= 0 else f"(${grouped(-a, ',', '.')})"
            for a in amounts]  # fmt: skip
    days = ["12/31/2024", *_days(rng, "%m/%d/%Y")[1:]]
    rate = [f"{rng.uniform(0, 20):.1f}%" for _ in range(N_ROWS)]
    flag = [rng.choice(["yes", "no"]) for _ in range(N_ROWS)]
    rows = [["payment_id", "paid", "day", "rate", "insured"]]
    rows += [[str(100000 + 7 * i), paid[i], days[i], rate[i], flag[i]] for i in range(N_ROWS)]
    return Messy(
        "us.csv",
        delimited(rows, ","),
        {
            "paid": "money, $, thousands as in 1,234",
            "day": "date, month first (12/31/2024)",
            "rate": "percent",
            "insured": "boolean",
        },
        {"paid": 1234.56, "day": datetime(2024, 12, 31)},
        ("payment_id",),
        whole={
            "paid": [round(amount, 2) for amount in amounts],
            "day": [datetime.strptime(day, "%m/%d/%Y") for day in days],
            "rate": [float(cell[:-1]) for cell in rate],
            "insured": flag,
        },
    )


def german_payments(rng: random.Random) -> Messy:
    amounts = [1234.5, *(rng.uniform(-9000, 9000) for _ in range(N_ROWS - 1))]
    rows = [["Beleg", "Betrag", "Datum", "Anteil", "Menge", "geprüft", "PLZ", 'Rabatt "neu"']]
    codes = [f"{rng.randint(1, 99) * 911 % 99999:05}" for _ in range(N_ROWS - 1)] + ["01067"]
    days = ["31.12.2024", *_days(rng, "%d.%m.%Y")[1:]]
    for i in range(N_ROWS):
        share = f"{rng.uniform(0, 9):.2f}".replace(".", ",")
        rows.append(
            [f"B-{i:05}", f"{grouped(amounts[i], '.', ',')} €", days[i], share,
             "12.500" if i == 0 else f"{rng.randint(1, 99)}.{rng.randint(0, 999):03}",
             rng.choice(["ja", "nein"]), codes[i], f"{i % 9}"]
        )  # fmt: skip
    return Messy(
        "umsatz.csv",
        delimited(rows, ";", "cp1252"),
        {
            "Betrag": "money, €, decimal comma, thousands as in 1.234",
            "Datum": "date, day first (31.12.2024)",
            "Anteil": "number",
            "Menge": "number, decimal comma, thousands as in 1.234",
            "geprüft": "boolean",
            "PLZ": "code (leading zeros)",
            'Rabatt "neu"': "number",
        },
        {"Betrag": 1234.5, "Datum": datetime(2024, 12, 31), "Menge": 12500},
        ("Beleg",),
        doubtful=("Menge",),
        whole={
            "Betrag": [round(amount, 2) for amount in amounts],
            "Datum": [datetime.strptime(day, "%d.%m.%Y") for day in days],
            "Menge": [int(row[4].replace(".", "")) for row in rows[1:]],
            "PLZ": codes,
        },
    )


def french_invoices(rng: random.Random) -> Messy:
    rows = [["total", "remise", "heure", "poids"]]
    for i in range(N_ROWS):
        total = 12345.67 if i == 0 else rng.uniform(1000, 90000)
        rows.append(
            [grouped(total, "\u202f", ",") + " EUR", f"{rng.randint(0, 60)} %",
             f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}", f"{rng.randint(1, 40)} kg"]
        )  # fmt: skip
    return Messy(
        "factures.tsv",
        delimited(rows, "\t", "utf-16"),
        {
            "total": "money, EUR, decimal comma, thousands as in 1 234",
            "remise": "percent",
            "heure": "time",
            "poids": "number, kg",
        },
        {"total": 12345.67},
        whole={
            "remise": [int(row[1].removesuffix(" %")) for row in rows[1:]],
            "heure": [f"{row[2]}:00" for row in rows[1:]],
            "poids": [int(row[3].removesuffix(" kg")) for row in rows[1:]],
        },
    )


def swiss_accounts(rng: random.Random) -> Messy:
    rows = [["saldo", "valuta", "konto"]]
    for i in range(N_ROWS):
        saldo = 1234567.5 if i == 0 else rng.uniform(-9e5, 9e5)
        rows.append(
            [f"CHF {grouped(saldo, chr(39), '.')}", f"2024/{rng.randint(1, 12):02}/28",
             f"{rng.randint(0, 9):04}-{rng.randint(0, 9)}"]
        )  # fmt: skip
    return Messy(
        "konten.csv",
        delimited(rows, ";", "utf-8-sig"),
        {
            "saldo": "money, CHF, thousands as in 1'234",
            "valuta": "date, year first (2024/12/31)",
            "konto": "letters",
        },
        {"saldo": 1234567.5},
    )


def doubtful_dates(rng: random.Random) -> Messy:
    rows = [["when", "units"], ["01/02/2024", "1,234"]]
    rows += [
        [day, f"{rng.randint(1, 9)},{rng.randint(0, 999):03}"]
        for day in _days(rng, "%d/%m/%Y", up_to_day=12)[1:]
    ]
    return Messy(
        "doubt.tsv",
        delimited(rows, "\t"),
        {"when": "date, day first (31/12/2024)", "units": "number, thousands as in 1,234"},
        {"when": datetime(2024, 2, 1), "units": 1234},
        doubtful=("when", "units"),
    )


def sensor_log(rng: random.Random) -> Messy:
    begin = datetime(2024, 5, 1)
    rows = [["row", "timestamp", "stamp_iso", "temp", "ok"]]
    for i in range(N_ROWS):
        moment = begin + timedelta(minutes=17 * i)
        rows.append(
            [str(i), str(1_714_521_600 + 1020 * i), moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
             f"{rng.uniform(-5, 30):.1f} °C", rng.choice(["true", "false"])]
        )  # fmt: skip
    return Messy(
        "log.csv",
        delimited(rows, ","),
        {
            "timestamp": "date, seconds since 1970",
            "stamp_iso": "date, year first (2024-12-31)",
            "temp": "number, °C",
            "ok": "number",
        },
        {"timestamp": begin, "stamp_iso": begin},
        ("row",),
    )


def with_duplicates(rng: random.Random) -> Messy:
    rows = [["amount", "city"]]
    rows += [[f"{rng.uniform(0, 9):.3f}", f"town {i % 60}"] for i in range(N_ROWS - 40)]
    rows += rows[1:41]
    return Messy(
        "twice.csv",
        delimited(rows, "|"),
        {"amount": "number", "city": "letters"},
        duplicates=40,
    )


def long_cells(rng: random.Random) -> Messy:
    words = ["late", "lost", "paid", "urgent", "call", "again", "never", "please"]
    rows = [["note", "cost", "code"]]
    for i in range(N_ROWS):
        length = 4000 if i == 3 else 12
        text = " ".join(rng.choice(words) for _ in range(length)) + ('\n"so, he said"' * (i % 2))
        rows.append([text, f"-{rng.randint(1, 900)}.00 kr", f"{rng.randint(0, 999):05}A"])
    return Messy(
        "notes.csv",
        delimited(rows, ","),
        {"note": "words", "cost": "money, kr", "code": "letters"},
    )


def two_digit_years(rng: random.Random) -> Messy:
    rows = [["born", "seen", "paid_at", "fee"]]
    for i in range(N_ROWS):
        rows.append(
            [f"{rng.randint(1, 28)}-{rng.choice(['Jan', 'Mar', 'Dec'])}-1980",
             f"{rng.randint(1, 12)}/{25 if i == 0 else rng.randint(1, 28)}/24",
             f"{rng.randint(1, 12)}/{20 if i == 0 else rng.randint(1, 28)}/2024 "
             f"{rng.randint(1, 12)}:{rng.randint(10, 59)} PM",
             "n.a." if i % 9 == 0 else f"{rng.randint(1, 900)},50-"]
        )  # fmt: skip
    return Messy(
        "club.csv",
        delimited(rows, ";"),
        {
            "born": "date, day first (31-Dec-2024)",
            "seen": "date, month first (12/31/24)",
            "paid_at": "date, month first (12/31/2024)",
            "fee": "number, decimal comma",
        },
    )


def overruled(rng: random.Random) -> Messy:
    rows = [["customer_id", "dose", "level", "when", "free", "junk"]]
    for i in range(N_ROWS):
        rows.append(
            [str(5000 + i), "unclear" if i == 7 else f"{rng.randint(1, 40)} mg",
             str(rng.randint(1, 3)), f"0{rng.randint(1, 9)}.0{rng.randint(1, 9)}.2024",
             f"word{rng.randint(0, 9)} other", str(rng.random())]
        )  # fmt: skip
    return Messy(
        "study.csv",
        delimited(rows, ","),
        {
            "customer_id": "number, as you said",
            "dose": "number, mg, as you said",
            "level": "category",
            "when": "date, month first (12.31.2024), as you said",
            "free": "words",
        },
        options={
            "columns": {
                "customer_id": "number",
                "dose": "number",
                "level": "category",
                "when": "month-first",
                "free": "text",
                "junk": "drop",
            }
        },
    )


MAKERS: tuple[Callable[[random.Random], Messy], ...] = (
    us_payments,
    german_payments,
    french_invoices,
    swiss_accounts,
    doubtful_dates,
    sensor_log,
    with_duplicates,
    long_cells,
    two_digit_years,
    overruled,
)


def make(maker: Callable[[random.Random], Messy], folder: Path) -> tuple[Messy, Path]:
    """Write a file and return it with where it is."""
    messy = maker(random.Random(maker.__name__))
    path = folder / messy.name
    path.write_bytes(messy.data)
    return messy, path
