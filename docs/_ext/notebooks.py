"""Notebooks as pages: their cells become Markdown, and their stored outputs are shown as they are.

Nothing is run when the pages are built, and no further package is needed: ``docs/notebooks.py`` stores the outputs.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

_FENCE = "`" * 5  # longer than any fence inside a cell


def as_markdown(notebook: dict[str, Any]) -> str:
    r"""Return the cells of a notebook as a page in Markdown.

    Examples
    --------
    >>> cell = {"cell_type": "code", "source": ["1 + 1"], "outputs": [{"data": {"text/plain": ["2"]}}]}
    >>> print(as_markdown({"cells": [{"cell_type": "markdown", "source": ["# Sum"]}, cell]}).replace("`", "'"))
    # Sum
    <BLANKLINE>
    '''''python
    1 + 1
    '''''
    <BLANKLINE>
    '''''text
    2
    '''''
    """
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [_fenced("python", source), *map(_output, cell["outputs"])]
    return "\n\n".join(parts)


def _fenced(kind: str, text: str) -> str:
    return f"{_FENCE}{kind}\n{text.rstrip()}\n{_FENCE}"


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            text = "".join(data[kind]).strip()
            return _fenced("{raw} html", f'<div class="notebook-output">{text}</div>')
    return _fenced("text", "".join(data.get("text/plain", output.get("text", []))))


class NotebookParser(MystParser):
    """Parses a notebook as the Markdown that it stands for."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse the text of a notebook's file."""
        super().parse(as_markdown(json.loads(inputstring)), document)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the parser for files that end in ``.ipynb``."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
