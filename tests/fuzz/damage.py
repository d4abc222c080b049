"""Ways to damage a file, for all tests: edits, odd contents, and what programs and transports do to it."""

from __future__ import annotations

import gzip
import re

from betterthan.errors import BetterThanError

TOKENS = [
    b",", b";", b"\t", b"|", b'"', b"\n", b"\r", b"\x00", b"\xff", b"\xc3", b"nan", b"inf", b"1e400",
    b"-", b"=", b"{", b"}", b"[", b"\\", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"99999999999999999999",
    b"0x1F", b"NULL", b"'", b"--", b"\x1f\x8b", b"PAR1", b"system", b"score", b"true", b"\x80\x04",
    b"1_000", b"1,5", b" ", b"@gold", b"higher_is_better",
]  # fmt: skip


def flip(data, rng):
    """Flip a bit."""
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def delete(data, rng):
    """Delete some bytes."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 1, 2, 5, 20]) :]


def insert(data, rng):
    """Insert an odd token."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def cut(data, rng):
    """Cut the end off."""
    return data[: rng.randrange(len(data) + 1)]


def repeat_line(data, rng):
    """Write a line twice."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join([*lines[: at + 1], *lines[at:]])


def drop_line(data, rng):
    """Leave a line out."""
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def swap_cells(data, rng):
    """Mix up the cells of a line."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    cells = lines[at].split(b",")
    rng.shuffle(cells)
    lines[at] = b",".join(cells)
    return b"\n".join(lines)


def repeat_piece(data, rng):
    """Write a piece twice."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[max(0, at - 30) : at] + data[at:]


def replace_sign(data, rng):
    """Put an odd token in the place of every comma, blank, quote or line end."""
    return data.replace(rng.choice([b",", b" ", b'"', b"\n"]), rng.choice(TOKENS))


EDITS = (flip, delete, insert, cut, repeat_line, swap_cells, drop_line)
MORE_EDITS = (*EDITS, repeat_piece, replace_sign)


def damaged(data, rng, ways=EDITS):
    """Hurt a file in one to three ways."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        data = rng.choice(ways)(data, rng)
    return data


def deep(data, rng):
    """Nest a value very deeply."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + b"[" * rng.choice([100, 5000, 100_000]) + data[at:]


def huge(data, rng):
    """Put a huge or odd number, a wrong type or an odd word in the place of a number."""
    digits = [i for i, byte in enumerate(data) if byte in b"0123456789"]
    if not digits:
        return data + b"1e999"
    at = rng.choice(digits)
    odd = rng.choice(
        [b"1e999", b"-1e308", b"9" * 400, b"null", b"[]", b"{}", b'"x"', b"true", b"NaN", b"-", b""]
    )
    return data[:at] + odd + data[at + 1 :]


def doubled(data, rng):  # noqa: ARG001  (as the others)
    """Write the file twice."""
    return data + data


def emptied(data, rng):
    """Leave nothing, or nothing but space."""
    return rng.choice([b"", b"\n", b" \t\n" * 100, data[:1], b"\xef\xbb\xbf"])


def endless(data, rng):
    """Make a line very long."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice([b"x", b"\x00", b"\xff", b",", b'"']) * 200_000 + data[at:]


def renamed(data, rng):
    """Change a key or a column, wherever it stands."""
    words = [
        word for word in (b"system", b"score", b"id", b"name", b"doc", b"metric", b"rater") if word in data
    ]
    return data.replace(rng.choice(words), rng.choice([b"x", b"", b"\xc3\xa9", b"score"])) if words else data


ODD_WAYS = (deep, huge, huge, doubled, emptied, endless, renamed)


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
ODD = {way.__name__: way for way in ODD_WAYS}


def hurt(data, rng):
    """Damage bytes in one of all ways, and say which."""
    how = rng.random()
    if how < 0.4:
        return damaged(data, rng), "edited"
    name, way = rng.choice(sorted((TRANSPORT if how < 0.8 else ODD).items()))
    return way(data, rng), name


def edited_or_odd(data, rng):
    """Damage a file by edits or odd contents."""
    return rng.choice(ODD_WAYS)(data, rng) if rng.random() < 0.4 else damaged(data, rng)


def outcome(read, given):
    """Read, and return the code of the error or "table"; any other exception fails the test."""
    try:
        read(given)
    except BetterThanError as error:
        said, code = str(error), getattr(error, "code", None) or type(error).__name__
    else:
        said, code = "read", "table"
    assert 0 < len(said) <= 400, said
    return code
