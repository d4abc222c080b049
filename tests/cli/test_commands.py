"""The commands: streams, formats, exit codes, and the same bytes every time."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.shell_completion import get_completion_class, shell_complete

import betterthan as bt
from betterthan.cli.main import cli

GOOD = "id,doc,A,B\ns1,d,1,2\ns2,d,3,1\ns3,e,2,2.5\n"


@pytest.fixture
def scores(tmp_path):
    """A small wide table."""
    path = tmp_path / "scores.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_rank_prints_a_table_on_stdout_and_nothing_else(betterthan, scores):
    """Results on stdout, everything else on stderr."""
    said = betterthan("rank", scores)

    assert said.code == 0
    assert "Ranking" not in said.err
    assert "note:" not in said.err
    assert said.out.startswith("Ranking by mean: scores, higher is better\n")
    assert "betterthan|mean|n:3|k:2|" in said.out


def test_json_is_the_result_itself(betterthan, scores):
    """The JSON can be read back into the result that Python gives."""
    said = betterthan("rank", scores, "--json")
    result = bt.Result.from_dict(json.loads(said.out))

    assert result == bt.rank(bt.read_scores(scores))


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "csv", "tsv", "json", "jsonl", "html"])
def test_the_suffix_of_the_output_picks_the_format(suffix, betterthan, scores, tmp_path):
    """`-o table.tex` needs no `-f latex`."""
    target = tmp_path / f"out.{suffix}"
    said = betterthan("rank", scores, "-o", target)

    assert said.code == 0
    assert said.out == ""
    assert f"Wrote {target}" in said.err
    assert "A" in target.read_text(encoding="utf-8")


def test_an_unknown_suffix_or_folder_is_refused(betterthan, scores, tmp_path):
    """Nothing is written to a place that was not meant."""
    assert "Unknown suffix" in betterthan("rank", scores, "-o", tmp_path / "out.docx").err
    said = betterthan("rank", scores, "-o", tmp_path / "no" / "out.csv")

    assert said.code == 2
    assert "cannot be written" in said.err


def test_a_slip_in_an_option_is_a_usage_error(betterthan, scores):
    """Usage errors exit with 2 as well."""
    assert betterthan("rank", scores, "--by", "meen").code == 2
    assert betterthan("rnk").code == 2
    assert betterthan("rank").code == 2


def test_the_documents_can_be_resampled(betterthan, scores):
    """--units groups draws documents."""
    said = betterthan("rank", scores, "--units", "groups", "--signature")

    assert said.code == 0
    assert "units:groups" in said.out


def test_columns_can_be_named(betterthan, tmp_path):
    """Flags settle what the names do not."""
    path = tmp_path / "odd.csv"
    path.write_text("satz,maschine,wert\n1,A,1\n1,B,2\n2,A,1\n2,B,3\n", encoding="utf-8")
    said = betterthan("rank", path, "--item", "satz", "--system", "maschine", "--score", "wert", "-f", "csv")

    assert said.code == 0
    assert said.out.splitlines()[1].startswith("1,B,2.5")


def test_convert_writes_a_tidy_table_that_reads_back_equal(betterthan, scores, tmp_path):
    """Any readable file becomes canonical columns."""
    for name in ("tidy.csv", "tidy.parquet", "tidy.jsonl"):
        said = betterthan("convert", scores, "-o", tmp_path / name)
        assert said.code == 0, said
        assert "2 systems × 3 segments" in said.err
        assert bt.read_scores(tmp_path / name) == bt.read_scores(scores)


def test_demo_writes_checks_and_ranks(betterthan, tmp_path):
    """The worked example runs from nothing to a ranking, twice."""
    for _ in range(2):
        said = betterthan("demo", "--output", tmp_path / "demo")
        assert said.code == 0, said
        assert "8 systems × 300 segments in 30 documents" in said.out
        assert "Aster" in said.out
    assert (tmp_path / "demo" / "battles.csv").exists()


def test_demo_does_not_touch_a_foreign_folder(betterthan, tmp_path):
    """A folder with somebody's files is refused."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    said = betterthan("demo", "--output", tmp_path)

    assert said.code == 2
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell, betterthan):
    """The script names our command."""
    said = betterthan("completion", shell)

    assert said.code == 0
    assert "_BETTERTHAN_COMPLETE" in said.out


def test_completion_in_powershell_needs_a_click_that_knows_it(betterthan):
    """Either the script or what to install."""
    said = betterthan("completion", "powershell")
    if get_completion_class("powershell") is None:
        assert said.code == 2
        assert "click 8.5 or newer" in said.err
    else:
        assert "Register-ArgumentCompleter" in said.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["rank", "sc"], "file,sc"),
        (["board", ""], "file,"),
        (["tags", "gold.tags", "a"], "file,a"),
        (["score", "a.txt", "-o", "res"], "file,res"),
        (["report", "x.csv", "--source", "s"], "file,s"),
        (["rank", "x.csv", "--by", "med"], "plain,median"),
    ],
)
def test_the_shell_completes_files_and_choices(typed, offered, monkeypatch, capsys):
    """As bash asks while somebody types."""
    monkeypatch.setenv("COMP_WORDS", " ".join(["betterthan", *typed]))
    monkeypatch.setenv("COMP_CWORD", str(len(typed)))
    shell_complete(cli, {}, "betterthan", "_BETTERTHAN_COMPLETE", "bash_complete")

    assert offered in capsys.readouterr().out.splitlines()


def test_the_manual_names_every_command_and_is_a_page(betterthan):
    """Without a complaint of the formatter, where there is one."""
    page = betterthan("manual").out

    assert all(f".SS betterthan {name}\n" in page for name in ("rank", "compare", "human da", "score bleu"))
    assert r"\-\-format" in page
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        [groff, "-k", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "which metric can we trust" in done.stdout


def test_the_help_names_every_command_once_with_its_question(betterthan):
    """In groups of at most seven, instead of an alphabetical list of cut sentences."""
    page = betterthan("--help").out.partition("Options:")[0]
    groups = [part.splitlines()[1:] for part in page.split("\n\n") if "\n    " in part]
    calls = [line.split()[0] for group in groups for line in group if re.match(r" {4}\S", line)]

    assert sorted(calls) == sorted(cli.commands)
    assert all(len(line) <= 100 for line in page.splitlines())
    assert "Commands:" not in betterthan("--help").out


def test_quiet_leaves_the_answer(betterthan, scores, tmp_path):
    """No note, no remark of what was written and no progress; errors are still said."""
    loud, quiet = (betterthan("rank", scores, "--format", "csv", *more) for more in ((), ("-q",)))
    assert quiet.out == loud.out
    assert quiet.err == ""
    assert betterthan("convert", scores, "-o", tmp_path / "a.csv", "--quiet").err == ""
    assert betterthan("rank", tmp_path / "no.csv", "-q").err.startswith("error[BT001]")


def test_verbose_says_what_is_read_and_computed(betterthan, scores):
    """On standard error, for this command only; the answer is the same."""
    plain, verbose, after = (
        betterthan("rank", scores, "--by", "median", *more) for more in ((), ("-v",), ())
    )
    assert plain.out == verbose.out
    assert re.search(r"ms  read .*: Scores\(", verbose.err)
    assert "blocks, " in verbose.err
    assert after.err == plain.err


def test_check_explains_a_code(betterthan):
    """Every code has a meaning and a cure."""
    said = betterthan("check", "--explain", "bt001")

    assert said.code == 0
    assert "hint:" in said.out
    assert betterthan("check", "--explain", "BT999").code == 2


def test_check_without_a_file_says_what_to_do(betterthan):
    """Nothing to check is a usage error."""
    assert "Name at least one file" in betterthan("check").err


def test_cache_can_be_looked_at_and_cleared(betterthan):
    """An empty cache has no parts."""
    assert "0 parts" in betterthan("cache", "info").out
    assert "Removed 0 parts" in betterthan("cache", "clear").err


def test_version(betterthan):
    """One line with the version."""
    assert betterthan("--version").out == f"betterthan {bt.__version__}\n"


def test_a_fault_of_our_own_is_said_to_be_ours(betterthan, scores, monkeypatch):
    """Without --debug there is no traceback, with it there is."""

    def broken(*_arguments, **_options):
        raise RuntimeError("boom")

    monkeypatch.setattr("betterthan.analysis.rank.rank.rank_scores", broken)
    said = betterthan("rank", scores)

    assert said.code == 70
    assert "boom" in said.err
    assert "fault in betterthan" in said.err
    assert "Traceback" not in said.err
    assert "Traceback" in betterthan("--debug", "rank", scores).err


def run(*arguments: object, cache: Path, **options):
    """Start the command line as a process of its own."""
    environment = {**os.environ, "BETTERTHAN_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", "from betterthan.cli.main import main; main()", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A table whose bootstrap takes a few seconds."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    values = np.random.default_rng(1).normal(size=(3000, 4)).round(3)
    np.savetxt(path, values, delimiter=",", header="A,B,C,D", comments="", fmt="%.3f")
    return path


RESAMPLES = 20_000


@pytest.fixture(scope="module")
def expected(large, tmp_path_factory):
    """The bytes of an uninterrupted run with one worker."""
    process = run(
        "rank",
        large,
        "--by",
        "median",
        "--json",
        "--resamples",
        RESAMPLES,
        "--workers",
        1,
        "--no-cache",
        cache=tmp_path_factory.mktemp("c"),
    )
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out


@pytest.mark.parametrize("workers", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_the_bytes_do_not_depend_on_the_workers(workers, large, expected, tmp_path):
    """1, 2 and 4 workers write the same JSON to the last byte."""
    arguments = ("rank", large, "--by", "median", "--json", "--resamples", RESAMPLES, "--workers", workers)
    process = run(*arguments, cache=tmp_path)

    assert process.communicate()[0] == expected


def wait_for_a_checkpoint(folder: Path, process: subprocess.Popen) -> None:
    """Return when the first finished part is on disk."""
    end = time.monotonic() + 60
    while not any(path.is_file() for path in folder.rglob("*")):
        assert process.poll() is None, "the run ended before its first checkpoint"
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_stopped_run_goes_on_and_gives_the_same_bytes(how, large, expected, tmp_path):
    """Killed or interrupted, the same command finishes the work and writes what it would have written."""
    arguments = ("rank", large, "--by", "median", "--json", "--resamples", RESAMPLES, "--workers", 1)
    process = run(*arguments, cache=tmp_path)
    wait_for_a_checkpoint(tmp_path, process)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)

    assert out == b""
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    if how == signal.SIGINT:
        assert b"run the same command again" in err
        assert b"Traceback" not in err
    assert run(*arguments, cache=tmp_path).communicate()[0] == expected


def test_a_closed_pipe_ends_quietly(scores, tmp_path):
    """`betterthan rank … | head -0` makes no noise."""
    process = run("rank", scores, cache=tmp_path)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()

    assert process.wait() == 0
    assert b"Traceback" not in err
    assert b"pipe" not in err


def test_standard_input_is_read(tmp_path):
    """A dash is standard input."""
    process = run("rank", "-", "-f", "csv", cache=tmp_path, stdin=subprocess.PIPE)
    out, err = process.communicate(GOOD.encode())

    assert process.returncode == 0, err
    assert out.decode().splitlines()[1].startswith("1,A,2.0")
