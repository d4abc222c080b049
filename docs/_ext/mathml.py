"""Formulas as MathML, which browsers draw by themselves: no script, no font and no network is needed.

Docutils brings the converter, so this needs no further package.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree as ET

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ACCENTS = frozenset("ˉˆ˜^~→⃗˙¨¯")
_SIZE = re.compile(r"\\[bB]igg?[lrm]?(?![A-Za-z])")  # of brackets; MathML chooses it by itself
_ENTITY = re.compile(r"&(?!lt;|gt;|amp;|quot;)\w+;")  # names that HTML knows and XML does not


def to_mathml(formula: str, *, as_block: bool) -> str:
    r"""Return LaTeX mathematics as MathML.

    Examples
    --------
    >>> to_mathml("x^2", as_block=False).replace("\n", "").replace(" ", "")
    '<mathxmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    try:
        text = latex2mathml.tex2mathml(_SIZE.sub("", formula), as_block=as_block)
    except MathError as error:
        raise ExtensionError(f"This formula cannot be shown: {formula} ({error})") from error
    return _with_indices_beside(_ENTITY.sub(lambda found: html.unescape(found.group()), text))


def _with_indices_beside(text: str) -> str:
    """Move the index of an accented letter from below the letter, where the converter puts it, to its right."""
    ET.register_namespace("", _NAMESPACE)
    root = ET.fromstring(text)  # noqa: S314  (made by docutils from our own formula)
    for both in list(root.iter(f"{{{_NAMESPACE}}}munderover")):
        letter, index, mark = both
        if (mark.text or "") in _ACCENTS:
            accented = ET.Element(f"{{{_NAMESPACE}}}mover", {"accent": "true"})
            accented.extend([letter, mark])
            both.tag = f"{{{_NAMESPACE}}}msub"
            both[:] = [accented, index]
    return ET.tostring(root, encoding="unicode")


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{to_mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; conf.py chooses it with ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
