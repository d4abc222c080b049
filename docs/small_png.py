"""Store a PNG with a palette of 256 colors, which makes charts and screenshots a fifth to a third as large.

Written out, because no image library is among the dependencies.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FREQUENT, COLORS = 192, 256


def shrink(path: Path) -> None:
    """Replace a PNG of 8-bit RGB or RGBA by one with a palette, if that is smaller."""
    before = path.read_bytes()
    after = with_palette(before)
    if len(after) < len(before):
        path.write_bytes(after)


def labeled(png: bytes, text: str) -> bytes:
    """Return the same picture with the text that it shows, compressed, before its last chunk."""
    name, content = b"zTXt", b"Description\0\0" + zlib.compress(text.encode(), 9)
    chunk = struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    return png[:-12] + chunk + png[-12:]


def label(png: bytes) -> str:
    """Return the text that a picture carries; empty if there is none."""
    start = png.find(b"zTXtDescription\0\0")
    if start < 0:
        return ""
    (length,) = struct.unpack(">I", png[start - 4 : start])
    return zlib.decompress(png[start + 4 + len(b"Description\0\0") : start + 4 + length]).decode()


def with_palette(png: bytes) -> bytes:
    """Encode with at most 256 colors; every other pixel gets the nearest of them."""
    image = pixels(png)[:, :, :3]
    colors, index, count = np.unique(image.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette = chosen(colors.astype(int), count)
    nearest = np.array([((palette - color) ** 2).sum(axis=1).argmin() for color in colors.astype(int)])
    indexed = nearest[index.ravel()].astype(np.uint8).reshape(image.shape[:2])
    rows = np.hstack([np.zeros((len(indexed), 1), dtype=np.uint8), indexed])
    head = struct.pack(">IIBBBBB", indexed.shape[1], indexed.shape[0], 8, 3, 0, 0, 0)
    body = palette.astype(np.uint8).tobytes()
    parts = {b"IHDR": head, b"PLTE": body, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    return png[:8] + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts.items()
    )


def chosen(colors: NDArray[np.int_], count: NDArray[np.int_]) -> NDArray[np.int_]:
    """The most frequent colors, then those farthest from all chosen ones, which keeps gradients smooth."""
    order = np.argsort(-count, kind="stable")
    if len(order) <= COLORS:
        return colors[order]
    picked = list(order[:FREQUENT])
    distance = np.min([((colors - colors[i]) ** 2).sum(axis=1) for i in picked], axis=0)
    while len(picked) < COLORS:
        picked.append(int(distance.argmax()))
        distance = np.minimum(distance, ((colors - colors[picked[-1]]) ** 2).sum(axis=1))
    return colors[picked]


def pixels(png: bytes) -> NDArray[np.uint8]:
    """Decode a PNG of 8-bit RGB or RGBA without interlacing."""
    width, height = struct.unpack(">II", png[16:24])
    channels = {2: 3, 6: 4}[png[25]]
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    raw = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(height, channels * width + 1)
    rows = [np.zeros((width, channels), dtype=np.uint8)]
    for line in raw:
        rows.append(unfiltered(line[1:].reshape(width, channels), rows[-1], int(line[0])))
    return np.stack(rows[1:])


def unfiltered(row: NDArray[np.uint8], above: NDArray[np.uint8], kind: int) -> NDArray[np.uint8]:
    """Undo one of the five filters of a row (section 9 of the specification of PNG)."""
    if kind == 0:
        return row
    if kind == 1:
        return row.cumsum(axis=0, dtype=np.uint8)
    if kind == 2:
        return row + above
    lines = [
        _predicted(filtered, up, paeth=kind == 4)
        for filtered, up in zip(row.T.tolist(), above.T.tolist(), strict=True)
    ]
    return np.array(lines, dtype=np.uint8).T


def _predicted(filtered: list[int], above: list[int], *, paeth: bool) -> list[int]:
    left = corner = 0
    found = []
    for value, up in zip(filtered, above, strict=True):
        if paeth:
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if a <= b and a <= c else up if b <= c else corner
        else:
            guess = (left + up) // 2
        left, corner = (value + guess) & 255, up
        found.append(left)
    return found
