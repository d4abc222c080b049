"""How often an uploaded file is parsed, from the upload over the report to the page of a pair."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from dataclasses import replace
from types import ModuleType

import pytest
from tests.web.conftest import SCORES
from tests.web.made_kinds import battles

from betterthan.read.formats.registry import READERS, reader
from betterthan.report.compose import compose
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import Choices, new_id
from betterthan.web.runs.task import Task
from betterthan.web.runs.uploads import store
from betterthan.web.worker.composing import answer
from betterthan.web.worker.first_look import look
from betterthan.web.worker.pairs import compute_pair
from betterthan.web.worker.worker import News

METRICS = "segment,system,metric,score\n" + "".join(
    f"s{j},{name},{metric},{(7 * j + 3 * i + k) % 11}\n"
    for j in range(24)
    for i, name in enumerate(("A", "B", "C"))
    for k, metric in enumerate(("chrF", "other"))
)
HUMAN = "segment,A,B,C\n" + "".join(
    f"s{j},{(5 * j) % 13 + 3},{(7 * j) % 13 + 1},{(3 * j) % 13}\n" for j in range(24)
)


class CountingReader:
    """A reader that counts how often it reads; everything else is the reader's own."""

    def __init__(self, name, inner, counts):
        self._name, self._inner, self._counts = name, inner, counts

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def read(self, *arguments):
        """Read, and count."""
        self._counts[self._name] += 1
        return self._inner.read(*arguments)


@pytest.fixture
def parses(monkeypatch):
    """How often a reader read, by its layout: the registry hands out readers that count."""
    counts: Counter[str] = Counter()
    counting = ModuleType("tests.web.counting_readers")
    for name in READERS:
        setattr(counting, name.replace("-", "_"), CountingReader(name, reader(name), counts))
    monkeypatch.setitem(sys.modules, counting.__name__, counting)
    for name, entry in list(READERS.items()):
        place = f"{counting.__name__}:{name.replace('-', '_')}"
        monkeypatch.setitem(READERS, name, replace(entry, module=place))
    reader.cache_clear()
    yield counts
    reader.cache_clear()


@pytest.fixture
def task(tmp_path, monkeypatch):
    """The means to make a task on some files, in the folder where a worker would be."""

    def made(files, name="look", choices=None, details=None):
        if not hasattr(made, "folder"):
            made.folder = RunFolder(tmp_path, new_id())
            made.folder.make()
            monkeypatch.chdir(made.folder.files)
            made.files = tuple(
                store(io.BytesIO(text.encode()), name, made.folder) for name, text in files.items()
            )
        return Task(
            name=name,
            root=str(tmp_path),
            run_id=made.folder.run_id,
            files=made.files,
            choices=choices or Choices(),
            memory_bytes=1 << 32,
            cpu_seconds=600,
            rows=10_000,
            details=details or {},
        )

    return made


def results(one):
    """The results of a run as plain data."""
    return one.folder.read("results.json")["results"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"human.csv": SCORES}, 1),
        ({"many.csv": METRICS}, 1),
        ({"many.csv": METRICS, "human.csv": HUMAN}, 2),
        ({"battles.csv": battles()}, 2),
    ],
    ids=["scores", "several metrics", "metrics and human scores", "battles"],
)
def test_an_upload_is_parsed_once(task, parses, files, expected):
    """Once a file; battles once more, because their list needs segments and judges, which the report does not."""
    news = News(io.BytesIO())
    look(task(files), news)
    assert parses.total() == len(files)
    done = task(files, "compose")
    answer(done, news)
    systems = done.folder.read("tables.json")["scores" if "battles.csv" not in files else "matches"][0][
        "systems"
    ]
    details = {"a": systems[0], "b": systems[1], "metric": ""}
    compute_pair(task(files, "pair", details=details), news)
    assert parses.total() == expected


def test_the_numbers_are_those_of_the_files(task, tmp_path):
    """A report from saved tables is the report from the files themselves."""
    files = {"many.csv": METRICS, "human.csv": HUMAN}
    news = News(io.BytesIO())
    look(task(files), news)
    done = task(files, "compose")
    answer(done, news)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    expected = compose(str(tmp_path / "many.csv"), human=str(tmp_path / "human.csv"), workers=1)
    assert results(done) == json.loads(expected.to_json())["results"]
    assert done.folder.read("results.json")["command"].startswith(
        "betterthan report many.csv --human human.csv"
    )


def test_other_choices_parse_again(task, parses):
    """What was saved was read in another way."""
    files, news = {"human.csv": SCORES}, News(io.BytesIO())
    look(task(files), news)
    done = task(files, "compose", Choices(direction="lower"))
    answer(done, news)
    assert parses.total() == 2
    assert results(done)["ranking-mean"]["unit"] == "human, lower is better"
