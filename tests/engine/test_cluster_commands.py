"""Every command and every verb on a cluster: the bytes of this machine, and blocks that were really sent.

A command has ``--executor`` if some method of it works in blocks. The others compute in closed form, and refuse it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_lines import FEW, TEXTS, VERBS_AND_FILES, write_files
from tests.everyday import few
from tests.fuzz.commands import commands

from betterthan.cli.main import cli, main
from betterthan.engine.cluster import Cluster

pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("environment_restored")

COMMANDS = commands()
ON_CLUSTERS = {
    name for name, command in COMMANDS.items() if any("--executor" in each.opts for each in command.params)
}
# Methods that work in blocks, beside the command lines of all verbs; the output of these is a file or a table.
MORE = {
    "compare by the maximum": ("compare", "small.csv", "--correction", "max-statistic", *FEW),
    "compare by a bootstrap": ("compare", "demo/human.csv", "--test", "bootstrap", *FEW),
    "rank by the median": ("rank", "demo/human.csv", "--by", "median", *FEW),
    "rank battles by Elo": ("rank", "demo/battles.csv", "--by", "elo", *FEW),
    "rank by TrueSkill": ("rank", "small.csv", "--by", "trueskill", *FEW),
    "agree on counts": ("agree", "small.csv", "--by", "mean", "--by", "elo", "--by", "trueskill", *FEW),
    "board of win rates": ("board", "demo/metrics.tsv", "--by", "mean-win-rate", *FEW),
    "meta by system": ("meta", "demo/metrics.tsv", "--human", "demo/human.csv", *FEW),
    "meta by segment": (
        *("meta", "demo/metrics.tsv", "--human", "demo/human.csv"),
        *("--by", "accuracy-with-ties", "--significance", "perm-cells", *FEW),
    ),
    "quality by resampling": (
        *("quality", "gold.hter", "ours=a.hter", "c=b.hter"),
        *("--interval", "percentile", *FEW),
    ),
    "score with all aggregations": ("score", "bleu", "--aggregation", "all", *TEXTS),
    "tags and their measures": (
        *("tags", "demo/tags/gold.tags", "demo/tags/Finch.tags", "demo/tags/Wren.tags"),
        *("--by", "mcc", "--audition", *FEW),
    ),
    "study of resampled scores": ("study", "tests-agreement", "--quick", "--set", "draws=40"),
}
FILES = {
    "report": ("report", "demo/human.csv", "-o", "made.html"),
    "report of battles": ("report", "demo/battles.csv", "-o", "made.html"),
    "figure": ("figure", "ranking", "small.csv", "--by", "elo", *FEW, "-o", "made.json"),
    "figure of metrics": (
        *("figure", "metrics", "demo/metrics.tsv", "--human", "demo/human.csv", *FEW),
        *("-o", "made.json"),
    ),
}


def command_of(words: tuple[str, ...]) -> str:
    """The full name of the command of some words; texts are scored by several metrics if none is named."""
    return next((name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS), "score metrics")


PRINTED = {name: words for name, words in VERBS_AND_FILES.items() if command_of(words) in ON_CLUSTERS} | MORE
CLOSED_FORM = sorted(set(COMMANDS) - ON_CLUSTERS)
# In these command lines every number has a formula. Another line of the same command, above, is sent.
NOT_SENT = {"compare battles", "rank battles", "rank anchored", "quality", "study"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of all commands."""
    place = tmp_path_factory.mktemp("commands")
    write_files(place)
    return place


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """A scheduler and two workers, each a process."""
    from dask_machines import Machines

    started = Machines(tmp_path_factory.mktemp("dask"))
    started.worker()
    started.worker()
    yield started
    started.stop()


@pytest.fixture
def sent(monkeypatch):
    """How many blocks each job sent to the cluster."""
    numbers: list[int] = []
    original = Cluster.run

    def counted(self, job, blocks, keep):
        numbers.append(len(blocks))
        original(self, job, blocks, keep)

    monkeypatch.setattr(Cluster, "run", counted)
    return numbers


@pytest.fixture
def said(folder, monkeypatch, capsys):
    """Call the command line in the folder of the files; return what it prints."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words):
        with pytest.raises(SystemExit) as stopped:
            main([str(word) for word in words])
        output = capsys.readouterr()
        assert stopped.value.code == 0, output.err
        return output.out

    return call


@pytest.mark.parametrize("name", few(PRINTED, 6))
def test_a_command_gives_the_same_bytes_on_a_cluster(name, machines, sent, said):
    """JSON with every number and the record of the command; from blocks that were sent."""
    words = (*PRINTED[name], "--json", "--no-cache")
    there = said(*words, "--executor", machines.address)
    n_sent = sum(sent)
    assert said(*words, "--workers", 1) == there
    assert sum(sent) == n_sent
    assert (n_sent == 0) == (name in NOT_SENT)


@pytest.mark.parametrize("name", few(FILES, 1))
def test_a_file_has_the_same_bytes_from_a_cluster(name, machines, sent, said):
    """Reports and figures."""
    if name.startswith("figure"):
        pytest.importorskip("altair")
    words = (*FILES[name], "--no-cache")
    said(*words, "--executor", machines.address)
    made = Path(FILES[name][-1])
    there = made.read_bytes()
    assert sum(sent)
    made.unlink()
    said(*words, "--workers", 1)
    assert made.read_bytes() == there


@pytest.mark.slow
def test_a_result_is_verified_on_a_cluster(machines, sent, said):
    """The command that a result records runs there."""
    said("rank", "demo/human.csv", "--by", "median", *FEW, "--no-cache", "-o", "ranking.json")
    output = said("verify", "ranking.json", "demo/human.csv", "--executor", machines.address)
    assert "ranking.json: reproduced." in output
    assert sum(sent)


@pytest.mark.parametrize("name", CLOSED_FORM)
def test_a_command_without_blocks_refuses_an_executor(name, capsys):
    """An option without effect is an error."""
    with pytest.raises(SystemExit) as stopped:
        main([*name.split(), "--executor", "dask://127.0.0.1:9"])
    assert stopped.value.code == 2
    assert "No such option" in capsys.readouterr().err


def test_every_command_with_an_executor_is_run_above():
    """And sends blocks in one of its command lines at least; the app has a test of its own."""
    lines = {**PRINTED, **FILES}
    sending = {command_of(words) for name, words in lines.items() if name not in NOT_SENT}
    assert sending == ON_CLUSTERS - {"verify"}
    assert any("--executor" in each.opts for each in cli.commands["serve"].params)
