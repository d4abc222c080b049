"""Running the command line as a user does, in this process."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from betterthan.cli.main import main


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def betterthan(capsys, monkeypatch, tmp_path):
    """Call the command line; the cache goes to a folder of the test's own."""
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> Said:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Said(stopped.value.code, said.out, said.err)

    return call
