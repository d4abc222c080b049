"""PDF files in one order: the converter writes fonts in an order that differs from run to run."""

from __future__ import annotations

import re
from typing import NamedTuple

_OBJECT = re.compile(rb"\s*(\d+) 0 obj\n")
_LENGTH = re.compile(rb"/Length (\d+)")
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_FONTS = re.compile(rb"(/Font <<\n)((?:\s*/\w+ \d+ 0 R\n)+)")
_TRAILER = re.compile(rb"xref\n.*trailer\n(<<.*>>)\nstartxref\n\d+\n%%EOF\s*$", re.DOTALL)


class _Object(NamedTuple):
    """One object: what may refer to others, and the bytes of its stream."""

    head: bytes
    stream: bytes


def ordered(pdf: bytes) -> bytes:
    """Return the same document with fonts sorted by name and objects numbered in the order in which they are met.

    A file that is built in another way than this converter builds it comes back as it is.
    """
    found = _objects(pdf)
    trailer = _TRAILER.search(pdf)
    if found is None or trailer is None:
        return pdf
    objects = {number: _with_sorted_fonts(each) for number, each in found.items()}
    fresh: dict[int, int] = {}
    _visit(trailer.group(1), objects, fresh)
    if len(fresh) != len(objects):
        return pdf
    return _written(pdf, trailer.group(1), objects, fresh)


def _objects(pdf: bytes) -> dict[int, _Object] | None:
    """Return the objects of a document by their numbers, or None when one is not built as expected."""
    place = pdf.find(b"\n\n")
    found: dict[int, _Object] = {}
    while (start := _OBJECT.match(pdf, place)) is not None:
        begin, stop = start.end(), pdf.find(b"endobj", start.end())
        stream = pdf.find(b"\nstream\n", begin, stop)
        if stream >= 0:
            length = _LENGTH.search(pdf, begin, stream)
            if length is None:
                return None
            # A stream may hold any bytes, also those of "endobj"; its length says where it ends.
            stop = pdf.find(b"endobj", stream + len(b"\nstream\n") + int(length.group(1)))
        if stop < 0:
            return None
        middle = stop if stream < 0 else stream
        found[int(start.group(1))] = _Object(pdf[begin:middle], pdf[middle:stop])
        place = stop + len(b"endobj")
    return found if pdf[place:].lstrip().startswith(b"xref") else None


def _with_sorted_fonts(each: _Object) -> _Object:
    def in_order(fonts: re.Match[bytes]) -> bytes:
        return fonts.group(1) + b"".join(sorted(fonts.group(2).splitlines(keepends=True)))

    return each._replace(head=_FONTS.sub(in_order, each.head))


def _visit(head: bytes, objects: dict[int, _Object], fresh: dict[int, int]) -> None:
    """Number what `head` refers to, and what that refers to, in the order of the text."""
    for reference in _REFERENCE.finditer(head):
        number = int(reference.group(1))
        if number in objects and number not in fresh:
            fresh[number] = len(fresh) + 1
            _visit(objects[number].head, objects, fresh)


def _written(pdf: bytes, trailer: bytes, objects: dict[int, _Object], fresh: dict[int, int]) -> bytes:
    def renumbered(head: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % fresh[int(found.group(1))], head)

    text, places = pdf[: pdf.find(b"\n\n") + 2], []
    for old, new in fresh.items():
        places.append(len(text))
        text += b"%d 0 obj\n%sendobj\n\n" % (new, renumbered(objects[old].head) + objects[old].stream)
    table = b"".join(b"%010d 00000 n\r\n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f\r\n%strailer\n%s\nstartxref\n%d\n%%%%EOF"
    return text + end % (len(places) + 1, table, renumbered(trailer), len(text))
