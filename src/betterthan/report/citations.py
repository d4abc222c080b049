"""BibTeX of what a report is built on, so that nobody has to look it up."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

_FILE = Path(__file__).parent / "templates" / "citations.bib"
_KEYS = {
    "paired": "peyrard2021better",
    "permutation": "good2005permutation",
    "holm": "holm1979simple",
    "bootstrap": "koehn2004statistical",
    "bradley_terry": "bradley1952rank",
    "power": "card2020power",
    "soft_pairwise_accuracy": "thompson2024improving",
    "sacrebleu": "post2018call",
    "chrf": "popovic2015chrf",
    "tags": "logacheva2016metrics",
}


def bibtex(methods: Iterable[str]) -> str:
    """Return the entries of these methods, each once.

    Examples
    --------
    >>> print(bibtex(["holm"]).splitlines()[0])
    @article{holm1979simple,
    """
    return "\n\n".join(_entries()[_KEYS[method]] for method in dict.fromkeys(methods))


@functools.cache
def _entries() -> dict[str, str]:
    written = _FILE.read_text(encoding="utf-8").strip().split("\n\n")
    return {re.match(r"@\w+{(\w+),", entry).group(1): entry for entry in written}  # type: ignore[union-attr]
