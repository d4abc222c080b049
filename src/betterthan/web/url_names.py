"""Names of systems in addresses: a name may hold a slash, a dot or a question mark, and an address may not.

Percent signs do not help, because servers undo them before they cut a path at its slashes; so the escape is
a tilde, as datasette has it.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(rb"[A-Za-z0-9_-]")
_ESCAPED = re.compile(r"~([0-9A-F]{2})|([A-Za-z0-9_-])")


def url_name(name: str) -> str:
    """Return a name as one part of an address.

    Examples
    --------
    >>> url_name("GPT-4/o"), url_name("é"), url_name("")
    ('GPT-4~2Fo', '~C3~A9', '~')
    """
    if not name:
        return "~"
    # A lone surrogate cannot be in a name read from UTF-8, but one can be in an address.
    raw = name.encode("utf-8", errors="surrogatepass")
    return "".join(chr(byte) if _PLAIN.match(bytes([byte])) else f"~{byte:02X}" for byte in raw)


def name_from_url(part: str) -> str | None:
    """Return the name that a part of an address stands for, or None if it stands for none.

    Examples
    --------
    >>> name_from_url("GPT-4~2Fo"), name_from_url("a b"), name_from_url("~")
    ('GPT-4/o', None, '')
    """
    if part == "~":
        return ""
    raw = bytearray()
    position = 0
    while position < len(part):
        match = _ESCAPED.match(part, position)
        if match is None:
            return None
        raw.append(int(match[1], 16) if match[1] else ord(match[2]))
        position = match.end()
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if url_name(name) == part else None  # a name has one address
