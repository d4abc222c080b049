"""Metrics against people on the command line: files, folders, several language pairs, errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

import betterthan as bt
from betterthan.read.write.folders import metrics_folder_of

SYSTEMS = ("A", "B", "C", "D", "E")


def tables(seed, n=40):
    """Human scores and two metrics of five systems, one sharper than the other."""
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=(5, n)) + np.arange(5)[:, None] / 3, 3)
    segments = [str(i + 1) for i in range(n)]
    groups = [f"d{i // 4}" for i in range(n)]

    def scores(name, values):
        return bt.Scores(name=name, systems=SYSTEMS, segments=segments, values=values, groups=groups)

    metrics = {
        name: scores(name, np.round(human + noise * rng.normal(size=human.shape), 3))
        for name, noise in (("sharp", 0.5), ("blunt", 3.0))
    }
    return scores("people", human), metrics


@pytest.fixture
def files(tmp_path):
    """A table of metrics and one of human scores."""
    human, metrics = tables(1)
    for name, some in (("human", [human]), ("metrics", metrics.values())):
        rows = [
            f"{table.name}\t{system}\t{segment}\t{value!r}"
            for table in some
            for system, row in zip(table.systems, table.values.tolist(), strict=True)
            for segment, value in zip(table.segments, row, strict=True)
        ]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["metric\tsystem\tsegment\tscore", *rows]) + "\n")
    return tmp_path


@pytest.fixture
def folder(tmp_path):
    """A folder of the metrics task with two language pairs."""
    for seed, pair in ((1, "en-de"), (2, "zh-en")):
        human, metrics = tables(seed)
        parts = metrics_folder_of(
            "mini",
            pair,
            metrics=metrics,
            human={"people": human},
            segments=human.segments,
            groups=human.groups,
            domains=None,
        )
        bt.write_metrics_folder(tmp_path / "mini", parts, overwrite=True)
    return tmp_path / "mini"


def results(said):
    """The results that were printed as JSON lines or as one JSON."""
    assert said.code == 0, said
    return bt.Result.from_dict(json.loads(said.out))


def test_files_give_the_numbers_of_python(betterthan, files):
    """The command is the verb."""
    human, metrics = tables(1)
    expected = bt.meta_evaluate(metrics, human, p_values="analytic")

    said = betterthan(
        "meta", files / "metrics.tsv", "--human", files / "human.tsv", "--p-values", "analytic", "--json"
    )

    found = results(said)
    assert found.metrics == expected.metrics == ("sharp", "blunt")
    np.testing.assert_allclose(found.value, expected.value, atol=1e-12)
    np.testing.assert_allclose(found.comparisons.pvalue, expected.comparisons.pvalue, atol=1e-12)


def test_a_folder_becomes_a_latex_table_with_one_command(betterthan, folder):
    """Human scores come from the folder; clusters are ruled."""
    said = betterthan("meta", folder, "-l", "en-de", "--p-values", "analytic", "-f", "latex")

    assert said.code == 0, said
    assert r"1 & \textbf{sharp} & 0." in said.out
    assert said.out.count(r"\midrule") == 2
    assert (
        r"\caption{Metrics against people: soft pairwise accuracy, over systems (5 systems, 40 segments)}"
        in said.out
    )


def test_several_language_pairs_are_pooled(betterthan, folder):
    """The value is the average of the parts, which stand beside it."""
    found = results(betterthan("meta", folder, "--p-values", "analytic", "--json"))

    assert found.part_names == ("en-de", "zh-en")
    np.testing.assert_allclose(found.value, found.part_value.mean(axis=1), atol=1e-12)
    for pair in found.part_names:
        alone = results(betterthan("meta", folder, "-l", pair, "--p-values", "analytic", "--json"))
        place = [alone.metrics.index(name) for name in found.metrics]
        part = found.part_value[:, found.part_names.index(pair)]
        np.testing.assert_allclose(part, alone.value[place], atol=1e-12)


def test_several_measures_at_once(betterthan, files):
    """One table has them all, and CSV says which row is by which."""
    said = betterthan(
        "meta",
        files / "metrics.tsv",
        "--human",
        files / "human.tsv",
        "--by",
        "pearson",
        "--by",
        "accuracy-with-ties",
    )

    assert said.code == 0, said
    assert "Pearson's r, over systems" in said.out
    assert "accuracy with ties, on segments" in said.out
    assert said.out.count("sharp  ") == 1
    rows = betterthan(
        "meta",
        files / "metrics.tsv",
        "--human",
        files / "human.tsv",
        "-f",
        "csv",
        "--by",
        "pearson",
        "--by",
        "spearman",
    ).out.splitlines()
    assert rows[0].startswith("method,")
    assert [row.split(",")[0] for row in rows[1:]] == ["pearson"] * 2 + ["spearman"] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metrics.tsv"], "Name the file with the human scores: --human FILE"),
        (["metrics.tsv", "--human", "human.tsv", "--reference", "refA"], "--reference refA is for folders"),
        (["metrics.tsv", "--human", "human.tsv", "--gold", "da"], 'Unknown metric "da"'),
        (
            ["metrics.tsv", "--human", "metrics.tsv"],
            "has several human scores: sharp, blunt. Choose one with --gold sharp",
        ),
        (
            ["metrics.tsv", "metrics.tsv", "--human", "human.tsv"],
            'The metric "sharp" occurs in two of the files',
        ),
        (["metrics.tsv", "--human", "human.tsv", "--only", "shrap"], 'Did you mean "sharp"?'),
        (
            ["metrics.tsv", "--human", "human.tsv", "--by", "spearman", "--significance", "williams"],
            "--by pearson",
        ),
        (["metrics.tsv", "--human", "human.tsv", "--margin", "25"], "--margin is for the taus"),
        (["metrics.tsv", "--human", "human.tsv", "--metric-margin", "5"], "--metric-margin is for the taus"),
        (
            ["metrics.tsv", "--human", "human.tsv", "--by", "pearson", "--mid-p"],
            "--mid-p is for soft pairwise accuracy",
        ),
        (
            ["metrics.tsv", "--human", "human.tsv", "--significance", "none", "--correction", "holm"],
            "--correction is for comparing metrics",
        ),
        (["metrics.tsv", "--human", "human.tsv", "--pool", "pairs"], "--pool is for several language pairs"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_cure(betterthan, files, monkeypatch, arguments, message):
    """One line, exit code 2."""
    monkeypatch.chdir(files)

    said = betterthan("meta", *arguments)

    assert said.code == 2
    assert message in said.err


def test_one_score_a_system_is_enough_for_correlations(betterthan, tmp_path):
    """Without segments: Pearson with Williams' test, no interval; soft pairwise accuracy says what it lacks."""
    rng = np.random.default_rng(3)
    people = rng.normal(size=8)
    metrics = {"sharp": people + 0.1 * rng.normal(size=8), "blunt": people + rng.normal(size=8)}
    rows = [f"{name}\tS{i}\t{value}" for name, values in metrics.items() for i, value in enumerate(values)]
    (tmp_path / "metrics.tsv").write_text("metric\tsystem\tscore\n" + "\n".join(rows) + "\n")
    judged = [f"S{i}\t{value}\t{100 * value}" for i, value in enumerate(people)]
    (tmp_path / "people.tsv").write_text("system\tz\traw\n" + "\n".join(judged) + "\n")
    files = (tmp_path / "metrics.tsv", "--human", tmp_path / "people.tsv", "--gold", "z")
    said = betterthan("meta", *files, "--by", "pearson", "--json")
    found = bt.Result.from_dict(json.loads(said.out))

    assert found.comparisons.test == "williams"
    expected = {name: np.corrcoef(people, values)[0, 1] for name, values in metrics.items()}
    assert dict(zip(found.metrics, found.value, strict=True)) == pytest.approx(expected)
    assert np.isnan(found.low).all()
    assert "8 systems, one score each" in betterthan("meta", *files, "--by", "pearson").out
    assert "--by pairwise-accuracy" in betterthan("meta", *files).err


def test_a_folder_takes_directions_and_conditions(betterthan, folder):
    """--lower-is-better turns a metric round, and --where chooses as --language-pair does."""
    plain = results(betterthan("meta", folder, "-l", "en-de", "--by", "pearson", "--json"))
    chosen = results(betterthan("meta", folder, "--where", "lp=en-de", "--by", "pearson", "--json"))
    turned = results(
        betterthan("meta", folder, "-l", "en-de", "--by", "pearson", "--lower-is-better", "sharp", "--json")
    )

    assert chosen.value.tolist() == plain.value.tolist()
    assert turned.value[turned.metrics.index("sharp")] == pytest.approx(
        -plain.value[plain.metrics.index("sharp")]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--where", "lp=xx-yy"], "xx-yy"),
        (["--where", "nosuch=1"], 'Unknown condition for a folder "nosuch"'),
        (["--where", "lp=en-de", "--where", "lp=zh-en"], "One lp can be chosen at a time, not 2"),
        (["--where", "lp=en-de", "-l", "zh-en"], "--where lp=en-de contradicts --language-pair zh-en"),
        (["-l", "en-de", "--where", "domain=news"], "domain"),
        (["-l", "en-de", "--lower-is-better", "nosuch"], 'Unknown metric "nosuch"'),
        (["-l", "en-de", "--higher-is-better", "shrap"], 'Unknown metric "shrap". Did you mean "sharp"?'),
        (["-l", "en-de", "--item", "segment"], "--item segment cannot be applied here"),
        (["-l", "en-de", "--both-bad", "drop"], "--both-bad is for battles"),
        (["-l", "en-de", "--format-in", "long"], "--format-in long is for files"),
    ],
)
def test_an_option_that_a_folder_cannot_apply_is_refused(betterthan, folder, arguments, message):
    """Ignored, it would leave an answer to another question."""
    said = betterthan("meta", folder, *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


def test_report_refuses_what_meta_refuses(betterthan, folder, tmp_path):
    """A direction for a metric that is not there."""
    said = betterthan(
        "report", folder, "-l", "en-de", "--lower-is-better", "nosuch", "-o", tmp_path / "r.html"
    )
    assert said.code == 2
    assert 'Unknown metric "nosuch"' in said.err


@pytest.fixture
def wide(tmp_path):
    """Write wide tables of the same scores: with or without ids, in any order."""
    human, metrics = tables(5, n=30)

    def write(name, scores, *, order=range(30), ids=None, called="mark"):
        rows = [",".join([called] * (ids is not None) + list(SYSTEMS))]
        for i in order:
            cells = [repr(float(value)) for value in scores.values[:, i]]
            rows.append(",".join(([ids(i)] if ids else []) + cells))
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(rows) + "\n")
        return path

    return write, human, metrics["sharp"]


SHUFFLED = np.random.default_rng(1).permutation(30).tolist()


def test_rows_with_an_unused_column_of_ids_are_not_joined_by_order(betterthan, wide, tmp_path):
    """Shuffled rows gave a lower accuracy without a word; --item joins them by what they are."""
    write, human, metric = wide
    people = write("human", human, ids=lambda i: f"seg{i:02d}")
    shuffled = write("metric", metric, order=SHUFFLED, ids=lambda i: f"seg{i:02d}")
    by = ("--by", "accuracy-with-ties", "--significance", "none", "--json")

    said = betterthan("meta", shuffled, "--human", people, *by)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error[BT233]")
    assert "--item mark" in said.err
    assert betterthan("report", shuffled, "--human", people, "-o", tmp_path / "r.html").code == 2

    joined = results(betterthan("meta", shuffled, "--human", people, "--item", "mark", *by))
    expected = bt.meta_evaluate({"metric": metric}, human, by="accuracy_with_ties", significance="none")
    assert joined.value[0] == pytest.approx(expected.value[0])


def test_rows_without_ids_are_not_joined_with_ids(betterthan, wide):
    """Ids from 1 to n say nothing about the order of rows in another file."""
    write, human, metric = wide
    people = write("human", human, ids=lambda i: str(i + 1), called="id")
    said = betterthan("meta", write("metric", metric, order=SHUFFLED), "--human", people)
    assert said.code == 2
    assert "error[BT232]" in said.err
    said = betterthan("meta", write("metric", metric, ids=str, called="id"), "--human", people)
    assert "error[BT235]" in said.err


def test_rows_without_ids_are_joined_by_order_and_it_is_said(betterthan, wide):
    """Surplus rows are refused, because nobody knows which they are."""
    write, human, metric = wide
    people = write("human", human)
    said = betterthan("meta", write("metric", metric), "--human", people, "--significance", "none")
    assert said.code == 0, said.err
    assert "Rows were matched by their order" in said.out
    said = betterthan("meta", write("metric", metric, order=[*range(30), 3]), "--human", people)
    assert said.code == 2
    assert "error[BT332]" in said.err


def test_segments_without_a_partner_are_counted(betterthan, wide):
    """And less than half of them in common is refused."""
    write, human, metric = wide
    people = write("human", human, ids=lambda i: f"s{i}", called="id")
    part = write("metric", metric, order=range(24), ids=lambda i: f"s{i}", called="id")
    said = betterthan("meta", part, "--human", people, "--significance", "none")
    assert said.code == 0, said.err
    assert "6 of the 30 segments of human are left out" in said.out
    other = write("metric", metric, ids=lambda i: f"s{i + 20}", called="id")
    assert "error[BT236]" in betterthan("meta", other, "--human", people).err


def test_metrics_of_another_language_pair_are_refused(betterthan, wide, tmp_path):
    """Told by a column in each of the files."""
    write, human, metric = wide
    people = write("human", human, ids=lambda i: f"en-de,s{i}", called="lp,id")
    other = write("metric", metric, ids=lambda i: f"zh-en,s{i}", called="lp,id")
    for command in (("meta",), ("report", "-o", tmp_path / "r.html")):
        said = betterthan(*command, other, "--human", people)
        assert said.code == 2
        assert "error[BT237]" in said.err
    same = write("metric", metric, ids=lambda i: f"en-de,s{i}", called="lp,id")
    assert betterthan("meta", same, "--human", people, "--significance", "none").code == 0


def test_the_direction_of_metrics_is_shown(betterthan, tmp_path):
    """Below the table, wherever lower is better; in JSON as names."""
    rows = [
        (k, s, (7 * k + 3 * j) % 11, (5 * k + j) % 9, 9 - k) for k in range(6) for j, s in enumerate("ABC")
    ]
    (tmp_path / "m.csv").write_text(
        "item,system,TER,BLEU\n" + "".join(f"{k},{s},{ter},{bleu}\n" for k, s, ter, bleu, _ in rows)
    )
    (tmp_path / "h.csv").write_text("item,system,DA\n" + "".join(f"{k},{s},{da}\n" for k, s, *_, da in rows))
    words = ("meta", tmp_path / "m.csv", "--human", tmp_path / "h.csv", "--by", "pearson", "--level", "segment",
             "--significance", "none")  # fmt: skip
    assert "Lower is better for TER; higher is better for all others." in betterthan(*words).out
    assert json.loads(betterthan(*words, "--json").out)["lower_is_better"] == ["TER"]
    higher = betterthan(*words, "--higher-is-better", "TER")
    assert "ower is better for" not in higher.out
