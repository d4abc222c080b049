"""Details of lighteval: the fixtures were written by lighteval 0.13.0 itself, with its dummy model."""

# ruff: noqa: S608  (queries of our own)
from __future__ import annotations

import io
import random
import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

FIXTURES = Path(__file__).parent / "fixtures"
TIME = "2026-11-16T03-07-01.503914"


def placed(folder, model, fixture, task="pick|0", time=TIME):
    """A file where lighteval puts it."""
    where = folder / "details" / model / time
    where.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(FIXTURES / fixture, where / f"details_{task}_{time}.parquet"))


def made(path, query):
    """A file of our own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.fixture
def runs(tmp_path):
    """Two models on one task."""
    placed(tmp_path, "org/one", "lighteval_one.parquet")
    placed(tmp_path, "org/two", "lighteval_two.parquet", time="2026-11-16T03-07-38.965982")
    return tmp_path


def counted(fixture):
    """The metrics of each question, read by plain SQL."""
    rows = duckdb.sql(f"SELECT doc.query, metric.acc, metric.em FROM '{FIXTURES / fixture}'").fetchall()
    acc = {query: value for query, value, _ in rows if value is not None}
    em = {query: value for query, _, value in rows if value is not None}
    return acc, em


def test_a_folder_of_models_against_plain_sql(runs):
    """A document has a row for each way of asking; each metric is taken from where it was measured."""
    tables = bt.read_metrics(runs)
    assert list(tables) == ["acc", "em"]
    assert tables["acc"].systems == ("org/one", "org/two")
    for system, fixture in (("org/one", "lighteval_one.parquet"), ("org/two", "lighteval_two.parquet")):
        for name, plain in zip(("acc", "em"), counted(fixture), strict=True):
            found = tables[name].select([system]).values[0]
            assert found.size == 4
            assert sorted(found.tolist()) == sorted(plain.values())
    # As lighteval printed them: acc 0.5 and 0.75.
    assert tables["acc"].values.mean(axis=1).tolist() == [0.5, 0.75]
    assert not np.isnan(tables["em"].values).any()


@pytest.mark.parametrize("what", ["folder", "pattern", "list"])
def test_a_folder_a_pattern_and_a_list_are_the_same(runs, what):
    """However the files are named."""
    files = sorted(runs.rglob("*.parquet"))
    given = {"folder": runs, "pattern": f"{runs}/details/*/*/*/*.parquet", "list": files}[what]
    assert sniff(given).format == "lighteval"
    if what != "list":  # a list is for read_metrics a list of tables, each with metrics of its own
        assert bt.read_metrics(given)["acc"] == bt.read_metrics(runs)["acc"]
    reading = read_any(given)
    assert (reading.rows_read, reading.rows_kept) == (16, 16)


def test_a_name_can_be_given(runs):
    """Instead of the folder's."""
    path = next(runs.rglob("*/one/*/*.parquet"))
    assert bt.read_metrics(f"ours={path}")["acc"].systems == ("ours",)


def test_tasks_are_not_pooled(runs):
    """The same metric on two tasks is two tables."""
    placed(runs, "org/one", "lighteval_two.parquet", task="other|0")
    assert set(bt.read_metrics(runs)) == {"pick|0: acc", "pick|0: em", "other|0: acc", "other|0: em"}


def test_two_runs_of_one_model_are_refused(runs):
    """Both cannot count."""
    placed(runs, "org/one", "lighteval_two.parquet", time="2026-12-24T00-00-00.000000")
    with pytest.raises(ReadError, match=r'"org/one" ran "pick|0" in .* and in') as caught:
        read_any(runs)
    assert caught.value.code == "BT198"


STRUCT = "{'query': 'q' || i, 'choices': ['a'], 'id': i::VARCHAR} AS doc, {'text': 'x'} AS model_response"


def test_lists_are_left_out_with_the_reason(tmp_path):
    """What is no number of a single document."""
    query = f"SELECT {STRUCT}, {{'acc': i % 2, 'bleu': [1.5, 2]}} AS metric FROM range(4) t(i)"
    reading = read_any(made(tmp_path / "details_x.parquet", query))
    assert [table.name for table in reading.tables] == ["acc"]
    assert reading.dropped == {"list, not a score": 4}
    assert "BT193" in [problem.code for problem in reading.problems]
    only = f"SELECT {STRUCT}, {{'bleu': [1.5, 2]}} AS metric FROM range(4) t(i)"
    with pytest.raises(ReadError, match="Not scores of single documents") as caught:
        read_any(made(tmp_path / "b" / "details_y.parquet", only))
    assert caught.value.code == "BT193"


def test_equal_documents_are_told_apart_by_their_numbers(tmp_path):
    """Data sets hold some questions twice; null everywhere is missing."""
    doc = STRUCT.replace("'q' || i", "'same'")
    query = f"SELECT {doc}, {{'acc': CASE WHEN i = 2 THEN NULL ELSE i END}} AS metric FROM range(3) t(i)"
    scores = bt.read_scores(made(tmp_path / "details_x.parquet", query))
    assert [segment.partition("#")[2] for segment in scores.segments] == ["", "2", "3"]
    assert np.array_equal(scores.values, [[0, 1, np.nan]], equal_nan=True)


def test_columns_of_older_versions(tmp_path):
    """They had other names."""
    query = "SELECT 'q' || i AS example, {'acc': i % 2} AS metrics, 'x' AS predictions, 1 AS gold FROM range(4) t(i)"
    scores = bt.read_scores(made(tmp_path / "details_x.parquet", query))
    assert scores.values.tolist() == [[0, 1, 0, 1]]


def test_a_tidy_table_is_not_taken(tmp_path):
    """It may have columns of the same names."""
    query = "SELECT 's' || i AS item, 'A' AS system, i AS score, 'M' AS metric, 'd' AS doc FROM range(3) t(i)"
    assert sniff(made(tmp_path / "tidy.parquet", query)).format == "long"


def test_damage(tmp_path):
    """Metrics that are no structure, and a column that is not there."""
    number = made(tmp_path / "details_x.parquet", f"SELECT {STRUCT}, 3 AS metric FROM range(4) t(i)")
    with pytest.raises(ReadError, match="The metrics of row 1 are not a structure") as caught:
        read_any(number, format="lighteval")
    assert caught.value.code == "BT190"
    lacking = made(tmp_path / "y.parquet", "SELECT 1 AS a, 2 AS b")
    with pytest.raises(ReadError, match="no columns for the document") as caught:
        read_any(lacking, format="lighteval")
    assert caught.value.code == "BT190"


def test_links_out_of_the_folder_are_refused(tmp_path):
    """As in other folders."""
    path = placed(tmp_path / "outside", "m", "lighteval_one.parquet")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "details_x.parquet").symlink_to(path)
    with pytest.raises(ReadError, match="leads out of the folder"):
        read_any(tmp_path / "in")


@pytest.mark.timeout(1800)  # the engine is started for each of them
@pytest.mark.parametrize("trials", [12, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    good = (FIXTURES / "lighteval_one.parquet").read_bytes()
    rng = random.Random(f"lighteval {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(good, rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="lighteval"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
