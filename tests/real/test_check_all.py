"""What check says, without any flag, of every published file and folder of six collections.

Formats and counts are written here from the README of each collection; nothing is taken from the program itself.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.everyday import few

import betterthan as bt

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"no data in {DATA}; set BETTERTHAN_DATA to the data's folder"
)

ANY = None
"""The README states no count."""

# File: the format, the number of rows, and what the contents must say.
WMT20 = {
    "segments": ("segments", 1418 + 2000 + 785 + 2002 + 2320 + 2719, []),
    "mqm_seg": (
        "long",
        10 * (1418 + 2000),
        ['"en-de mqm": 10 systems × 1,418 segments', '"zh-en mqm": 10 systems × 2,000 segments'],
    ),
    "metric_seg": (
        "long",
        793_743,
        ['"en-de Yisi-combi"', '"zh-en SWSS+METEOR"', "× 2,319 segments|× 2,320 segments"],
    ),
    "metric_doc": ("long", 140_088, ['"en-de COMET"', '"zh-en prism"']),
    "metric_sys": ("long", 6_971, ['"en-de BLEU"', "× 1 segment"]),
    "da_seg": ("long", 77_366, ['"en-de raw"', '"zh-en z"', '"km-en n"']),
    "da_sys": ("long", ANY, ['"cs-en n_all"', "× 1 segment"]),
    **{
        f"darr_pairs.{pair}": ("better_worse", ANY, ["battles"])
        for pair in ("de-en", "en-de", "en-ru", "km-en", "ps-en")
    },
}
NEWSTEST = {
    "comet_sys_refA": ("long", ANY, ['"en-de COMET"', '"zh-en COMET"', "× 1 segment"]),
    "en-de/mqm_seg": ("long", 527 * 17, ['"mqm": 17 systems × 527 segments']),
    "zh-en/mqm_seg": ("long", 650 * 15, ['"mqm": 15 systems × 650 segments']),
}
TEXTS = {
    "en-de": (1002, ["src.en", "ref-A.de", "ref-C.de", "ref-D.de"], 20),
    "zh-en": (1948, ["src.zh", "ref-A.en"], 23),
}
TED = {
    "en-de": ("long", 7_406, ["14 systems × 529 segments"]),
    "zh-en": ("long", 7_935, ["15 systems × 529 segments"]),
}
# GPT4-5shot was judged twice in en-de, so it is two of the ten systems.
RATERS = {
    "en-de": ("ratings", 104 * 10 * 3, ["of 10 systems × 104 segments"]),
    "zh-en": ("ratings", 377 * 10 * 3, ["of 10 systems × 377 segments"]),
}
BT_EVAL = {
    "tac": (
        "long",
        96_252,
        [
            'TAC08 BLEU": 58 systems × 48 segments',
            'TAC09 BLEU": 55 systems × 44',
            'TAC11 BLEU": 50 systems × 44',
        ],
    ),
    "dialogue": ("long", 7_020, ["5 systems × 60 segments", "4 systems × 60 segments"]),
    "tac_pyramid": (
        "long",
        7_404,
        ["58 systems × 48 segments", "55 systems × 44 segments", "50 systems × 44 segments"],
    ),
}
RANKINGS = {
    "deu-eng": 20_937,
    "eng-ron": 11_352,
    "eng-tur": 11_184,
    "fin-eng": 30_519,
    "ron-eng": 15_822,
    "rus-eng": 27_353,
    "tur-eng": 10_188,
}

FILES = {
    **{f"wmt20-metrics/{name}.tsv.gz": told for name, told in WMT20.items()},
    **{f"wmt21-newstest-mqm/{name}.tsv.gz": told for name, told in NEWSTEST.items()},
    **{f"wmt21-ted-mqm/{name}.tsv.gz": told for name, told in TED.items()},
    **{f"wmt23-mqm-3raters/{name}.tsv.gz": told for name, told in RATERS.items()},
    **{f"bt-eval/{name}.csv.gz": told for name, told in BT_EVAL.items()},
    **{f"wmt16-rr/wmt16.{pair}.csv.gz": ("battles", rows, ["battles"]) for pair, rows in RANKINGS.items()},
    **{
        f"wmt21-newstest-mqm/{pair}/{name}.txt.gz": ("text", lines, [f"1 system × {lines:,} segments"])
        for pair, (lines, names, _) in TEXTS.items()
        for name in names
    },
}
FOLDERS = ("wmt20-metrics", "wmt21-newstest-mqm", "wmt21-ted-mqm", "wmt23-mqm-3raters", "bt-eval", "wmt16-rr")


CHOOSING = {"mqm_seg": "lp=en-de", "metric_seg": "lp=de-en", "da_seg": "lp=de-en", "metric_sys": "lp=cs-en"}
SLOW = {
    "wmt20-metrics/metric_seg.tsv.gz",
    "wmt20-metrics/da_seg.tsv.gz",
    "wmt20-metrics/metric_doc.tsv.gz",
    "bt-eval/tac.csv.gz",
    "metric_seg",
    "da_seg",
    "wmt20-metrics",
    "bt-eval",
    "wmt16-rr",
}


def marked(names):
    """The large ones are kept for the long run."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in names]


def is_said(what: str, contents: tuple[str, ...]) -> bool:
    """Whether a line of the contents says it; alternatives stand between bars."""
    return any(one in line for one in what.split("|") for line in contents)


@pytest.mark.parametrize("name", few(marked(FILES), 12))
def test_every_file_is_recognised(name):
    """The format, every row kept, no fault, and the counts of the README."""
    expected, rows, said = FILES[name]
    found = bt.check(DATA / name)
    assert (found.format, found.exit_code) == (expected, 0), found.problems
    assert found.rows_read > 0
    assert rows in (ANY, found.rows_read)
    assert found.rows_kept == found.rows_read
    for what in said:
        assert is_said(what, found.contents), (what, found.contents)


@pytest.mark.parametrize("pair", TEXTS)
def test_the_outputs_of_every_system_are_texts(pair):
    """One segment a line, as many as the README states; one system left lines empty, which is told."""
    lines, _, systems = TEXTS[pair]
    paths = sorted((DATA / "wmt21-newstest-mqm" / pair / "sys").iterdir())
    assert len(paths) == systems
    for path in paths:
        found = bt.check(path)
        assert (found.format, found.rows_read) == ("text", lines), path
        assert {problem.code for problem in found.problems} <= {"BT202"}, path


def test_segments_are_counted_by_language_pair():
    """As the README counts them."""
    notes = bt.check(DATA / "wmt20-metrics" / "segments.tsv.gz").notes[0]
    told = {"en-de": 1418, "zh-en": 2000, "de-en": 785, "en-ru": 2002, "km-en": 2320, "ps-en": 2719}
    for pair, count in told.items():
        assert f"{pair}: {count:,} segments" in notes


@pytest.mark.parametrize("name", marked(CHOOSING))
def test_a_file_of_several_language_pairs_says_which_flag_chooses(name):
    """And the flag helps."""
    value = CHOOSING[name]
    path = DATA / "wmt20-metrics" / f"{name}.tsv.gz"
    column, _, pair = value.partition("=")
    options = [option for note in bt.check(path).notes for option in getattr(note, "options", ())]
    assert {column: pair} in [option.value for option in options if option.name == "where"]
    tables = bt.read_metrics(path, where={column: pair})
    assert not any(metric.startswith(pair) for metric in tables)


def test_where_segments_are_needed_scores_of_systems_are_refused():
    """Later, not by check."""
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(DATA / "wmt21-newstest-mqm" / "comet_sys_refA.tsv.gz", where={"lp": "en-de"})
    assert caught.value.code == "BT103"


def test_no_file_is_left_out():
    """Every file of the six collections is checked above."""
    there = {
        path.relative_to(DATA).as_posix()
        for folder in FOLDERS
        for path in (DATA / folder).rglob("*")
        if path.is_file() and path.name != "README.md" and path.parent.name != "sys"
    }
    assert there == set(FILES)


@pytest.mark.parametrize("name", marked(FOLDERS))
def test_every_folder_is_recognised_file_by_file(name):
    """No fault with a folder whose files are all recognized."""
    assert bt.check(DATA / name).exit_code == 0
