"""What is known about a test set beforehand: standard reference, gold scores, outliers."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Known(NamedTuple):
    """What is known about a language pair of a test set; empty where nothing is."""

    reference: str | None = None
    gold: str | None = None
    outliers: tuple[str, ...] = ()


@cache
def known_test_sets() -> dict[str, Any]:
    """Return the table of test sets that comes with the package."""
    text = (files("betterthan.read") / "testsets.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def known(name: str, language_pair: str, level: str) -> Known:
    """Return what is known about a test set by the name of its folder.

    Examples
    --------
    >>> known("wmt23", "he-en", "seg")
    Known(reference='refB', gold='mqm', outliers=())
    >>> known("mine", "he-en", "seg")
    Known(reference=None, gold=None, outliers=())
    """
    general = known_test_sets().get(name, {})
    own = general.get("pairs", {}).get(language_pair, {})
    gold = own.get("gold", general.get("gold", {})).get(level)
    reference = own.get("reference", general.get("reference"))
    return Known(reference, gold, tuple(own.get("outliers", ())))
