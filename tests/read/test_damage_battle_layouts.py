"""Damaged files in the layouts of arenas, MT-bench and AlpacaEval: a table or an error of ours, and nothing else."""

from __future__ import annotations

import io
import json
import random

import pytest
from tests.everyday import few
from tests.fuzz.damage import MORE_EDITS, damaged
from tests.read.test_battle_layouts import LAYOUTS
from tests.read.test_damage_battles import check_message

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any


def whole(name):
    """The bytes of a layout's fixture."""
    data, _ = LAYOUTS[name]
    if isinstance(data, str):
        return data.encode()
    if name.endswith(".parquet"):
        stream = io.BytesIO()
        data.write_parquet(stream)
        return stream.getvalue()
    lines = name.endswith(".jsonl")
    return ("\n".join(map(json.dumps, data)) if lines else json.dumps(data, indent=4)).encode()


def outcome(path, data):
    """Read damaged bytes in three ways; return the code of our error, or "table"."""
    path.write_bytes(data)
    try:
        bt.read_matches(path)
        read_any(path, Options(covariates=("*",)))
        bt.read_matches(path, keep=("item",))
    except BetterThanError as error:
        check_message(error, str(path))
        return getattr(error, "code", None) or type(error).__name__
    return "table"


@pytest.mark.parametrize("trials", [15, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", few(LAYOUTS, 3))
def test_damage_never_gives_a_foreign_exception(tmp_path, name, trials):
    """Cut, flipped, doubled, with NUL bytes and foreign encodings."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311
    data = whole(name)
    seen = [outcome(tmp_path / name, damaged(data, rng, MORE_EDITS)) for _ in range(trials)]
    assert any(code.startswith("BT") for code in seen)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name.endswith(("json", "jsonl"))])
def test_deep_json_and_wrong_types_are_refused_in_our_words(tmp_path, name):
    """Objects where names stand, lists where numbers stand, a hundred thousand brackets."""
    rows = LAYOUTS[name][0]
    deep = json.dumps(rows[0])[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    odd = [dict.fromkeys(row, value) for row in rows for value in ([[]], {}, 10**400, True, None, 1e308)]
    lines = name.endswith(".jsonl")
    assert outcome(tmp_path / name, (deep if lines else f"[{deep}]").encode()).startswith("BT")
    text = "\n".join(map(json.dumps, odd)) if lines else json.dumps(odd)
    assert outcome(tmp_path / name, text.encode()).startswith("BT")
