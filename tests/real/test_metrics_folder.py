"""WMT20 as a folder of the metrics task, written and read back; conditions on tables of several data sets."""

from __future__ import annotations

import csv
import gzip
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.cli.main import main
from betterthan.read.formats.metrics_task.metrics_folder import (
    language_pairs,
    read_language_pairs,
    read_metrics_folder,
)
from betterthan.read.write.folders import metrics_folder_of, write_metrics_folder

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
WMT20, BT_EVAL = DATA / "wmt20-metrics", DATA / "bt-eval"
PAIRS = ("en-de", "zh-en")
N_SEGMENTS = {"en-de": 1418, "zh-en": 2000}  # newstest2020, as the task's overview has it

needs_wmt20 = pytest.mark.skipif(
    not WMT20.exists(), reason=f"no {WMT20}; set BETTERTHAN_DATA to the data's folder"
)
needs_bt_eval = pytest.mark.skipif(
    not BT_EVAL.exists(), reason=f"no {BT_EVAL}; set BETTERTHAN_DATA to the data's folder"
)


def rows_of(name):
    """The rows of a file, by the csv module alone."""
    with gzip.open(WMT20 / f"{name}.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


@cache
def published():
    """Every score that is published of both pairs: (pair, kind, name, system, line) to number."""
    cells = {}
    for row in rows_of("metric_seg"):
        if row["lp"] in PAIRS:
            cells[row["lp"], "metric", row["metric"], row["system"], row["seg_id"]] = float(row["score"])
    for row in rows_of("mqm_seg"):
        cells[row["lp"], "human", "mqm", row["system"], row["seg_id"]] = float(row["mqm"])
    return cells


@cache
def documents(pair):
    """The document of each segment, in the order of the lines."""
    return {row["seg_id"]: row["doc"] for row in rows_of("segments") if row["lp"] == pair}


def table_of(pair, kind, name):
    """One metric as a table, the systems in the order of the file."""
    of = {key[3:]: value for key, value in published().items() if key[:3] == (pair, kind, name)}
    systems = tuple(dict.fromkeys(system for system, _ in of))
    segments = tuple(documents(pair))
    values = [[of.get((system, segment), np.nan) for segment in segments] for system in systems]
    # More is better for every score of the task, TER and MQM included.
    return bt.Scores(name=name, systems=systems, segments=segments, values=values)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """WMT20 in the layout of the task; metrics are given the standard reference, human translations stay systems."""
    parts = []
    for pair in PAIRS:
        names = dict.fromkeys(key[2] for key in published() if key[:2] == (pair, "metric"))
        parts.append(
            metrics_folder_of(
                "wmt20",
                pair,
                metrics={f"{name}-ref": table_of(pair, "metric", name) for name in names},
                human={"mqm": table_of(pair, "human", "mqm")},
                segments=tuple(documents(pair)),
                groups=tuple(documents(pair).values()),
            )
        )
    path = tmp_path_factory.mktemp("mtme") / "wmt20"
    write_metrics_folder(path, parts)
    return path


@pytest.fixture(scope="module")
def read_back(folder):
    """Both pairs of the folder, read once for all tests."""
    return read_language_pairs(folder)


@needs_wmt20
@pytest.mark.slow  # 300,000 numbers are written and read back; small folders are tested beside the reader
def test_every_number_comes_back(read_back):
    """All scores of both pairs are the published ones to the last bit, and none is added."""
    seen = {}
    for pair, found in read_back.items():
        assert len(found.segments) == N_SEGMENTS[pair]
        assert found.groups == tuple(documents(pair).values())
        assert found.references == ("ref",)
        for kind, tables in (("human", found.human), ("metric", found.metrics)):
            for key, table in tables.items():
                assert table.higher_is_better
                for i, system in enumerate(table.systems):
                    for segment, value in zip(table.segments, table.values[i].tolist(), strict=True):
                        if value == value:  # noqa: PLR0124
                            seen[pair, kind, key.removesuffix("-ref"), system, segment] = value
    assert seen == published()
    assert len(seen) > 300_000


@needs_wmt20
@pytest.mark.slow
def test_what_is_in_the_folder(folder, read_back):
    """Two pairs, seven and eight metrics, ten judged systems of which three and two are human translations."""
    assert language_pairs(folder) == PAIRS
    found = read_back
    sizes = {
        pair: (len(each.metrics), len(each.human["mqm"].systems), len(set(each.groups)))
        for pair, each in found.items()
    }
    assert {pair: size[:2] for pair, size in sizes.items()} == {"en-de": (7, 10), "zh-en": (8, 10)}
    assert {pair: size[2] for pair, size in sizes.items()} == {
        pair: len(set(documents(pair).values())) for pair in PAIRS
    }
    for pair, many in (("en-de", 3), ("zh-en", 2)):
        people = [name for name in found[pair].human["mqm"].systems if name.startswith("Human-")]
        assert len(people) == many
        # The name of the folder is that of a known test set, whose usual gold score is not in it.
        assert found[pair].gold == "mqm"
        assert found[pair].reference == "ref"
    assert found["en-de"].outliers == ("zlabs-nlp.179", "WMTBiomedBaseline.388", "Online-G.1556")


@needs_wmt20
@pytest.mark.slow
def test_one_pair_must_be_chosen(folder):
    """Several pairs are refused with their names."""
    with pytest.raises(bt.ReadError, match=r"holds 2 language pairs: en-de, zh-en\. Choose one"):
        read_metrics_folder(folder)


def run(capsys, monkeypatch, tmp_path, *arguments):
    """Call the command line; return exit code and output."""
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return stopped.value.code, said.out, said.err


@needs_wmt20
@pytest.mark.slow
def test_check_says_what_the_folder_is(folder, capsys, monkeypatch, tmp_path):
    """Both pairs are counted without having to choose one, and every line is accounted for."""
    code, out, _ = run(capsys, monkeypatch, tmp_path, "check", folder)
    out = " ".join(out.split())
    assert "metrics_folder (human-scores or metric-scores in a folder; 2 language pairs: en-de, zh-en)" in out
    for pair in PAIRS:
        n_documents = len(set(documents(pair).values()))
        assert f'"{pair} mqm": 10 systems × {N_SEGMENTS[pair]:,} segments in {n_documents} documents' in out
    lines = sum(len(path.read_text().split("\n")) - 1 for path in folder.rglob("*.score"))
    assert f"{lines:,} of {lines:,} rows kept" in out
    assert code == int("BT102" in out or "BT104" in out)


@needs_wmt20
@pytest.mark.slow
def test_a_metric_of_the_folder_is_ranked(folder, capsys, monkeypatch, tmp_path):
    """One command goes from the folder to a ranking, with the numbers of the table itself."""
    arguments = ("rank", folder, "--where", "lp=en-de", "--metric", "mqm", "-f", "csv")
    code, out, err = run(capsys, monkeypatch, tmp_path, *arguments)
    assert code == 0, err
    strengths = {row["system"]: float(row["strength"]) for row in csv.DictReader(out.split("\n"))}
    table = table_of("en-de", "human", "mqm")
    means = dict(zip(table.systems, table.values.mean(axis=1).tolist(), strict=True))
    assert list(strengths) == sorted(means, key=lambda name: -means[name])
    assert strengths == pytest.approx(means, abs=1e-6)


@needs_wmt20
@pytest.mark.slow
def test_rows_of_one_pair_are_kept_from_a_table_of_all(folder):
    """The published file with lp=en-de gives the scores of the folder."""
    path = WMT20 / "metric_seg.tsv.gz"
    with pytest.raises(bt.ReadError, match=r'where=\{"lp"'):
        bt.read_metrics(path)
    tables = bt.read_metrics(path, where={"lp": "en-de"}, lower_is_better=False)
    of_folder = read_metrics_folder(folder, language_pair="en-de").metrics
    assert {f"{name}-ref" for name in tables} == set(of_folder)
    for name, table in tables.items():
        other = of_folder[f"{name}-ref"]
        assert table.select(other.systems, other.segments).values.tobytes() == other.values.tobytes()


@needs_bt_eval
def test_a_data_set_and_a_metric_of_many_are_ranked(capsys, monkeypatch, tmp_path):
    """TAC08 by BLEU out of a file of three data sets and thirteen metrics: the means are those of its rows."""
    path = BT_EVAL / "tac.csv.gz"
    code, _, err = run(capsys, monkeypatch, tmp_path, "rank", path, "--metric", "BLEU")
    assert code == 2
    assert re.search(
        r'Column "dataset" distinguishes the rows: .*--where dataset=TAC08', " ".join(err.split())
    )
    arguments = ("rank", path, "--where", "dataset=TAC08", "--where", "metric=BLEU", "-f", "csv")
    code, out, err = run(capsys, monkeypatch, tmp_path, *arguments)
    assert code == 0, err
    scores = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["dataset"], row["metric"]) == ("TAC08", "BLEU"):
                scores.setdefault(row["system"], []).append(float(row["score"]))
    found = {row["system"]: float(row["strength"]) for row in csv.DictReader(out.split("\n"))}
    assert len(found) == 58
    assert found == pytest.approx({name: float(np.mean(own)) for name, own in scores.items()}, abs=1e-6)
