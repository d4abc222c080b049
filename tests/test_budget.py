"""The memory budget: where it comes from, and that what runs over it ends in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan import budget
from betterthan.cli.main import cli
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.run import run
from betterthan.errors import BetterThanError, OverBudget

GB = budget.GIGABYTE
COMMAND = "from betterthan.cli.main import main; main()"


@pytest.fixture
def small():
    """A budget of 256 MB for one test."""
    budget.limit_memory(budget.LEAST)
    yield
    budget.limit_memory(None)


@pytest.fixture
def scores(tmp_path):
    """A file with the scores of two systems."""
    path = tmp_path / "scores.csv"
    path.write_text("id,A,B\n" + "".join(f"{i},{i % 7},{i % 5}\n" for i in range(40)))
    return path


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * GB), ("4 gib", 4 * GB), ("800M", 800 << 20), ("1.5T", 1536 * GB), ("512", GB // 2)],
)
def test_sizes_are_read_as_people_write_them(text, size):
    """A bare number is megabytes."""
    assert budget.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "4XB", "-1GB", "10MB", "1e9GB", "nan", "GB", "9" * 400])
def test_what_is_no_size_is_refused(text):
    """Also what would be too little to load the libraries."""
    with pytest.raises(BetterThanError, match="not an amount of memory of at least 256 MB"):
        budget.parse_size(text)


def machine(root: Path, *, free: int, cgroup: str = "", **files: str) -> Path:
    """Write what a kernel says; `files` by their path, with _ for / and - for a dot."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(
        f"MemTotal: 99999999 kB\nMemAvailable: {free >> 10} kB\nHugePages: x\n"
    )
    (root / "proc/self/cgroup").write_text(cgroup)
    for name, content in files.items():
        path = root / "sys/fs/cgroup" / name.replace("__", "/").replace("-", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def bare(root: Path) -> int:
    """Memory that is free, in a process without limits of its own."""
    return budget.available_memory(root)


def test_free_memory_is_the_least_of_machine_and_control_groups(tmp_path):
    """A container of 2 GB on a machine with 8 GB free has 2 GB, less what it uses, with the cache it could drop."""
    assert bare(machine(tmp_path / "a", free=8 * GB)) == 8 * GB
    second = {
        "box__memory-max": str(2 * GB),
        "box__memory-current": str(GB),
        "box__memory-stat": f"anon 1\ninactive_file {GB // 4}\n",
        "box__job__memory-max": "max",
        "box__job__memory-current": "5",
    }
    assert bare(machine(tmp_path / "b", free=8 * GB, cgroup="0::/box/job\n", **second)) == GB + GB // 4
    first = {"memory__box__memory-limit_in_bytes": str(3 * GB), "memory__box__memory-usage_in_bytes": str(GB)}
    lines = "4:cpu:/x\n7:memory,hugetlb:/box\n"
    assert bare(machine(tmp_path / "c", free=8 * GB, cgroup=lines, **first)) == 2 * GB


def test_a_container_with_a_share_of_the_processors_uses_that_share(tmp_path):
    """One and a half processors are two workers; without a limit, what the system lets the process use."""
    free = budget.usable_cpus(tmp_path)
    second = {"box__job__cpu-max": "max 100000", "box__cpu-max": "150000 100000"}
    found = budget.usable_cpus(machine(tmp_path / "a", free=GB, cgroup="0::/box/job\n", **second))
    assert found == min(free, 2)
    first = {"cpu__box__cpu-cfs_quota_us": "50000", "cpu__box__cpu-cfs_period_us": "100000"}
    lines = "4:cpu,cpuacct:/box\n7:memory:/x\n"
    assert budget.usable_cpus(machine(tmp_path / "b", free=GB, cgroup=lines, **first)) == 1
    none = {"cpu__box__cpu-cfs_quota_us": "-1", "cpu__box__cpu-cfs_period_us": "100000"}
    assert budget.usable_cpus(machine(tmp_path / "c", free=GB, cgroup=lines, **none)) == free
    assert budget.usable_cpus() >= 1


def test_a_machine_that_says_nothing_has_some_memory(tmp_path):
    """As on systems without /proc."""
    assert budget.available_memory(tmp_path) > 0


def test_the_variable_sets_the_budget_and_the_option_beats_it(monkeypatch):
    """In Python as on the command line."""
    monkeypatch.setenv("BETTERTHAN_MEMORY", "3GB")
    assert budget.memory() == 3 * GB
    budget.limit_memory(5 * GB)
    assert budget.memory() == 5 * GB
    budget.limit_memory(None)
    monkeypatch.setenv("BETTERTHAN_MEMORY", "a lot")
    with pytest.raises(BetterThanError, match=r'^BETTERTHAN_MEMORY: "a lot" is not an amount'):
        budget.memory()


def every_command(group: click.Group) -> list[click.Command]:
    """All commands below a group."""
    return [
        found
        for command in group.commands.values()
        for found in (every_command(command) if isinstance(command, click.Group) else [command])
    ]


@pytest.mark.parametrize("command", every_command(cli), ids=lambda command: command.name)
def test_every_command_has_a_budget_and_no_count_without_an_upper_bound(command):
    """A count of 10^12 must be refused before anything is allocated."""
    assert any("--memory" in option.opts for option in command.params)
    for option in command.params:
        if isinstance(option.type, click.IntRange) and option.name != "seed":
            assert option.type.max is not None, option.name
        assert option.type is not click.INT, option.name


def child(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, where limits of the operating system hold."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_budget_of_a_command_is_its_own(scores, tmp_path):
    """A command that is small runs in the least budget, and numbers do not depend on it."""
    least, ample = (child("rank", scores, "--json", "--memory", size, BETTERTHAN_CACHE=str(tmp_path / "cache"))
                    for size in ("256MB", "4GB"))  # fmt: skip
    assert least.returncode == ample.returncode == 0, least.stderr
    assert least.stdout == ample.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_what_nobody_foresaw_ends_in_one_sentence():
    """The operating system refuses the memory, and the user is told the budget and the option."""
    program = (
        "import click, betterthan.cli.main as m\n"
        "from betterthan.cli.options import add_common\n"
        "@click.command()\n"
        "def eat(): bytearray(3 << 30)\n"
        "add_common(eat); m.cli.add_command(eat); m.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "eat", "--memory", "300MB"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error[BT250]: This needs more memory than the budget of 300 MB. Use part of the data, or raise the "
        "budget with --memory SIZE.\n"
    )


def test_a_chart_is_drawn_in_the_least_budget(scores, tmp_path):
    """The library that draws reserves far more address space than it uses, and aborts without it."""
    pytest.importorskip("vl_convert")
    done = child(
        "figure", "ranking", scores, "-o", tmp_path / "ranking.svg", "--memory", "256MB", "--no-cache"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ranking.svg").stat().st_size > 1000


@pytest.mark.parametrize("command", few(["rank", "compare", "meta"], 1))
def test_absurd_numbers_of_resamples_are_refused(scores, command):
    """By the option."""
    more = ("--human", scores) if command == "meta" else ()
    done = child(command, scores, *more, "--resamples", 10**12)
    assert done.returncode == 2
    assert "1000000000000 is not in the range 1<=x<=100000000" in done.stderr


def test_absurd_counts_are_refused_in_python(scores):
    """With the same bounds."""
    table = bt.read_scores(scores)
    for call in (
        lambda: bt.rank(table, by="median", n_resamples=10**12),
        lambda: bt.compare(table, test="bootstrap", n_resamples=10**12),
        lambda: bt.rank(table, by="elo", n_orders=10**12),
        lambda: bt.rank(table, workers=10**6, by="median"),
    ):
        with pytest.raises(BetterThanError, match="must be at most"):
            call()


def test_a_received_result_does_not_run_for_ever(scores, tmp_path):
    """A result is checked with the same bounds as a command that is typed."""
    made = child("rank", scores, "--json", "--by", "median", "--resamples", "50")
    result = json.loads(made.stdout)
    result["command"]["parameters"]["resamples"] = 10**12
    (tmp_path / "result.json").write_text(json.dumps(result))
    done = child("verify", tmp_path / "result.json", scores)
    assert done.returncode == 2
    assert "is not in the range" in done.stderr
    result["command"]["parameters"]["resamples"] = 10**8
    (tmp_path / "result.json").write_text(json.dumps(result))
    done = child("verify", tmp_path / "result.json", scores, "--memory", "256MB")
    assert done.returncode in (1, 2)
    assert "more than the budget of 256 MB" in done.stdout + done.stderr


def _kilobyte(_payload, _block):
    import numpy as np

    return np.zeros(128)


@pytest.mark.usefixtures("small")
def test_a_job_whose_results_will_not_fit_ends_after_its_first_block():
    """A megabyte of blocks with a kilobyte each, put together in the end, is 2 GB."""
    done = []

    def counted(payload, block):
        done.append(block)
        return _kilobyte(payload, block)

    job = Job(name="too much", function=counted, payload=None, n_blocks=1 << 20)
    with pytest.raises(
        OverBudget, match=r'"too much" needs about 2\.0 GB of memory, more than the budget of 256 MB'
    ):
        run(job, workers=1)
    assert done == [0]


@pytest.mark.usefixtures("small")
def test_blocks_that_cannot_even_be_listed_are_refused():
    """Or of which one alone is too large."""
    with pytest.raises(OverBudget, match="fewer resamples"):
        block_ranges(10**9, 1 << 26)
    with pytest.raises(OverBudget, match="fewer resamples"):
        block_ranges(1, 1 << 30)


def test_an_error_of_the_budget_survives_a_worker_process():
    """Errors travel as pickles."""
    import pickle

    error = pickle.loads(pickle.dumps(budget.out_of_memory()))  # noqa: S301  (made here)
    assert isinstance(error, OverBudget)
    assert error.code == "BT250"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("verb", [bt.rank, bt.compare, bt.diagnose], ids=["rank", "compare", "diagnose"])
def test_systems_whose_pairs_will_not_fit_are_refused_before_any_work(verb):
    """Ten thousand systems have fifty million pairs."""
    names = [f"S{i}" for i in range(10_000)]
    table = bt.Scores(name="m", systems=names, segments=["1", "2"], values=[[1.0, 2.0]] * len(names))
    with pytest.raises(
        OverBudget, match=r"^A comparison of 10,000 systems, 49,995,000 pairs, needs about 29\.8 GB"
    ):
        verb(table)
