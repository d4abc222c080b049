"""What people come with, and what they write first: arrays, dicts, frames, paths, runs, folders."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import betterthan  # noqa: F401  (a fixture)
from tests.everyday import few

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign

RNG = np.random.default_rng(7)
A = RNG.normal(size=40)
B = A + RNG.normal(0.6, 0.5, size=40)
PVALUE = (
    bt.compare(
        bt.Scores(name="score", systems=["A", "B"], segments=[str(i) for i in range(1, 41)], values=[A, B])
    )
    .pair("A", "B")
    .pvalue
)


def run_file(path, values, **more):
    """A run as toolkits write it: an id and a score on each line."""
    rows = [
        {"id": f"q{i}", "score": float(value), **{k: v[i] for k, v in more.items()}}
        for i, value in enumerate(values)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two runs as files and in folders, and a working directory to name them from."""
    monkeypatch.chdir(tmp_path)
    for name, values in (("v1", A), ("v2", B)):
        run_file(tmp_path / f"{name}.jsonl", values)
        run_file(tmp_path / "runs" / name / "results.jsonl", values)
    return tmp_path


def asked(*data, **options):
    """The systems, best first, and the p-value of the only pair."""
    found = bt.compare(*data, **options)
    return found.systems, found.pair(*found.systems).pvalue


@pytest.mark.parametrize(
    "data",
    [(A, B), (list(A), list(B)), ([A, B],), ({"A": A, "B": B},), ({"A": list(A), "B": list(B)},)],
    ids=["arrays", "lists", "a list of arrays", "a dict of arrays", "a dict of lists"],
)
def test_numbers_in_memory(data):
    """Two arrays are two systems called A and B, with the p-value of the table."""
    assert asked(*data) == (("B", "A"), PVALUE)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame(library):
    """A column is a system; so are two columns taken out of it."""
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"A": A, "B": B})
    assert asked(frame) == (("B", "A"), PVALUE)
    assert asked(frame["A"], frame["B"]) == (("B", "A"), PVALUE)
    assert bt.rank(frame).systems == ("B", "A")


@pytest.mark.parametrize(
    ("data", "systems"),
    [
        (("v1.jsonl", "v2.jsonl"), ("v2", "v1")),
        (("v*.jsonl",), ("v2", "v1")),
        ((["v1.jsonl", "v2.jsonl"],), ("v2", "v1")),
        (("base=v1.jsonl", "new=v2.jsonl"), ("new", "base")),
        (({"base": "v1.jsonl", "new": "v2.jsonl"},), ("new", "base")),
        (("runs/v1", "runs/v2"), ("v2", "v1")),
        (("base=runs/v1", "new=runs/v2"), ("new", "base")),
        (({"base": "runs/v1", "new": "runs/v2"},), ("new", "base")),
    ],
)
def test_runs_in_files_and_folders(runs, data, systems):  # noqa: ARG001  (the working directory)
    """Each file or folder is a system, by its own name or the one it is given."""
    assert asked(*data) == (systems, pytest.approx(PVALUE))


@pytest.mark.parametrize(
    ("words", "systems"),
    few(
        [
            (("v1.jsonl", "v2.jsonl"), ["v2", "v1"]),
            (("base=v1.jsonl", "new=v2.jsonl"), ["new", "base"]),
            (("runs/v1", "runs/v2"), ["v2", "v1"]),
            (("base=runs/v1", "new=runs/v2"), ["new", "base"]),
        ],
        tuples=True,
    ),
)
def test_runs_on_the_command_line(runs, words, systems):
    """``python -m betterthan compare`` answers as Python does; a folder beside a folder is data, not a system."""
    command = [sys.executable, "-m", "betterthan", "compare", *words, "-f", "json"]
    done = subprocess.run(command, cwd=runs, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    found = found[0] if isinstance(found, list) else found
    assert found["systems"] == systems


def test_plain_names_of_folders_are_data_beside_a_folder(runs):
    """``compare v1 v2`` with two folders of these names, as people keep their runs."""
    for name, values in (("old", A), ("new", B)):
        run_file(runs / name / "results.jsonl", values)
    command = [sys.executable, "-m", "betterthan", "rank", "old", "new", "-f", "csv"]
    done = subprocess.run(command, cwd=runs, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compared = subprocess.run(
        [*command[:3], "compare", "old", "new", "-f", "csv"],
        cwd=runs,
        capture_output=True,
        text=True,
        check=False,
    )
    assert compared.returncode == 0, compared.stderr
    assert "old" in compared.stdout
    assert "new" in compared.stdout


def test_several_metrics_in_runs_are_metrics(runs):
    """Columns that all runs share are metrics; one is chosen, and never ranked against another."""
    for name, values in (("v1", A), ("v2", B)):
        run_file(runs / f"{name}.jsonl", values, passed=[bool(value > 0) for value in values])
    with pytest.raises(
        bt.ReadError, match=r'2 metrics where one is needed: score, passed\. Choose one with metric="score"'
    ):
        bt.compare("v1.jsonl", "v2.jsonl")
    assert bt.compare("v1.jsonl", "v2.jsonl", metric="score").systems == ("v2", "v1")
    with pytest.raises(bt.ReadError, match=r"named like metrics \(score, passed\), not like systems"):
        bt.rank("v1.jsonl")


def test_a_metric_is_named_by_a_part_that_no_other_has():
    """People type "comet", and the file says "wmt22-comet-da"; what fits two is not guessed."""
    cells = [(s, i) for s in "AB" for i in range(6)]
    table = {
        "system": [s for s, _ in cells],
        "item": [i for _, i in cells],
        "wmt22-comet-da": [i + (s == "B") for s, i in cells],
        "chrF": [i - (s == "B") for s, i in cells],
        "chrF++": [i - 2 * (s == "B") for s, i in cells],
    }
    assert bt.rank(table, metric="COMET").systems == ("B", "A")
    assert bt.rank(table, metric="chrF").systems == ("A", "B")
    with pytest.raises(bt.UnknownName):
        bt.rank(table, metric="chr")
    with pytest.raises(bt.UnknownName):
        bt.rank(table, metric="bleu")


def test_one_run_alone_is_refused_with_what_is_missing(runs):  # noqa: ARG001
    """A single run has nobody to be compared with."""
    with pytest.raises(bt.TableError, match="only one system"):
        bt.rank("v1.jsonl")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((np.ones((3, 4)),), "An array of 3 × 4 does not identify the systems"),
        ((A,), "An array of 40 does not identify the systems"),
        ((A, B[:5]), "different lengths: 40, 5"),
        ((A, "v1.jsonl"), "cannot be combined: ndarray, str"),
        ((None,), "not NoneType"),
        ((3.5,), "not float"),
    ],
)
def test_what_could_be_misread_is_refused(runs, data, message):  # noqa: ARG001
    """Nothing is guessed about an array with rows and columns, or about things that do not fit."""
    with pytest.raises(bt.TableError, match=message):
        bt.rank(*data)


def test_a_table_has_one_metric():
    """An option that changes nothing is refused."""
    table = bt.read_scores({"A": A, "B": B})
    with pytest.raises(bt.BetterThanError, match='metric="chrF" has no effect'):
        bt.compare(table, metric="chrF")
    with pytest.raises(
        bt.TableError, match="rank takes Scores, Counts, Matches or Runs, not Scores and Scores"
    ):
        bt.rank(table, table)


def test_other_verbs_take_the_same(tmp_path):
    """Explaining, diagnosing, judging and holding metrics against people begin with a path as well."""
    wide = {"item": [f"q{i}" for i in range(40)], "A": A, "B": B}
    assert bt.explain(wide, "A", "B").mechanisms[0].winner == "B"
    assert bt.diagnose(wide).systems == bt.diagnose(bt.read_scores(wide)).systems
    path = tmp_path / "ratings.csv"
    rows = [
        f"{i},{s},{j},{50 + 3 * i + 5 * k + (i * j) % 4}"
        for i in range(12)
        for k, s in enumerate("AB")
        for j in (1, 2)
    ]
    path.write_text("item,system,rater,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert bt.judges(path).judges == ("1", "2")
    assert bt.rank_ratings(str(path)).systems == ("B", "A")
    metrics, human = tmp_path / "metrics.csv", tmp_path / "human.csv"
    cells = [
        (s, i, 10 * k + RNG.normal(), 10 * k + RNG.normal()) for k, s in enumerate("ABCD") for i in range(20)
    ]
    metrics.write_text(
        "system,item,metric,score\n" + "".join(f"{s},{i},m,{x}\n" for s, i, x, _ in cells), encoding="utf-8"
    )
    human.write_text(
        "system,item,score\n" + "".join(f"{s},{i},{y}\n" for s, i, _, y in cells), encoding="utf-8"
    )
    found = bt.meta_evaluate(metrics, human, significance="none")
    assert found.metrics == ("m",)
    with pytest.raises(bt.TableError, match="needs human scores in addition to the metrics"):
        bt.meta_evaluate({"m": bt.read_scores(wide)})


def test_the_module_is_the_command():
    """``python -m betterthan --version`` works without the script on the path."""
    done = subprocess.run(
        [sys.executable, "-m", "betterthan", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, bt.__version__ in done.stdout) == (0, True)


# ---- the ten jobs of the page on everyday jobs: one line of Python and one command each, with the same answer

PAGE = Path(__file__).parents[1] / "docs" / "everyday.md"


@pytest.fixture(scope="module")
def job_files(tmp_path_factory):
    """The files that the page writes, and those of the example campaign."""
    place = tmp_path_factory.mktemp("jobs")
    block = next(
        part.partition("\n")[2]
        for part in PAGE.read_text(encoding="utf-8").split("```")
        if "Path(path)" in part
    )
    write_campaign(place / "demo", campaign())
    with contextlib.chdir(place):
        exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102  (our own page)
    (place / "lists.csv").write_text(
        "A,B\n" + "".join(f"{a},{b}\n" for a, b in zip(A, B, strict=True)), encoding="utf-8"
    )
    return place


def scored(outputs, reference, metric):
    """Counts of outputs that are files."""
    return bt.score(bt.read_texts(outputs, references=reference), metric=metric)


TEXTS = [f"demo/texts/{name}.txt" for name in ("Aster", "Elm", "Daphne")]
REFERENCE = "demo/texts/reference.txt"
JOBS = {
    "two arrays": (
        lambda: bt.compare({"A": A, "B": B}),
        "compare lists.csv",
    ),
    "two run files": (
        lambda: bt.compare("base.jsonl", "candidate.jsonl"),
        "compare base.jsonl candidate.jsonl",
    ),
    "two harness folders": (lambda: bt.board("v1", "v2"), "compare v1 v2"),
    "models, prompts and seeds": (
        lambda: bt.compare("demo/answers.csv", system=["model", "prompt"], run="seed"),
        "compare demo/answers.csv --system model --system prompt --run seed",
    ),
    "ragas": (
        lambda: bt.tradeoffs("ragas_old.csv", "ragas_new.csv"),
        "compare ragas_old.csv ragas_new.csv",
    ),
    "deepeval": (
        lambda: bt.compare("deepeval_old.json", "deepeval_new.json"),
        "compare deepeval_old.json deepeval_new.json",
    ),
    "41 tasks and 30 models": (
        lambda: bt.board("benchmark.csv", task="task"),
        "board benchmark.csv --task-column task",
    ),
    "predictions": (
        lambda: bt.tradeoffs(
            {m: scored(["svm.txt", "bert.txt"], "gold.txt", m) for m in ("f1-macro", "mcc")}, baseline="svm"
        ),
        "score --metric f1-macro --metric mcc --reference gold.txt svm.txt bert.txt --baseline svm",
    ),
    "recognized speech": (
        lambda: bt.compare(scored(["asr1.txt", "asr2.txt"], "speech.txt", "wer")),
        "score wer --reference speech.txt asr1.txt asr2.txt --baseline asr1",
    ),
    "data sets and classifiers": (
        lambda: bt.board("datasets.csv", task="task", by="average_rank"),
        "board datasets.csv --task-column task --by average-rank",
    ),
    "translations": (
        lambda: bt.tradeoffs([scored(TEXTS, REFERENCE, m) for m in ("bleu", "chrf", "ter")], baseline="Elm"),
        f"score --metric bleu --metric chrf --metric ter --reference {REFERENCE} {' '.join(TEXTS)} --baseline Elm",
    ),
}


def pvalues_of(results):
    """The adjusted p-values of every result that has some; of a comparison with a baseline those only."""
    found = []
    for result in results:
        if result["kind"] in ("pairwise", "tradeoffs"):
            found += [p for p in np.ravel(np.array(result["adjusted"], dtype=float)) if not np.isnan(p)]
        elif result["kind"] == "board":
            found += [*result["strength"], *(each["adjusted"] for each in result["differences"])]
    return sorted(found)


@pytest.mark.parametrize("job", JOBS)
def test_a_line_and_a_command_give_the_same_answer(job, job_files, monkeypatch, betterthan):  # noqa: F811
    """Each job of the page, from the files that people have."""
    monkeypatch.chdir(job_files)
    line, command = JOBS[job]
    said = betterthan(*command.split(), "--json")
    assert said.code == 0, said.err
    shown = json.loads(said.out)
    mine = pvalues_of([line().to_dict()])
    assert len(mine) > 1
    assert pvalues_of(shown if isinstance(shown, list) else [shown]) == pytest.approx(mine)
    if job != "two arrays":
        assert command.partition(" --")[0] in PAGE.read_text(encoding="utf-8")
