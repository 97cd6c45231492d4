"""Ways to damage bytes."""

from __future__ import annotations

import random
from collections.abc import Callable

# What parsers trip over, put in at a random place.
TOKENS = (
    b'"', b'""', b"'", b"\0", b"\0" * 9, b"\r", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xff", b"\xed\xa0\x80", b",", b";", b"\t", b",,,,,,,,", b"\x1b[31m", b"NaN", b"1e999",
    b"-inf", b"99999999999999999999", b":", b"0:1", b"-1:1", b"2000000000:1", b"{", b"}",
    b"[" * 2000, b'{"a":' * 500, b"null", b"\\u0000", b"\\ud800", b"\\", b"#", b"qid:1",
    b"\xe2\x80\xa8", b"\x1a", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\x00\x00\x00",
    b"\xff" * 8, b"x" * 140_000,
)  # fmt: skip


def flip(data: bytearray, dice: random.Random) -> bytearray:
    """Change single bits."""
    for _ in range(dice.choice([1, 1, 2, 5, 20])):
        if data:
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return data


def cut(data: bytearray, dice: random.Random) -> bytearray:
    """Leave out the end."""
    return data[: dice.randrange(len(data) + 1)]


def drop(data: bytearray, dice: random.Random) -> bytearray:
    """Leave out a piece."""
    start = dice.randrange(len(data) + 1)
    del data[start : start + dice.choice([1, 3, 20, 300])]
    return data


def repeat(data: bytearray, dice: random.Random) -> bytearray:
    """Write a piece twice or many times."""
    start = dice.randrange(len(data) + 1)
    piece = data[start : start + dice.choice([1, 8, 100, 2000])]
    return data[:start] + piece * dice.choice([2, 3, 50]) + data[start:]


def insert(data: bytearray, dice: random.Random) -> bytearray:
    """Put in what parsers trip over."""
    for _ in range(dice.choice([1, 1, 3])):
        start = dice.randrange(len(data) + 1)
        data[start:start] = dice.choice(TOKENS)
    return data


def overwrite(data: bytearray, dice: random.Random) -> bytearray:
    """Write over some bytes: random ones, or the ends of the range of an integer."""
    start = dice.randrange(len(data) + 1)
    piece = dice.choice([dice.randbytes(4), b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f",
                         b"\0" * 4, b"\xff" * 8, dice.randbytes(64)])  # fmt: skip
    data[start : start + len(piece)] = piece
    return data


def swap(data: bytearray, dice: random.Random) -> bytearray:
    """Exchange two pieces."""
    first, second = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[first:second] + data[:first] + data[second:]


DAMAGES: tuple[Callable[[bytearray, random.Random], bytearray], ...] = (
    flip, flip, cut, drop, repeat, insert, insert, overwrite, swap,
)  # fmt: skip


def damage(data: bytes, dice: random.Random) -> bytes:
    """Damage bytes in one to three ways."""
    damaged = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 3])):
        damaged = dice.choice(DAMAGES)(damaged, dice)
    return bytes(damaged)
