"""Ways to damage a file: those of the readers' own tests, and those of programs and transports."""

from __future__ import annotations

import gzip
import re

from tests.read.test_damage_scores import damaged
from tests.read.test_fuzz_all import ODD as ODD_DAMAGE


def flipped(data, rng):
    """Some bytes changed at random."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 3, 20))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def encoded(data, rng):
    """In another encoding."""
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("latin-1", "utf-16", "utf-16-le", "cp1252", "utf-32", "cp437")), "replace")


def line_ends(data, rng):
    """With other ends of lines, or mixed ones."""
    ends = rng.choice((b"\r", b"\r\n", b"\n\n", b"\n\r", b"\x0b\n", b"\x0c\n", None))
    if ends is not None:
        return data.replace(b"\n", ends)
    return re.sub(rb"\n", lambda _: rng.choice((b"\n", b"\r\n", b"\r")), data)


def marked(data, rng):
    """With a byte-order mark, at the beginning or elsewhere."""
    at = rng.choice((0, 0, rng.randrange(len(data) + 1)))
    return data[:at] + b"\xef\xbb\xbf" * rng.choice((1, 2)) + data[at:]


def second_header(data, rng):
    """With the first line once more, somewhere."""
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines) + 1), lines[0])
    return b"\n".join(lines)


def moved_columns(data, rng):
    """With two columns changed over, in all lines or from one on."""
    sign = max((b",", b"\t", b";"), key=data.count)
    rows = [line.split(sign) for line in data.split(b"\n")]
    width = max(map(len, rows))
    a, b = rng.randrange(width), rng.randrange(width)
    for row in rows[rng.choice((0, 0, 1, rng.randrange(len(rows)))) :]:
        if max(a, b) < len(row):
            row[a], row[b] = row[b], row[a]
    return b"\n".join(map(sign.join, rows))


def column_twice(data, rng):
    """With a column twice."""
    sign = max((b",", b"\t", b";"), key=data.count)
    rows = [line.split(sign) for line in data.split(b"\n")]
    at = rng.randrange(len(rows[0]))
    return b"\n".join(sign.join([*row, row[at]] if at < len(row) else row) for row in rows)


def titled(data, rng):
    """With a line above, or an empty one."""
    return rng.choice((b"\n", b"# comment\n", b"Results of May\n", b"sep=,\n", b",,,\n", b" \n")) + data


def ended(data, rng):
    """With something below."""
    tails = (b"\n\n", b"total,1,2,3\n", b"mean,0.5,0.5\n", b",,,", b"\x1a", b"(3 rows)\n", b"\x00" * 10, b'"')
    return data + rng.choice(tails)


def packed(data, rng):
    """As gzip: sound, cut, damaged, twice, or with something behind it."""
    whole = gzip.compress(data, 1, mtime=0)
    how = rng.random()
    if how < 0.3:
        return whole
    if how < 0.5:
        return whole[: rng.randrange(len(whole))]
    if how < 0.7:
        return flipped(whole, rng)
    return rng.choice((whole + whole, whole + b"junk", gzip.compress(whole), whole + b"\x00" * 100))


TRANSPORT = {
    way.__name__: way
    for way in (
        flipped,
        encoded,
        line_ends,
        marked,
        second_header,
        moved_columns,
        column_twice,
        titled,
        ended,
        packed,
    )
}
ODD = {way.__name__: way for way in ODD_DAMAGE}


def hurt(data, rng):
    """Damage bytes in one of all ways, and say which."""
    how = rng.random()
    if how < 0.4:
        return damaged(data, rng), "edited"
    name, way = rng.choice(sorted((TRANSPORT if how < 0.8 else ODD).items()))
    return way(data, rng), name
