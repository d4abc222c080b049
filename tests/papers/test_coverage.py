"""Every row of the coverage of the papers is run and checked, and the page says what the table does."""

from __future__ import annotations

import shlex

import pytest
from tests.papers.checks.files import write_files
from tests.papers.checks.shown import Shown
from tests.papers.coverage import PAGE, Row, page, rows

from betterthan.cli.main import main

ROWS = rows()
# These take seconds even when they are quick; tests/studies runs them every day on smaller settings.
SLOW = ("study paired-simulation", "study paired-disagreement", "study spa-speed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo campaign and small files of other kinds."""
    place = tmp_path_factory.mktemp("coverage")
    write_files(place)
    return place


@pytest.fixture(scope="module")
def answers():
    """What commands said, for rows that show the same one."""
    return {}


@pytest.fixture
def run(folder, answers, monkeypatch, capsys):
    """Run a command once in the folder, and return what it printed."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BETTERTHAN_CACHE", str(folder / "cache"))
    monkeypatch.setenv("COLUMNS", "160")

    def once(command: str) -> tuple[str, str]:
        if command not in answers or " -o " in command:
            with pytest.raises(SystemExit) as stopped:
                main(shlex.split(command))
            said = capsys.readouterr()
            assert stopped.value.code == 0, said.err
            answers[command] = (said.out, said.err)
        return answers[command]

    return once


def _marked(row: Row):
    return pytest.param(row, id=row.name, marks=pytest.mark.slow if row.command.startswith(SLOW) else ())


@pytest.mark.parametrize("row", [_marked(row) for row in ROWS])
def test_the_command_shows_it(row, folder, run):
    """What the row's check says holds of its answer."""
    row.check(Shown(row.command, folder, run))


def test_no_row_is_missing():
    """A1 to A126 and E1 to E38, each once."""
    expected = [*(f"A{i}" for i in range(1, 127)), *(f"E{i}" for i in range(1, 39))]
    assert sorted(row.name for row in ROWS) == sorted(expected)


def test_every_row_says_what_is_checked():
    """One clause each, and no two the same."""
    said = [row.checked for row in ROWS]
    assert all(20 < len(one) < 250 for one in said), [one for one in said if not 20 < len(one) < 250]
    assert len(set(said)) == len(said)


def test_the_page_is_made_from_the_table():
    """Run `python -m tests.papers.coverage` to write it again."""
    assert PAGE.read_text(encoding="utf-8") == page()
