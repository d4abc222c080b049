"""A word for a missing value is missing in every layout, also where a system or judge is named."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.everyday import few
from tests.read.seeds import FILES

import betterthan.read
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any

SOURCE = Path(betterthan.read.__file__).parent
# Headings are names as they stand; the others name no system, or name it by the file.
NO_CELLS = {"wide", "text", "sentence_training", "numbers", "wmt_scores", "wmt_texts", "sacrebleu_lines"}
NO_CELLS |= {"lm_eval", "inspect", "helm", "lighteval", "tags", "segments"}
NO_CELLS |= {"braintrust", "langfuse", "mteb", "nested_scores", "ragas"}
# Alone they have no table; the system is the second cell of a row.
TAGS = {"tag_rows", "tag_sentences", "tag_spans"}
JUDGED = ("ratings", "mqm", "appraise", "wmt_jsonl", "rating_lines", "crowd_da")
UNNAMED = {"rating_file": "mqm", "wmt_judgements": "annotator"}
"""Formats in which a judge may be unnamed, and what he is called then."""


def put(folder, seed, data):
    """Write a seed under its name."""
    path = folder / FILES[seed][0]
    path.write_bytes(data)
    return path


def renamed(folder, seed, role, word):
    """A seed in which the last system or judge is called otherwise."""
    data = FILES[seed][1]
    if seed in TAGS:
        name = data.splitlines()[-1].split(b"\t")[1]
    else:
        name = getattr(read_any(put(folder, seed, data), format=seed).tables[0], role)[-1].encode()
    changed = re.sub(rb"(?<![A-Za-z0-9_])" + re.escape(name) + rb"(?![A-Za-z0-9_])", word, data)
    assert changed != data
    return put(folder, seed, changed)


@pytest.mark.parametrize("word", [b"NA", b"none"])
@pytest.mark.parametrize("seed", few(sorted(FILES.keys() - NO_CELLS), 9))
def test_a_system_is_not_called_by_a_word_for_missing(seed, word, tmp_path):
    """And the message says that the word was taken for one."""
    said = f'"{word.decode()}" means a missing value.* If it is a name, change it'
    with pytest.raises(ReadError, match=said) as error:
        read_any(renamed(tmp_path, seed, "systems", word), format=seed)
    assert error.value.code == ("BT124" if seed in ("battles", "rankings", "ranking_lists") else "BT105")


@pytest.mark.parametrize("word", [b"NA", b"n/a"])
@pytest.mark.parametrize("seed", JUDGED)
def test_a_judge_is_not_called_by_a_word_for_missing(seed, word, tmp_path):
    """Upper and lower case alike."""
    with pytest.raises(ReadError, match=f'"{word.decode()}" means a missing value') as error:
        read_any(renamed(tmp_path, seed, "judges", word), format=seed)
    assert error.value.code == "BT105"


@pytest.mark.parametrize("seed", UNNAMED)
def test_where_judges_may_be_unnamed_the_word_is_no_name(seed, tmp_path):
    """As if the cell were empty."""
    assert read_any(renamed(tmp_path, seed, "judges", b"NA"), format=seed).tables[0].judges == (
        UNNAMED[seed],
    )


def test_a_heading_is_a_name_as_it_stands(tmp_path):
    """A wide table may have a system called none."""
    path = tmp_path / "wide.csv"
    path.write_text("id,A,none\n1,0.5,0.25\n2,0.75,none\n3,0.5,0.5\n")
    table = read_any(path).tables[0]
    assert (table.systems, table.n_missing) == (("A", "none"), 1)


def test_the_words_are_listed_once():
    """A second list would disagree with the first sooner or later."""
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = {
            node.value.casefold()
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert path.name == "numerals.py" or not words & {"n/a", "#n/a", "n.a.", "nil"}, path
