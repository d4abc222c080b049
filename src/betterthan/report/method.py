"""The section on the method: a paragraph to paste, signatures, citations, the command, versions."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version

from betterthan import __version__
from betterthan.report.citations import bibtex
from betterthan.report.document import Code, Section
from betterthan.results.base import Result

_PACKAGES = ("numpy", "scipy", "duckdb", "sacrebleu")


def method_section(
    paragraph: Sequence[str], results: Mapping[str, Result], methods: Iterable[str], command: str
) -> Section:
    """Return what a paper needs in order to say how the numbers were made."""
    signatures = dict.fromkeys(result.settings.signature for result in results.values())
    blocks = (
        Code(key="paragraph", label="To paste into a paper", text=" ".join(paragraph)),
        Code(key="signatures", label="Signatures", text="\n".join(signatures)),
        Code(key="citations", label="Citations", text=bibtex(methods)),
        Code(key="command", label="The same again", text=command),
        Code(key="versions", label="Versions", text=versions()),
    )
    return Section(key="method", title="Method", lead="How every number was made.", blocks=blocks)


def versions() -> str:
    """Return the versions that numbers may hang on; no clock, so that the same data give the same page."""
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"betterthan {__version__}, Python {platform.python_version()}, {packages}"
