"""Retired phrases stay out of the app's pages, messages and docstrings, as they stay out of the documentation."""

from __future__ import annotations

import ast
import re

import pytest
from tests.test_wording import PHRASES

from betterthan.web.render import HERE

_JINJA = re.compile(r"\{[%#{].*?[%#}]\}", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SPOKEN = re.compile(r'\b(?:title|aria-label|placeholder)="([^"]*)"')


def of_template(text):
    """What a reader of the page reads or hears, and the words in its expressions."""
    quoted = [one for expression in _JINJA.findall(text) for one in re.findall(r'"([^"]*)"', expression)]
    plain = _JINJA.sub("x", text)
    return [*_SPOKEN.findall(plain), *_TAG.sub("\n", plain).split("\n"), *quoted]


def of_module(text):
    """Strings and docstrings of a module; addresses and names have no spaces."""
    nodes = ast.walk(ast.parse(text))
    strings = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [string for string in strings if " " in string]


TEXTS = sorted(path for path in HERE.rglob("*") if path.suffix in {".py", ".j2"})


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(HERE).as_posix())
def test_retired_phrases_are_gone(path):
    """Each finding says what to write instead."""
    lines = (of_module if path.suffix == ".py" else of_template)(path.read_text(encoding="utf-8"))
    found = [
        f'"{match.group()}" in "{line.strip()[:80]}"; write {instead}'
        for line in lines
        for phrase, instead in PHRASES.items()
        if (match := phrase.search(line))
    ]
    assert not found, "\n".join(found)


def test_phrases_are_seen_in_templates_and_modules():
    """The guard itself."""
    assert any("told apart" in line for line in of_template('<p title="told apart">x</p>'))
    assert any("told apart" in line for line in of_template('{{ "systems told apart" if x }}'))
    assert of_module('def f():\n    """Tell A and B."""\n    return "a-name"') == ["Tell A and B."]
