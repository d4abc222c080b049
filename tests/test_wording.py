"""Retired phrases stay out of the prose; the list is in wording.toml, so that other texts can be added to it."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RULES = tomllib.loads((ROOT / "tests" / "wording.toml").read_text(encoding="utf-8"))
EXCLUDED = {ROOT / name for name in RULES["excluded"]["pages"]}
TEXTS = sorted(
    path
    for globs in RULES["texts"].values()
    for glob in globs
    for path in ROOT.glob(glob)
    if path not in EXCLUDED
)
PHRASES = {re.compile(phrase, re.IGNORECASE): instead for phrase, instead in RULES["phrases"].items()}
_FENCE = re.compile(r"^(`{3,}).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_QUOTATION = re.compile(r'"[^"\n]{40,}"|\*[A-Z][^*]{40,}\*')  # the words or the title of a paper


def prose(text):
    """A text with fenced blocks, code and quotations blanked out; line numbers stay."""
    for pattern in (_FENCE, _CODE, _QUOTATION):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", "`", found.group()), text)
    return text


def retired(text):
    """Every retired phrase of a text, as (line, phrase, what to write instead)."""
    searched = re.sub(r"\n(?=\S)", " ", prose(text))  # same length, so that places stay true
    return sorted(
        (text.count("\n", 0, found.start()) + 1, found.group(), instead)
        for phrase, instead in PHRASES.items()
        for found in phrase.finditer(searched)
    )


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_retired_phrases_are_gone(path):
    """Each finding names the line and what to write instead."""
    found = retired(path.read_text(encoding="utf-8"))
    assert not found, "\n".join(
        f'{path.name}:{line}: "{phrase}"; write {instead}' for line, phrase, instead in found
    )


def test_phrases_are_found_across_lines_and_outside_code_only():
    """The guard itself: a phrase may be broken over two lines; examples may print what they print."""
    assert [line for line, *_ in retired("One.\nWhich metric may\nwe trust?\n")] == [2]
    assert not retired("```console\n$ betterthan check\n95 % told apart\n```\n")
    assert not retired("The option `--min-judgements` and the column `letters`.\n")
    assert retired("It covers 95 % of them, in 12 000 cases.\n")
