"""What names tell: systems that are human translations, and metrics that use no reference."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A test set or language pair may precede the name; one letter or a number distinguishes several references. More
# letters would be another word: "refiner", "ref-lm" and "humane" are systems.
_HUMAN = re.compile(
    r"(newstest\d{4}[-_.])?([a-z]{2,3}-[a-z]{2,3}[-_.])?"
    r"(human([-_. ]?translations?)?([-_.](ref(erence)?)?[-_.]?([a-z]|[0-9]{1,2})|[0-9]{1,2})?"
    r"|human[-_.]?ref(erence)?"
    r"|ref(erence)?s?([-_.]?([a-z]|[0-9]{1,2}))?"
    r"|(reference|professional)[-_. ]translations?)"
    r"([-_.][0-9]+)?",
    re.IGNORECASE,
)


def is_human_translation(system: str) -> bool:
    """Whether a system has the name of a human translation in shared tasks.

    Examples
    --------
    >>> [name for name in ("Human-A.0", "refA", "ref-B", "Humane", "ref-lm", "online-A") if is_human_translation(name)]
    ['Human-A.0', 'refA', 'ref-B']
    """
    return _HUMAN.fullmatch(system.strip()) is not None


def common_pattern(names: Sequence[str]) -> list[str]:
    """Return one pattern that fits names with a common beginning, or else the names.

    Examples
    --------
    >>> common_pattern(["Human-A.0", "Human-B.0"]), common_pattern(["refA", "Human-B"]), common_pattern(["ref-A"])
    (['Human-*'], ['refA', 'Human-B'], ['ref-A'])
    """
    start = re.match(r"[a-z]{3,}[-_. ]", names[0], re.IGNORECASE)
    is_common = len(names) > 1 and start is not None and all(name.startswith(start[0]) for name in names)
    return [f"{start[0]}*"] if is_common and start is not None else list(names)


_REFERENCE_FREE = re.compile(
    r"\[noref\]|(^|[^a-z])(qe|src|noref|refless|reference-?free|yisi-2|yisi2)([^a-z]|$)|kiwi",
    re.IGNORECASE,
)


def is_reference_free(metric: str) -> bool:
    """Whether the name says that a metric uses no reference: `QE`, `src`, `[noref]`, `Kiwi`, YiSi-2.

    A name that says nothing counts as using a reference.

    Examples
    --------
    >>> [is_reference_free(name) for name in ("COMET-QE", "metric[noref]", "UniTE-src", "YiSi-2", "cometkiwi-xl")]
    [True, True, True, True, True]
    >>> [is_reference_free(name) for name in ("COMET", "YiSi-1", "sentBLEU", "SQuEEze", "chrF")]
    [False, False, False, False, False]
    """
    return _REFERENCE_FREE.search(metric) is not None
