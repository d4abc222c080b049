"""convert: what is written comes back equal, for every kind of table; nothing is lost without a word."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.everyday import few
from tests.made_metrics_folder import files

import betterthan as bt
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz")


@pytest.fixture
def battles(tmp_path):
    """Battles with questions, judges, lengths and an object of style."""
    rng = np.random.default_rng(3)
    n = 40
    names = np.array(["Kea", "Moa", "Tui"])
    left = rng.integers(0, 3, n)
    frame = pl.DataFrame(
        {
            "question_id": [f"q{i}" for i in rng.permutation(n)],
            "model_a": names[left],
            "model_b": names[(left + rng.integers(1, 3, n)) % 3],
            "winner": rng.choice(["model_a", "model_b", "tie"], n),
            "judge": [f"j{i}" for i in np.arange(n) % 12],
            "len_a": rng.normal(size=n),
            "len_b": rng.normal(size=n),
            "meta": [{"bold_a": {"**": int(k), "__": 1}, "bold_b": {"**": 2, "__": 0}} for k in range(n)],
        }
    )
    path = tmp_path / "battles.parquet"
    frame.write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", few(SUFFIXES))
def test_battles_keep_segments_judges_and_covariates(betterthan, battles, tmp_path, suffix):
    """Every row, in its order; the differences stand in columns that the next reading finds."""
    target = tmp_path / f"tidy{suffix}"
    said = betterthan("convert", battles, "-o", target)
    assert said.code == 0, said
    whole = bt.read_matches(battles, covariates=["*"])
    assert whole.covariate_names == ("len_a-len_b", "bold_a-bold_b")
    again = bt.read_matches(target, covariates=["*"])
    assert (again.digest, again.covariate_names) == (whole.digest, whole.covariate_names)
    named = bt.read_matches(target, keep=("item", "judge"), covariates=["len_a-len_b", "bold_a-bold_b"])
    assert named.digest == whole.digest
    assert betterthan("rank", target, "--covariate", "len_a-len_b").code == 0


def test_a_second_conversion_changes_nothing(betterthan, battles, tmp_path):
    """Tidy is a fixed point, byte for byte."""
    for source, target in ((battles, "one.csv"), (tmp_path / "one.csv", "two.csv")):
        assert betterthan("convert", source, "-o", tmp_path / target).code == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_more_than_ten_codes_come_back_in_their_order(tmp_path):
    """As texts, "10" stands before "2"; so codes are written with zeros before them."""
    n = 250
    rng = np.random.default_rng(0)
    table = bt.Matches(
        systems=["A", "B"],
        left=np.zeros(n, dtype=int),
        right=np.ones(n, dtype=int),
        outcome=rng.choice([0, 0.5, 1], n),
        weight=rng.random(n),
        segment=rng.permutation(n),
        group=np.arange(n) % 120,
        covariates=rng.normal(size=(n, 3)),
        covariate_names=["weight", "judge", "covariate left"],
    )
    for suffix in SUFFIXES:
        bt.write_table(table, tmp_path / f"t{suffix}")
        again = bt.read_matches(tmp_path / f"t{suffix}", covariates=["*"])
        assert again.digest == table.digest
        asked = bt.read_matches(tmp_path / f"t{suffix}", keep=("item",), covariates=["weight"])
        np.testing.assert_array_equal(asked.covariates[:, 0], table.covariates[:, 0])


def test_what_has_gaps_is_left_out_with_a_word(betterthan, tmp_path):
    """A question or a length that is missing in some rows does not stop the conversion, but is said."""
    rows = [
        {"model_a": "x", "model_b": "y", "winner": "tie", "question_id": q, "len_a": i, "len_b": 2}
        for i, q in enumerate(["q", None, "r"])
    ]
    rows[2]["len_a"] = None
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = betterthan("convert", path, "-o", tmp_path / "t.csv")
    assert said.code == 0
    assert 'The column "question_id" has no segment in 1 of 3 rows and is not kept.' in said.err
    assert 'The column "len_a-len_b" has no number in 1 of 3 rows and is not kept.' in said.err
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").startswith("a,b,outcome,weight\n")


def test_too_many_battles_are_counted_with_a_word(betterthan, battles, tmp_path, monkeypatch):
    """Memory stays bounded; the judges stay."""
    monkeypatch.setattr("betterthan.read.formats.battles.battle_columns.MOST_ROWS", 39)
    said = betterthan("convert", battles, "-o", tmp_path / "t.csv")
    assert said.code == 0
    assert "40 battles exceed the limit of 39, so they are aggregated" in said.err
    assert bt.read_matches(tmp_path / "t.csv", keep=("judge",)).n_matches == 40


def test_shares_of_a_win_survive(betterthan, tmp_path):
    """Two rows of one group for each, with their weights."""
    rows = [
        {"generator_1": "x", "generator_2": "y", "preference": p, "instruction": f"i{p}"}
        for p in (1.25, 1.9, 2)
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert betterthan("convert", path, "-o", tmp_path / "t.csv").code == 0
    whole = read_any(path, Options(covariates=("*",))).tables[0]
    assert bt.read_matches(tmp_path / "t.csv", keep=("item", "judge")).digest == whole.digest
    assert whole.n_matches == 3


TABLES = {
    "scores": "item,system,metric,score,doc\n1,A,m,0.1,x\n2,A,m,,x\n1,B,m,0.5,x\n2,B,m,1e-300,x\n",
    "ratings": "item,system,rater,score\n1,A,r,70\n1,A,s,30\n1,B,r,0.5\n",
    "tags": "item,system,position,tag\n1,@gold,0,OK\n1,@gold,1,BAD\n1,A,0,BAD\n1,A,1,BAD\n",
    "texts": "item,system,text\n1,A,Ein Satz.\n1,@ref:r,Noch einer\n1,@src,One\n2,A,\n2,@ref:r,x\n2,@src,y\n",
    "matches": "a,b,outcome,weight,item,judge\nA,B,1.0,1.0,0,0\nB,A,0.5,2.5,1,0\nA,B,0.0,1.0,1,1\n",
}


@pytest.mark.parametrize("suffix", few(SUFFIXES, 3))
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_comes_back_equal(betterthan, tmp_path, kind, suffix):
    """From a tidy file to a tidy file of any container."""
    path = tmp_path / f"{kind}.csv"
    path.write_text(TABLES[kind], encoding="utf-8")
    target = tmp_path / "out" / f"{kind}{suffix}"
    target.parent.mkdir()
    said = betterthan("convert", path, "-o", target)
    assert said.code == 0, said
    options = Options(covariates=("*",))
    before, after = (read_any(place, options) for place in (path, target))
    assert before.format.kind == after.format.kind == kind
    assert [table.digest for table in before.tables] == [table.digest for table in after.tables]


@pytest.fixture
def metrics(tmp_path):
    """Scores of three metrics, one of them human and one where less is better, in mixed documents."""
    rows = ["item,system,metric,score,doc"]
    for k, name in enumerate(("BLEU-refA", "loss-src", "speed-src", "mqm")):
        for s, system in enumerate("AB"):
            rows += [
                f"s{i},{system},{name},{(-1 if name == 'mqm' else 1) * (i + 1.5 * s + k)},d{i % 2}"
                for i in range(4)
            ]
    path = tmp_path / "metrics.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_scores_become_a_folder_of_the_metrics_task(betterthan, metrics, tmp_path):
    """Goodness, documents and human scores come back; segments are lines; the order is that of the documents."""
    target = tmp_path / "mini"
    said = betterthan(
        "convert", metrics, "-o", target, "--to", "mtme", "--language-pair", "en-de", "--human", "mqm",
        "--lower-is-better", "speed-src",
    )  # fmt: skip
    assert said.code == 0, said
    assert "Segments were put in the order of their documents." in said.err
    assert '"speed-src" was written with its sign changed' in said.err
    found = bt.read_metrics_folder(target)
    before = bt.read_metrics(metrics, lower_is_better=["loss-src", "speed-src"])
    assert (list(found.human), found.language_pair) == (["mqm"], "en-de")
    assert found.groups == ("d0", "d0", "d1", "d1")
    order = [0, 2, 1, 3]
    for name, table in {**found.human, **found.metrics}.items():
        np.testing.assert_array_equal(table.goodness, before[name].goodness[:, order])
        assert table.systems == before[name].systems


def test_a_folder_is_copied_with_all_its_levels(betterthan, tmp_path):
    """Every pair and level, references among the systems, missing scores missing; a copy of a copy is the same."""
    source = tmp_path / "mini"
    for place, text in {**files("en-de"), **files("de-en")}.items():
        path = source / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for place, target in (
        (source, tmp_path / "a" / "mini"),
        (tmp_path / "a" / "mini", tmp_path / "b" / "mini"),
    ):
        said = betterthan("convert", place, "-o", target, "--to", "mtme")
        assert said.code == 0, said
    one, two = tmp_path / "a" / "mini", tmp_path / "b" / "mini"
    written = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert {str(path) for path in written} == {
        place for pair in ("en-de", "de-en") for place in files(pair)
        if place.split("/")[0] in ("documents", "human-scores", "metric-scores")
    }  # fmt: skip
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in written)
    for pair in ("en-de", "de-en"):
        for level in ("seg", "doc", "domain", "sys"):
            options = {"language_pair": pair, "level": level, "include_references": True}
            before, after = (bt.read_metrics_folder(place, **options) for place in (source, one))
            assert before.metrics.keys() == after.metrics.keys()
            for name, table in {**before.metrics, **before.human}.items():
                assert table.digest == {**after.metrics, **after.human}[name].digest
    said = betterthan(
        "convert", source, "-o", tmp_path / "c", "--to", "mtme", "--where", "lp=en-de", "--where", "level=sys"
    )
    assert said.code == 0
    assert not (tmp_path / "c" / "metric-scores" / "de-en").exists()
    assert not list((tmp_path / "c").rglob("*.seg.score"))


def test_ratings_are_averaged_into_a_folder(betterthan, tmp_path):
    """They are human scores."""
    path = tmp_path / "da.csv"
    path.write_text(
        "item,system,rater,score\n1,A,r,70\n1,A,s,30\n1,B,r,5\n2,A,r,1\n2,B,s,2\n", encoding="utf-8"
    )
    said = betterthan("convert", path, "-o", tmp_path / "out", "--to", "mtme", "--language-pair", "en-de")
    assert said.code == 0, said
    assert 'Ratings "da" were averaged over their judges.' in said.err
    assert bt.read_metrics_folder(tmp_path / "out").human["da"].values.tolist() == [[50, 1], [5, 2]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "mtme"), "error[BT314]"),
        (("--to", "mtme", "--language-pair", "en-de", "--human", "DA"), 'Unknown table "DA"'),
        (("--language-pair", "en-de"), "--language-pair is for --to mtme"),
        (("--human", "mqm"), "--human is for --to mtme"),
    ],
)
def test_what_is_missing_or_ignored_is_refused(betterthan, metrics, tmp_path, arguments, message):
    """Exit code 2, one line, nothing written."""
    said = betterthan("convert", metrics, "-o", tmp_path / "out", *arguments)
    assert said.code == 2
    assert message in said.err
    assert not (tmp_path / "out").exists()


def test_battles_have_no_place_in_such_a_folder(betterthan, battles, metrics, tmp_path):
    """And a folder that holds something is not touched."""
    pair = ("--to", "mtme", "--language-pair", "en-de")
    assert "error[BT315]" in betterthan("convert", battles, "-o", tmp_path / "out", *pair).err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x", encoding="utf-8")
    said = betterthan("convert", metrics, "-o", tmp_path / "full", *pair)
    assert said.code == 2
    assert "is not an empty folder. Choose another location." in said.err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["x"]


def test_names_do_not_steer_the_terminal(betterthan, tmp_path):
    """Control characters are written out, in what is said and in rows that go to the terminal; files keep them."""
    name = "ter\x1b[2Jm"
    (tmp_path / "scores.csv").write_text(f"item,system,{name}\n1,A,0.5\n1,B,0.25\n2,A,0.5\n2,B,0.75\n")
    said = betterthan("convert", tmp_path / "scores.csv", "-o", tmp_path / "tidy.csv")
    assert said.code == 0
    assert "\x1b" not in said.out + said.err
    assert "ter\\x1b[2Jm" in said.err
    assert name in (tmp_path / "tidy.csv").read_text()
    (tmp_path / "ref.txt").write_text("one two three four\n")
    (tmp_path / f"{name}.txt").write_text("one two three five\n")
    texts = ("--reference", tmp_path / "ref.txt", tmp_path / f"{name}.txt", "--segments")
    said = betterthan("score", "bleu", *texts)
    assert said.code == 0
    assert "\x1b" not in said.out + said.err
    assert "ter\\x1b[2Jm" in said.out
