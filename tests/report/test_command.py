"""The command in a report makes the same bytes again, and ``betterthan verify`` says so."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.errors import BetterThanError, ReadError
from betterthan.read.protocol import EVERY, Options
from betterthan.report.command import command_of
from betterthan.report.compose import compose

ODD = "my scores; $(touch x) 'quoted\" & <b>.csv"


def long_table(path, metrics=("TER", "chrF"), pairs=("en-de", "zh-en"), systems="ABC", n=14):
    """A long table with names of columns that must be told, and two language pairs one below the other."""
    rng = np.random.default_rng(4)
    lines = ["langs;seg;sys;value;measure"]
    for pair in pairs:
        for metric in metrics:
            lines += [
                f"{pair};{j};{name};{rng.normal(50 + 3 * i, 5):.2f};{metric}"
                for i, name in enumerate(systems)
                for j in range(n)
            ]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def wide_table(path, seed=1, systems="ABC", n=14):
    """One column a system."""
    rng = np.random.default_rng(seed)
    values = rng.normal(50, 5, (n, len(systems))) + np.arange(len(systems))
    lines = [
        ",".join(["id", *systems]),
        *(f"{j}," + ",".join(f"{v:.1f}" for v in row) for j, row in enumerate(values)),
    ]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def metrics_folder(place, pairs=("en-de", "zh-en"), golds=("mqm",), n=12):
    """A folder of the metrics task."""
    rng = np.random.default_rng(2)
    (place / "human-scores").mkdir(parents=True)
    for pair in pairs:
        truth = rng.normal(0, 1, (4, n)) + np.arange(4)[:, None]
        for gold in golds:
            _write_scores(place / "human-scores" / f"{pair}.{gold}.seg.score", truth)
        (place / "metric-scores" / pair).mkdir(parents=True)
        for name in ("BLEU", "chrF"):
            noisy = truth + rng.normal(0, 1, truth.shape)
            _write_scores(place / "metric-scores" / pair / f"{name}-refA.seg.score", noisy)


def _write_scores(path, values):
    lines = [f"S{i}\t{value:.3f}" for i, row in enumerate(values) for value in row]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def written(*words):
    """Run the command in this process; its page."""
    done = CliRunner().invoke(cli, ["report", "--no-cache", *map(str, words)])
    assert done.exit_code == 0, done.output
    return Path(words[words.index("-o") + 1]).read_bytes()


def told(page):
    """The command that stands in a page, as a reader sees it."""
    shown = re.search(
        rb'id="command"><p class="label">[^<]*</p><pre tabindex="0">(.*?)</pre>', page, re.DOTALL
    )
    return unescape(shown.group(1).decode())


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    return tmp_path


READING = (
    *("--item", "seg", "--system", "sys", "--score", "value", "--metric-column", "measure"),
    *("--where", "langs=en-de", "--higher-is-better", "TER", "--lower-is-better", "chrF", "--metric", "chrF"),
)


@pytest.mark.usefixtures("here")
def test_a_shell_makes_the_same_bytes_again():
    """With a name full of what shells act on, and everything said about columns, rows and directions."""
    long_table(ODD)
    first = written(ODD, *READING, "--seed", "7", "-o", "first.html")
    command = told(first)
    assert "-o report.html" in command
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(  # noqa: S602  (that a shell runs it is the point)
        command, shell=True, capture_output=True, text=True, check=False, env={**os.environ, "PATH": own}
    )
    assert done.returncode == 0, done.stderr
    assert Path("report.html").read_bytes() == first
    assert not Path("x").exists()
    said = CliRunner().invoke(cli, ["verify", "report.html", ODD])
    assert "report.html: reproduced." in said.output
    assert "and the page shows nothing else" in said.output


def _named_file():
    wide_table("a=b.csv")
    return ["a=b.csv"], ["a=b.csv"]


def _beginning_with_a_hyphen():
    wide_table("-x.csv")
    wide_table("-human.csv", seed=3)
    return ["--human=-human.csv", "--", "-x.csv"], ["-x.csv", "-human.csv"]


def _given_a_name():
    wide_table("7.csv")
    return ["chrF=7.csv", "--duplicates", "mean", "--format-in", "wide"], ["7.csv"]


def _several_references():
    lines = [f"the {word} sat on mat {i}" for i, word in enumerate(["cat", "dog", "old cow"] * 4)]
    for name, swap in (("a.txt", "sat"), ("b.txt", "sits"), ("ref one.txt", "sat"), ("ref2.txt", "was")):
        Path(name).write_text("\n".join(line.replace("sat", swap) for line in lines) + "\n")
    files = ["ours=a.txt", "their own=b.txt", "--reference", "ref one.txt", "--reference", "other=ref2.txt"]
    return [*files, "--no-texts"], ["a.txt", "b.txt", "ref one.txt", "ref2.txt"]


def _a_folder():
    metrics_folder(Path("wmt xx"), golds=("mqm", "da"))
    return ["wmt xx", "--language-pair", "zh-en", "--gold", "da"], ["wmt xx"]


def _battles_of_several_files():
    for name, winners in (("one.csv", "aab"), ("two.csv", "bba")):
        rows = [f"X,Y,model_{w}\nY,Z,model_{w}\nX,Z,bothbad" for w in winners * 4]
        Path(name).write_text("model_a,model_b,winner\n" + "\n".join(rows) + "\n")
    return ["one.csv", "two.csv", "--both-bad", "drop"], ["one.csv", "two.csv"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "made",
    [
        _given_a_name,
        pytest.param(_named_file, marks=pytest.mark.slow),
        pytest.param(_beginning_with_a_hyphen, marks=pytest.mark.slow),
        pytest.param(_several_references, marks=pytest.mark.slow),
        pytest.param(_a_folder, marks=pytest.mark.slow),
        pytest.param(_battles_of_several_files, marks=pytest.mark.slow),
    ],
)
def test_the_printed_command_and_verify(made):
    """The words of the command, split as a shell splits them, give the same bytes; verify finds nothing else."""
    words, files = made()
    cut = words.index("--") if "--" in words else len(words)
    first = written(*words[:cut], "-o", "page.html", *words[cut:])
    again = shlex.split(told(first))
    assert again[:2] == ["betterthan", "report"]
    done = CliRunner().invoke(cli, again[1:])
    assert done.exit_code == 0, done.output
    assert Path("report.html").read_bytes() == first
    said = CliRunner().invoke(cli, ["verify", "--", "page.html", *files])
    assert "page.html: reproduced." in said.output, said.output


@pytest.mark.usefixtures("here")
def test_another_value_in_the_data_is_found():
    """Verify is not content with a command that can be read: one changed cell differs."""
    wide_table("7.csv")
    written("chrF=7.csv", "-o", "page.html")
    Path("7.csv").write_text(Path("7.csv").read_text().replace("\n3,", "\n3,9", 1))
    said = CliRunner().invoke(cli, ["verify", "page.html", "7.csv"])
    assert "page.html: differs." in said.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(columns={"metric": "measure", "item": "seg"}), "--metric-column measure --item seg"),
        (Options(where=(("lp", "en-de"), ("lp", "zh-en"))), "--where lp=en-de --where lp=zh-en"),
        (Options(lower_is_better=frozenset({EVERY})), "--lower-is-better '*'"),
        (Options(duplicates="mean", both_bad="drop"), "--duplicates mean --both-bad drop"),
        (Options(language_pair="en-de", gold="mqm"), "--language-pair en-de --gold mqm"),
        (
            Options(ignore_columns=("n", "a b"), keep_columns=("rank",)),
            "--ignore n --ignore 'a b' --keep rank",
        ),
        (Options(name="mine"), "'[Options in memory]'"),
        (Options(where=(("a=b", "c"),)), "--where a=b=c '[Options in memory]'"),
        (Options(), ""),
    ],
)
def test_every_option_has_its_words(options, words):
    """What the command line cannot say stands in brackets, so that nobody takes it for the whole."""
    assert command_of(
        ["f.csv"], options=options
    ) == f"betterthan report f.csv {words} -o report.html".replace("  ", " ")


@pytest.mark.usefixtures("here")
def test_what_was_in_memory_is_not_made_again():
    """A generator has no words on a command line, and verify says why it stops."""
    table = bt.Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[1, 2, 3], [2, 1, 1]])
    report = compose(table, rng=np.random.default_rng(1))
    assert "'[Scores in memory]' --seed '[Generator in memory]'" in report.command
    Path("r.json").write_text(report.to_json(), encoding="utf-8")
    wide_table("f.csv")
    said = CliRunner().invoke(cli, ["verify", "r.json", "f.csv"])
    assert isinstance(said.exception, BetterThanError)
    assert "tables in memory" in str(said.exception)


@pytest.mark.usefixtures("here")
def test_files_with_a_name_are_checked():
    """``NAME=path`` is a file like any other: what is wrong with it stands in the data check."""
    wide_table("7.csv")
    text = Path("7.csv").read_text().splitlines()
    text[3] = text[3].rsplit(",", 1)[0] + ","
    Path("7.csv").write_text("\n".join(text) + "\n")
    plain, named = compose("7.csv", missing="drop"), compose("chrF=7.csv", missing="drop")
    items = [
        next(part for part in report.sections if part.key == "data").blocks[0].items
        for report in (plain, named)
    ]
    codes = [[item.code for item in each if item.code] for each in items]
    assert codes[0] == codes[1] != []
    assert any(item.text.startswith("chrF=7.csv was read as wide") for item in items[1])


@pytest.mark.usefixtures("here")
def test_standard_input_is_read_once(monkeypatch):
    """And still recognized, read and checked."""
    import io

    wide_table("f.csv")
    stream = io.TextIOWrapper(io.BytesIO(Path("f.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    report = compose("-")
    items = next(part for part in report.sections if part.key == "data").blocks[0].items
    assert any(item.text.startswith("- was read as wide") for item in items)


def test_a_folder_of_several_language_pairs_is_refused_with_the_list(here):
    """A report is about the systems of one test set; the message names the pairs and the option."""
    metrics_folder(here / "wmt")
    with pytest.raises(ReadError, match=r'2 language pairs: en-de, zh-en\. .* language_pair="en-de"'):
        compose("wmt")


@pytest.mark.slow
def test_the_language_pair_of_a_folder_is_chosen(here):
    """By its own option or by a condition; each is a report of its own."""
    metrics_folder(here / "wmt")
    one, other = (compose("wmt", options=Options(language_pair=pair)) for pair in ("en-de", "zh-en"))
    where = compose("wmt", options=Options(where=(("lp", "zh-en"),)))
    assert one.results["human"] != other.results["human"] == where.results["human"]
    done = CliRunner().invoke(cli, ["report", "wmt", "-l", "en-de", "-o", "r.html", "--no-cache"])
    assert done.exit_code == 0, done.output
    data = re.search(rb'id="results">(.*?)</script>', Path("r.html").read_bytes(), re.DOTALL).group(1)
    found = json.loads(data)["results"]["meta-soft_pairwise_accuracy"]["value"]
    assert found == one.results["meta-soft_pairwise_accuracy"].value.tolist()


def test_a_folder_with_several_human_scores_names_the_option(here):
    """Neither is chosen silently."""
    metrics_folder(here / "wmt", pairs=("en-de",), golds=("da", "mqm"))
    with pytest.raises(BetterThanError, match=r"several human scores for en-de: .*gold="):
        compose("wmt")
    assert compose("wmt", options=Options(gold="mqm")).title.startswith("Metrics compared with mqm")


def test_one_metric_in_two_tables_is_refused():
    """The second would silently replace the first."""
    table = bt.Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[1, 2, 3], [2, 1, 1]])
    with pytest.raises(BetterThanError, match='Two tables hold the metric "m"'):
        compose([table, table])
