"""The method: a paragraph to paste, signatures, citations as BibTeX, the command, versions."""

from __future__ import annotations

import functools
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from betterthan import __version__
from betterthan.report.document import Code, Columns, Fold, Section
from betterthan.results.base import Result

_FILE = Path(__file__).parents[1] / "templates" / "citations.bib"
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
    "quality": "graham2015improving",
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


_PACKAGES = ("numpy", "scipy", "duckdb", "sacrebleu")


def method_section(
    paragraph: Sequence[str], results: Mapping[str, Result], methods: Iterable[str], command: str
) -> Section:
    """Return what a paper needs to describe and reproduce the numbers."""
    signatures = dict.fromkeys(result.settings.signature for result in results.values())
    signed = Code(key="signatures", label="Signatures", text="\n".join(signatures))
    cited = Code(key="citations", label="Citations (BibTeX)", text=bibtex(methods))
    blocks = (
        Columns(
            (Code(key="paragraph", label="To paste into a paper", text=" ".join(paragraph)),),
            (
                Code(key="command", label="Command that reproduces this report", text=command),
                Code(key="versions", label="Versions", text=versions()),
            ),
        ),
        Fold(key="signatures-fold", label="Signatures of all results", blocks=(signed,)),
        Fold(key="citations-fold", label="Citations", blocks=(cited,)),
    )
    lead = "How the numbers were computed, and how to cite and reproduce them."
    return Section(key="method", title="Method", lead=lead, blocks=blocks)


def versions() -> str:
    """Return the versions that numbers may depend on; no date, so that the same data give the same page."""
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"betterthan {__version__}, Python {platform.python_version()}, {packages}"
