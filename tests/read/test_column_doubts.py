"""Columns, rows and layouts that could be misread are doubted before anything is ranked."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pytest

from betterthan.errors import ReadError, UnknownName
from betterthan.read.check import check
from betterthan.read.plausibility.columns import doubtful_columns, meaning_of
from betterthan.read.problems import PROBLEMS
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics, read_ratings, read_scores
from betterthan.read.sniff import read_any

N = 40
DRAW = np.random.default_rng(7)
A, B, C = (np.round(DRAW.uniform(0, 1, N), 4) for _ in range(3))
PERCENT = [np.round(100 * column, 1) for column in (A, B, C)]
RIGHT = [(DRAW.uniform(0, 1, N) < share).astype(int) for share in (0.5, 0.6, 0.3)]
LIKERT = [DRAW.integers(1, 6, N) for _ in range(3)]
IDS = [f"s{i}" for i in range(N)]


def csv(columns, delimiter=","):
    """Return a table as text."""
    rows = zip(*columns.values(), strict=True)
    return "".join(delimiter.join(map(str, row)) + "\n" for row in (tuple(columns), *rows))


def read(columns, **options):
    """Read a wide table from text."""
    return read_scores(io.StringIO(csv(columns)), **options)


def refused(columns, code, **options):
    """Return the message with which a table is refused; it has an explanation and is not too long."""
    with pytest.raises(ReadError) as caught:
        read_scores(columns if isinstance(columns, str) else io.StringIO(csv(columns)), **options)
    assert caught.value.code == code
    assert code in PROBLEMS
    assert len(str(caught.value)) <= 500
    return caught.value.message


def text_of(text, code, **options):
    """Return the message with which a text is refused."""
    with pytest.raises(ReadError) as caught:
        read_scores(io.StringIO(text), **options)
    assert caught.value.code == code
    return caught.value.message


BY_NAME = [
    "len", "length", "n_tokens", "words", "Response Length", "num-tokens", "rank", "Rank", "avg", "average", "mean",
    "mean_score", "avgScore", "total", "sum", "count", "n", "latency", "latency_ms", "latency (s)", "seconds", "cost",
    "price", "total_cost_usd", "rater", "annotator", "Judge", "rater 2", "year", "fold", "label", "gold", "gold_label",
    "human_score", "human rating", "std", "delta", "BLEU", "chrF++", "COMET-22",
]  # fmt: skip


@pytest.mark.parametrize("name", BY_NAME)
def test_a_column_that_is_named_like_something_else_stops(name):
    """Lengths, ranks, averages, costs, raters and metrics are not ranked as systems unless the user says so."""
    columns = {"id": IDS, "GPT": A, "Llama": B, name: DRAW.integers(2, 9, N)}
    message = refused(columns, "BT210")
    assert f'"{name}"' in message
    assert f'ignore=["{name}"]' in message
    assert f'keep=["{name}"]' in message
    assert read(columns, ignore=[name]).systems == ("GPT", "Llama")
    assert read(columns, keep=[name]).systems == ("GPT", "Llama", name)


@pytest.mark.parametrize("name", ["seed", "split", "time", "epoch", "weight"])
def test_a_column_that_describes_rows_is_left_out_aloud(name):
    """Numbers that only describe a row are no system, and a note says that they were left out."""
    found = read({"id": IDS, "GPT": A, "Llama": B, name: DRAW.integers(2, 9, N)})
    assert found.systems == ("GPT", "Llama")
    assert f'Columns that describe rows were left out: "{name}".' in found.notes
    assert name in read({"id": IDS, "GPT": A, name: B}, keep=name).systems


@pytest.mark.parametrize(
    "name", ["qid", "prompt_id", "promptId", "caseID", "row", "#", "nr", "No", "rowid", "test_case_id", "key"]
)
@pytest.mark.parametrize("start", [0, 1, 4711])
def test_a_column_of_ids_names_the_segments(name, start):
    """Where name and values both say so, the column is the segment's id, and a note says it."""
    ids = list(range(start, start + N))
    found = read({name: ids, "GPT": A, "Llama": B})
    assert found.systems == ("GPT", "Llama")
    assert found.segments == tuple(map(str, ids))
    assert found.notes == (f'Column "{name}" names the segments.',)


def test_a_second_column_of_ids_is_left_out():
    """Only one column can name the segments."""
    found = read({"id": IDS, "row": range(N), "GPT": A, "Llama": B})
    assert (found.systems, found.segments) == (("GPT", "Llama"), tuple(IDS))
    assert found.notes == ('Columns of ids were left out: "row".',)


def test_ids_that_repeat_stop():
    """Whether rows with the same id belong together cannot be guessed."""
    assert "an identifier" in refused({"prompt_id": [i // 2 for i in range(N)], "A": A, "B": B}, "BT210")


def test_numbers_that_count_rows_stop_whatever_their_name():
    """Whole numbers that rise from row to row while no other column does are ids."""
    assert "increases from row to row (1, 2, 3, …)" in refused(
        {"x": range(1, N + 1), "A": A, "B": B}, "BT210"
    )
    assert "increases" in refused({"A": A, "B": B, "when": np.cumsum(DRAW.integers(1, 99, N))}, "BT210")
    shuffled = DRAW.permutation(N)
    assert "once, as ids and ranks do" in refused({"A": PERCENT[0], "B": PERCENT[1], "x": shuffled}, "BT210")
    assert read({"x": range(1, N + 1), "A": A, "B": B}, item="x").systems == ("A", "B")
    assert read({"x": range(1, N + 1), "A": range(N), "B": range(9, N + 9)}).systems == ("x", "A", "B")


@pytest.mark.parametrize("others", [(A, B, C), PERCENT, LIKERT], ids=["share", "percent", "grades"])
@pytest.mark.parametrize("decimals", [2, 6])
def test_a_column_computed_from_the_others_stops(others, decimals):
    """Means, sums and differences are found by their values, rounded or not."""
    mean, total = np.mean(others, axis=0).round(decimals), np.sum(others, axis=0)
    systems = dict(zip("ABC", others, strict=True))
    assert 'is the mean of "A", "B", "C" on every row' in refused({**systems, "all": mean}, "BT210")
    assert 'is the sum of "A", "B", "C" on every row' in refused({**systems, "all": total}, "BT210")
    part = {
        "A": others[0],
        "B": others[1],
        "both": np.mean(others[:2], axis=0).round(decimals),
        "C": others[2],
    }
    assert 'is the mean of "A", "B" on every row' in refused(part, "BT210")
    change = np.asarray(others[0] - others[1]).round(6)
    assert '"A" minus "B"' in refused({"A": others[0], "B": others[1], "C": others[2], "x": change}, "BT210")
    assert "maximum" in refused({"A": A, "B": B, "top": np.maximum(A, B)}, "BT210")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (DRAW.integers(37, 513, N), "another scale ("),
        (np.round(DRAW.uniform(350, 2000, N), 1), "another scale"),
        (PERCENT[2] + 20, "percent where the others are shares"),
        (LIKERT[0] + 1, "another scale"),
    ],
    ids=["length", "milliseconds", "percent", "grades"],
)
def test_a_column_on_another_scale_stops(values, words):
    """What is far from all other columns is probably something else."""
    values = np.minimum(values, 100) if "percent" in words else values
    assert words in refused({"id": IDS, "A": A, "B": B, "x": values}, "BT210")


def test_a_column_of_the_other_sign_stops():
    """Penalties beside negated penalties would turn a ranking round."""
    mqm = -DRAW.integers(0, 26, (3, N)).astype(float)
    assert read(dict(zip("ABC", mqm, strict=True)), lower_is_better=False).n_systems == 3
    message = refused({"A": mqm[0], "B": mqm[1], "C": -mqm[2]}, "BT210", lower_is_better=False)
    assert "positive where the others are negative" in message


def test_one_system_left_is_said():
    """The advice fits when only one system would be left."""
    assert 'which leaves only one system, "GPT"' in refused(
        {"id": IDS, "length": LIKERT[0], "GPT": A}, "BT210"
    )
    assert "leaves no system" in refused({"id": IDS, "rater 1": LIKERT[0], "rater 2": LIKERT[1]}, "BT210")


def test_metrics_of_one_system_are_not_ranked():
    """Columns called like metrics belong to one system."""
    for names in (("BLEU", "COMET", "human"), ("score", "passed", "latency"), ("accuracy", "f1", "recall")):
        code = "BT210" if "latency" in names else "BT211"
        assert "use keep=[" in refused({"id": IDS, **dict(zip(names, (A, B, C), strict=True))}, code)


def test_human_is_a_baseline_or_judgments():
    """Beside systems "human" may be either, so the user is asked."""
    table = {"id": IDS, "GPT": A, "Llama": B, "human": C}
    asked = refused(table, "BT210")
    assert "is named like human judgments" in asked
    assert 'ignore=["human"]' in asked
    assert read(table, keep=["human"]).systems == ("GPT", "Llama", "human")
    assert read(table, ignore=["human"]).systems == ("GPT", "Llama")


FINE = {
    "names that begin like measures": {"rank-1-model": A, "mean-pooling": B, "Total-7B": C, "gpt-4": A[::-1]},
    "human translations": {"Human-A.0": A, "Human-B.0": B, "Online-A": C},
    "letters": {"m": A, "n": B, "x": C},
    "right and wrong": dict(zip("ABC", RIGHT, strict=True)),
    "grades": dict(zip("ABC", LIKERT, strict=True)),
    "percent": dict(zip("ABC", PERCENT, strict=True)),
    "a system that is always right": {"A": RIGHT[0], "B": RIGHT[1], "C": np.ones(N, dtype=int)},
    "a system that always fails": {"A": A, "B": B, "C": np.zeros(N)},
    "a system that is right wherever another is": {"A": RIGHT[0], "B": RIGHT[1], "C": RIGHT[0] | RIGHT[1]},
    "a much worse system": {"A": PERCENT[0], "B": PERCENT[1], "C": PERCENT[2] / 8},
    "two systems far apart": {"A": A / 10, "B": 0.9 + A / 10},
    "z scores": dict(zip("ABC", DRAW.normal(size=(3, N)).round(3), strict=True)),
    "rare penalties": {"A": (LIKERT[0] == 5) * -5.0, "B": (LIKERT[1] == 5) * -1.0, "C": -LIKERT[2] * 1.0},
    "log probabilities": {"A": -PERCENT[0], "B": -PERCENT[1] * 3},
    "perplexities": {"A": 10 + PERCENT[0], "B": 30 + 2 * PERCENT[1], "C": 12 + PERCENT[2]},
    "numbers for names": {"7": A, "13": B},
    "two equal systems": {"A": A, "B": A, "C": B},
    "checkpoints": {"step-1000": A, "step-2000": B, "step-3000": C},
    "versions": {"v1": A, "v2": B, "v3": C},
    "systems 1 to 3": {"sys1": A, "sys2": B, "sys3": C},
    "max": {"Qwen-Max": A, "GPT-4o-mini": B, "o1": C},
}


@pytest.mark.parametrize("name", FINE)
def test_no_false_doubts(name):
    """Tables that are plainly fine are read without a word."""
    found = read({"id": IDS, **FINE[name]}, lower_is_better=False)
    assert found.systems == tuple(FINE[name])
    assert found.notes == ()


def test_few_rows_give_no_doubt_by_value():
    """Three rows show nothing, and five scores may be in order by chance."""
    sorted_ = {"item": range(5), "A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18], "C": [5, 11, 12, 17, 1]}
    assert read(sorted_).n_systems == 3
    assert read({"A": [1, 2, 3], "B": [200, 100, 300], "C": [201, 102, 303]}).n_systems == 3


def test_what_is_ignored_or_kept_must_exist():
    """A slip in a name is an error, as are contradictions."""
    columns = {"id": IDS, "A": A, "B": B, "rank": LIKERT[0]}
    for options in ({"ignore": "rnak"}, {"keep": ["rnak"]}):
        with pytest.raises(UnknownName, match='Unknown column "rnak"'):
            read(columns, **options)
    assert "both ignored and used" in refused(columns, "BT214", ignore="rank", keep="rank")
    assert "both ignored and used" in refused(columns, "BT214", ignore="id", item="id")
    battles = io.StringIO("model_a,model_b,winner\nA,B,model_a\n")
    with pytest.raises(ReadError, match="ignore chooses among the columns of a table of scores"):
        read_any(battles, Options(ignore_columns=("winner",)))
    with pytest.raises(ReadError, match="keep chooses"):
        read_any({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"]}, Options(keep_columns=("winner",)))


def test_long_tables_ignore_and_keep_columns_too():
    """In a long table the columns of numbers are metrics."""
    long = {"item": [1, 1, 2, 2], "system": list("ABAB"), "x": [0.1, 0.2, 0.3, 0.4], "year": [1, 2, 3, 4]}
    assert list(read_metrics(long)) == ["x", "year"]
    assert list(read_metrics(long, ignore=("year",))) == ["x"]
    weights = {**long, "weight": [1, 2, 1, 2]}
    assert list(read_metrics(weights, keep=("weight",))) == ["x", "year", "weight"]
    with pytest.raises(ReadError, match="no other column can be kept"):
        read_metrics({**long, "score": [1, 2, 3, 4]}, keep=("x",))
    rated = {**long, "rater": list("ppqq")}
    assert read_ratings(rated, ignore=("year",)).name == "x"


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "dict", "pandas"])
def test_every_container_is_doubted_alike(kind, tmp_path):
    """The doubt does not depend on how the table came."""
    columns = {
        "qid": list(range(1, N + 1)),
        "length": LIKERT[0].tolist(),
        "GPT": A.tolist(),
        "Llama": B.tolist(),
    }
    given = _as(kind, columns, tmp_path)
    with pytest.raises(ReadError) as caught:
        read_scores(given)
    assert caught.value.message == (
        'Column "length" is named like a length, so it may not be a system. Leave it out with '
        'ignore=["length"]; if it is a system, use keep=["length"].'
    )
    found = read_scores(given, ignore="length")
    assert (found.systems, found.segments) == (("GPT", "Llama"), tuple(map(str, columns["qid"])))
    np.testing.assert_array_equal(found.values, [A, B])


def _as(kind, columns, folder):
    if kind == "dict":
        return columns
    if kind in ("pandas", "parquet"):
        pandas = pytest.importorskip("pandas")
        if kind == "pandas":
            return pandas.DataFrame(columns)
        import duckdb

        path = folder / "t.parquet"
        source = folder / "t.csv"
        source.write_text(csv(columns))
        duckdb.sql(f"COPY (FROM read_csv('{source}')) TO '{path}' (FORMAT parquet)")
        return str(path)
    path = folder / f"t.{kind}"
    if kind == "jsonl":
        rows = zip(*columns.values(), strict=True)
        path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    else:
        path.write_text(csv(columns, "\t" if kind == "tsv" else ","))
    return str(path)


def test_check_counts_a_doubt_that_stops_as_a_problem():
    """A file that no verb can read is not "1 doubt" with exit code 0."""
    found = check({"qid": list(range(9)), "length": [3, 4, 3, 4, 3, 4, 3, 4, 3], "A": A[:9], "B": B[:9]})
    assert [problem.code for problem in found.problems] == ["BT210"]
    assert found.exit_code == 1


# Layouts


def long_table(who, what, score, systems=("foo", "bar", "baz"), n=N):
    """Return a long table with these headers."""
    rows = [(name, i + 1, round(float(DRAW.uniform()), 4)) for name in systems for i in range(n)]
    return dict(zip((who, what, score), zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize(
    "headers", [("who", "nr", "val"), ("engine", "segment", "score"), ("name", "q", "points")]
)
def test_a_long_table_with_unknown_headers_stops(headers):
    """System, id and score in three columns are not two systems."""
    who, what, score = headers
    columns = long_table(*headers)
    message = refused(columns, "BT212")
    assert f'system="{who}", item="{what}" and score="{score}"' in message
    found = read(columns, system=who, item=what, score=score)
    assert found.systems == ("foo", "bar", "baz")
    assert found.n_segments == N


def test_a_long_table_with_two_columns_of_text_stops():
    """Text ids do not hide a long table."""
    columns = long_table("who", "what", "val")
    columns["what"] = [f"q{i}" for i in columns["what"]]
    assert "may be a long table" in refused(columns, "BT212")
    columns["val2"] = columns["val"]
    assert "may be a long table" in refused(columns, "BT212")


def test_a_long_table_of_numbered_systems_stops():
    """Numbers for systems and for segments are recognized by their pairs."""
    columns = long_table("who", "nr", "val", systems=(1, 2, 3))
    assert 'system="who", item="nr" and score="val"' in refused(columns, "BT212")
    assert read(columns, system="who", item="nr", score="val").systems == ("1", "2", "3")


def test_segments_counted_anew_under_an_unknown_header_stop():
    """A table with several systems and two columns that name its rows may have documents."""
    parts = {"part": ["x"] * 20 + ["y"] * 20, "nr": [*range(20), *range(20)], "A": A, "B": B}
    assert 'group="part" and item="nr"' in refused(parts, "BT212")
    assert read(parts, group="part", item="nr").n_segments == N


def test_a_long_table_with_an_average_for_a_system_stops():
    """The mean of the systems is no system; a system that is only called so is one."""
    three = {"A": A, "B": B, "average": np.mean([A, B], axis=0)}
    long = {
        "item": IDS * 3,
        "system": [name for name in three for _ in range(N)],
        "score": np.concatenate(list(three.values())),
    }
    assert 'System "average" is the mean of "A", "B" on every segment' in refused(long, "BT210")
    long["score"] = np.concatenate([A, B, C])
    assert read(long).systems == ("A", "B", "average")


def test_ids_are_no_metrics():
    """In a long table a second column of ids is left out with a note."""
    long = {"item": [1, 1, 2, 2], "system": list("ABAB"), "row": [1, 2, 3, 4], "x": [0.1, 0.2, 0.3, 0.4]}
    assert read_metrics(long)["x"].notes == ('Columns of ids were left out: "row".',)


def test_a_first_line_of_equal_numbers_is_no_header():
    """Scores that occur twice in the first line are not called columns of one name."""
    assert "The first line holds numbers (1, 1)" in text_of("q1,1,1\nq2,0,1\nq3,1,0\n", "BT019")


def test_a_wide_table_with_a_column_of_topics_is_wide():
    """A text that repeats is only a remark where no other column completes it to a name of the row."""
    topics = [("law", "news", "code", "chat")[i % 4] for i in range(N)]
    for others in ((A, B), LIKERT[:2], RIGHT[:2]):
        found = read({"topic": topics, "A": others[0], "B": others[1]})
        assert found.systems == ("A", "B")
        assert read({"id": IDS, "topic": topics, "A": others[0], "B": others[1]}).systems == ("A", "B")


@pytest.mark.parametrize("first", ["seg1", "q1", "0001"])
def test_a_file_without_a_header_stops(first):
    """Numbers in the first line are scores and not names of systems, text ids or not."""
    rows = "".join(f"{first}x{i},{a},{b}\n" for i, (a, b) in enumerate(zip(A, B, strict=True)))
    message = text_of(f"{first},0.3,0.5\n{rows}", "BT019")
    assert message.startswith("The first line holds numbers (")
    long = "".join(f"s{i},sysA,{a}\n" for i, a in enumerate(A))
    assert "0.3" in text_of(f"s0,sysA,0.3\n{long}", "BT019")


@pytest.mark.parametrize("prefix", ["", "seg", "q_", "Segment ", "s", "item-"])
@pytest.mark.parametrize("first", ["system", "model"])
def test_a_table_with_a_row_for_each_system_is_turned(first, prefix):
    """Where a column names the systems and the others are numbered, rows are systems."""
    rows = {name: scores.tolist() for name, scores in zip("ABC", (A, B, C), strict=True)}
    header = ",".join([first, *(f"{prefix}{i + 1}" for i in range(N))])
    text = header + "\n" + "".join(f"{name},{','.join(map(str, row))}\n" for name, row in rows.items())
    found = read_scores(io.StringIO(text))
    assert (found.systems, found.n_segments) == (("A", "B", "C"), N)
    np.testing.assert_array_equal(found.values, [A, B, C])
    assert found.notes == ("In this table each row is a system and each column a segment.",)


def test_numbered_columns_with_an_unknown_first_column_stop():
    """Whether rows are systems or segments is asked for, and either answer is taken."""
    header = ",".join(["name", *(f"q{i + 1}" for i in range(N))])
    text = f"{header}\nfoo,{','.join(map(str, A))}\nbar,{','.join(map(str, B))}\n"
    message = text_of(text, "BT215")
    assert 'system="name"' in message
    assert 'item="name"' in message
    found = read_scores(io.StringIO(text), system="name")
    assert (found.systems, found.n_segments) == (("foo", "bar"), N)
    assert read_scores(io.StringIO(text), item="name").n_systems == N
    assert text_of(text.replace(",q", ","), "BT215") == message.replace("q", "")
    assert text_of(text.replace("name,", "id,"), "BT215")


def test_metrics_of_whole_systems_are_not_turned():
    """A row for each system and numbered metrics stay what they are."""
    with pytest.raises(ReadError) as caught:
        read_scores(io.StringIO("system,BLEU-1,BLEU-2,BLEU-3\nA,1,2,3\nB,2,3,4\n"))
    assert caught.value.code in ("BT103", "BT023")


# Summary rows


@pytest.mark.parametrize("label", ["AVG", "mean", "Average", "Total", "overall"])
def test_a_summary_row_is_left_out_with_a_count(label):
    """An average at the end is no segment."""
    make = np.sum if label == "Total" else np.mean
    columns = {
        name: [*scores, round(float(make(scores)), 3)] for name, scores in zip("AB", (A, B), strict=True)
    }
    text = csv({"id": [*IDS, label], **columns})
    reading = read_any(io.StringIO(text))
    (scores,) = reading.tables
    assert scores.segments == tuple(IDS)
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (N + 1, N, {"summary row": 1})
    assert scores.notes == (f'1 row that summarizes the others was left out: "{label}".',)


def test_mean_and_deviation_are_left_out_together():
    """One verified summary vouches for the one beside it."""
    columns = {n: [*s, round(s.mean(), 4), round(s.std(), 4)] for n, s in zip("AB", (A, B), strict=True)}
    found = read({"id": [*IDS, "mean", "std"], **columns})
    assert found.n_segments == N
    assert found.notes == ('2 rows that summarize the others were left out: "mean", "std".',)


def test_a_summary_without_a_name_is_found_by_its_values():
    """Without a name it is left out; with a segment's name it is an error."""
    columns = {n: [*s, s.mean()] for n, s in zip("AB", (A, B), strict=True)}
    for head in ({}, {"id": [*IDS, ""]}):
        found = read({**head, **columns})
        assert found.n_segments == N
        assert found.notes == ("1 row was left out: the last one, which holds the means of the others.",)
    assert "The last row holds the means" in refused({"id": [*IDS, "s40"], **columns}, "BT216")
    right = {n: [*s, s.sum()] for n, s in zip("AB", RIGHT, strict=False)}
    assert "The last row holds the sums" in refused({"id": [*IDS, "s40"], **right}, "BT216")


def test_a_row_named_like_a_summary_that_is_none_stops():
    """It may be a segment or a summary of other rows; both must be said."""
    assert '"AVG"' in refused({"id": [*IDS, "AVG"], "A": [*A, 0.9], "B": [*B, 0.1]}, "BT216")
    long = {
        "item": [*IDS, "avg"] * 2,
        "system": ["A"] * (N + 1) + ["B"] * (N + 1),
        "score": [*A, 0.5, *B, 0.5],
    }
    assert 'Segment "avg" seems to be a summary' in refused(long, "BT216")


# Cells


def test_a_column_of_percent_signs_holds_numbers():
    """50% is 50 where the whole column has the sign, and a note says so."""
    signed = {name: [f"{x}%" for x in scores] for name, scores in zip("AB", PERCENT, strict=False)}
    found = read({"id": IDS, **signed})
    np.testing.assert_array_equal(found.values, PERCENT[:2])
    assert found.notes == ('Percent signs were removed, so that 50% is 50 (columns: "A", "B").',)
    beside = read({"id": IDS, "A": signed["A"], "B": PERCENT[1]})
    np.testing.assert_array_equal(beside.values, PERCENT[:2])
    long = {"item": [*IDS, *IDS], "system": ["A"] * N + ["B"] * N, "score": [*signed["A"], *signed["B"]]}
    np.testing.assert_array_equal(read(long).values, PERCENT[:2])


def test_percent_signs_in_some_cells_or_beside_shares_stop():
    """Half and half a percent are not told apart by a guess."""
    mixed = {"id": IDS, "A": ["50%", *A[1:]], "B": B}
    assert 'but "50%" in the same column ("A") has one' in refused(mixed, "BT213")
    assert "from 0 to 1 without" in refused({"id": IDS, "A": [f"{x}%" for x in A], "B": B}, "BT213")


def test_not_available_is_missing_and_no_reason_to_drop_a_system():
    """N/A is a missing score; a column of nothing else is a system without scores."""
    found = read({"id": IDS, "A": A, "B": ["N/A", *B[1:]], "C": ["N/A"] * N})
    assert found.systems == ("A", "B", "C")
    assert np.isnan(found.values).sum() == N + 1


@pytest.mark.parametrize("cell", ["1,234.5", "0.53*", "12 ms", "0.53 ± 0.02", "$1.20", "0,5", "3/5"])
def test_numbers_with_something_around_them_stop(cell):
    """A system is not dropped as a column of remarks because its numbers are written in another way."""
    columns = {"id": IDS, "A": A, "B": B, "C": [f'"{cell}"'] * N}
    assert f'"{cell}" is not a number (column "C")' in refused(columns, "BT013")


@pytest.mark.parametrize("cells", [["yes", "no"], ["ERROR", "ERROR"], ["pass", "fail"]])
def test_outcomes_in_words_stop(cells):
    """A system is not dropped as a column of remarks because its scores are words."""
    columns = {"id": IDS, "A": RIGHT[0], "B": RIGHT[1], "C": cells * (N // 2)}
    assert 'ignore=["C"]' in refused(columns, "BT013")
    assert read(columns, ignore="C").systems == ("A", "B")


def test_decimal_commas_are_named_as_such():
    """A table whose every number has a decimal comma is recognized, and the cure fits."""
    rows = "".join(f"{i};0,{i + 1};0,{i + 2}\n" for i in range(6))
    assert "Write numbers with a decimal point." in text_of(f"id;A;B\n{rows}", "BT013")
    assert "without thousands separators" in text_of(
        "id;A;B\n1;1.200,5;2.300,5\n2;1.200,5;2.300,5\n", "BT013"
    )


def test_a_metric_with_a_few_texts_stops():
    """In a long table a column of numbers with a slip is not left out; a column of answers is."""
    long = {"item": [1, 1, 2, 2], "system": list("ABAB"), "x": [0.1, 0.2, 0.3, 0.4], "y": [1, 2, "oops", 4]}
    with pytest.raises(ReadError, match='"oops" is not a number'):
        read_metrics(long)
    answers = read_metrics({**long, "y": ["four", "five", "six", 4]})
    assert answers["x"].notes == ('Columns with numbers and text were left out: "y".',)


def test_names_count_as_a_whole():
    """A word inside a longer name says nothing."""
    assert [meaning_of(name) for name in ("mean", "mean-pooling", "Mean Score", "meaning")] == [
        "summary", None, "summary", None,
    ]  # fmt: skip


def test_thousands_of_columns_that_agree_at_first_take_seconds():
    """Equal numbers say nothing, and what the first rows do not rule out is not tried for each column alone."""
    n = 6_000
    values = np.full((n, 10), 0.5)
    names = [f"S{i}" for i in range(n)]
    start = time.process_time()
    assert doubtful_columns(names, range(n), values) == []
    values[:, 8] = np.random.default_rng(1).permutation(n) / n
    values[:, 9] = np.random.default_rng(2).permutation(n) / n
    assert doubtful_columns(names, range(n), values) == []
    assert time.process_time() - start < 6


def test_a_mean_is_found_among_columns_that_agree_at_first():
    """Also where equal columns are among them."""
    few = np.random.default_rng(3).normal(size=(80, 30)).round(3)
    values = np.hstack([np.full((80, 10), 0.5), few])
    values[1] = values[0]
    rows = np.vstack([values, values.mean(axis=0)])
    names = [f"S{i}" for i in range(80)] + ["all together"]
    (doubt,) = doubtful_columns(names, range(81), rows)
    assert (doubt.column, "is the mean of" in doubt.reason) == (80, True)
