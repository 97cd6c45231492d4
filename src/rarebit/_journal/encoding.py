"""One line of a label file: a JSON object whose last field, ``sum``, is the checksum of the rest.

    {"what": "label", "row": 7, …, "n": 3, "sum": "5be0cd19137e2179"}

The sum is BLAKE2b with a digest of 8 bytes, in lower-case hexadecimal, over the bytes of the object
without the field: everything before ``, "sum"``, and the closing brace. It is taken over bytes and
not over values, so that a change of any byte shows, also one that JSON would read as the same.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

_SUM = re.compile(rb', "sum": "([0-9a-f]{16})"\}')
_SUM_LENGTH = len(', "sum": "0123456789abcdef"}')
# Where a line begins inside a damaged one is tried out; a crafted file must not make it endless.
_MAX_OPENINGS = 32
_MAX_DEPTH = 16


def encode_line(record: dict[str, Any]) -> bytes:
    """Return the line of a record, with its checksum and the end of the line.

    Parameters
    ----------
    record : dict
        What JSON can hold, not empty.

    Returns
    -------
    bytes
        The line.

    Examples
    --------
    >>> encode_line({"row": 7})
    b'{"row": 7, "sum": "0e730be0a15a2cfe"}\\n'
    """
    try:
        body = json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only escapes can hold
        body = json.dumps(record).encode()
    return body[:-1] + b', "sum": "' + _digest(body) + b'"}\n'


def decode_line(line: bytes) -> tuple[dict[str, Any], bool]:
    """Read a line without its end.

    Parameters
    ----------
    line : bytes
        As written, or changed since.

    Returns
    -------
    record : dict
        The fields without the checksum.
    has_sum : bool
        Whether there was a checksum, which then is right.

    Raises
    ------
    ValueError
        If the checksum is wrong, or the line is no JSON object. The message is half a sentence.
    """
    match = _SUM.search(line, max(0, len(line) - _SUM_LENGTH))
    body = line
    if match is not None and match.end() == len(line):
        body = line[: match.start()] + b"}"
        if _digest(body) != match[1]:
            raise ValueError("its checksum does not match")
    try:
        record = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("it is not a line that rarebit wrote") from None
    if not isinstance(record, dict) or _is_deep(record):
        raise ValueError("it is not a line that rarebit wrote")
    return record, body is not line


def whole_lines_in(damaged: bytes) -> list[bytes]:
    """Find whole lines with right checksums inside a damaged one.

    A changed end of a line joins two lines, or adds a character to the last one.

    Parameters
    ----------
    damaged : bytes
        A line that cannot be read as one.

    Returns
    -------
    list of bytes
        The lines without their ends, in their order.
    """
    found = []
    start = 0
    for match in _SUM.finditer(damaged):
        # The end of the line before may have become anything, one byte or more.
        opening = start - 1
        for _ in range(_MAX_OPENINGS):
            opening = damaged.find(b'{"', opening + 1, match.start())
            if opening < 0:
                break
            if _digest(damaged[opening : match.start()] + b"}") == match[1]:
                found.append(damaged[opening : match.end()])
                break
        start = match.end()
    return found


def has_checksum(text: bytes) -> bool:
    """Whether a checksum is anywhere in it: then it is more than a line that was not finished."""
    return _SUM.search(text) is not None


def _is_deep(record: dict[str, Any]) -> bool:
    """Whether values are nested so deeply that printing or writing them again might fail."""
    level: list[Any] = [record]
    for _ in range(_MAX_DEPTH):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for values in inner for each in values if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).hexdigest().encode()
