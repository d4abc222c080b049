"""The body of a file is read once: measured by what the process asks of the operating system."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.everyday import few

from betterthan.read.sniff import read_any
from betterthan.read.source.source import HEAD_BYTES, SMALL

COUNTER = Path("/proc/self/io")
pytestmark = pytest.mark.skipif(
    not COUNTER.exists(), reason="only Linux counts the bytes that a process reads"
)


def bytes_read():
    """All that this process has read so far."""
    return int(COUNTER.read_text().split()[1])


def long_rows(n):
    """Rows of a long table."""
    return "".join(f"segment{i},System{s},{i / 7}\n" for i in range(n) for s in "AB")


# Made by the test that needs it: every worker loads this file.
FILES = {
    "long": ("l.csv", lambda: "item,system,score\n" + long_rows(30_000), 1),
    "battles": (
        "b.csv",
        lambda: "model_a,model_b,winner\n" + "".join(f"A,B{i % 9},model_a\n" for i in range(100_000)),
        2,
    ),
    "tags": ("x.tags", lambda: "OK BAD OK OK\n" * 100_000, 1),
    "mqm": (
        "m.tsv",
        lambda: (
            "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
            + "".join(
                f"{s}\td\t1\t{i}\tr\tx\ty z\tAccuracy/Mistranslation\tMajor\n"
                for i in range(15_000)
                for s in "AB"
            )
        ),
        1,
    ),
    "score_file": (
        "B-refA.seg.score",
        lambda: "".join(f"{s}\t{i / 7}\n" for s in "AB" for i in range(40_000)),
        1,
    ),
    # Text for the engine (battles, and all above 4 MB) is first checked from end to end, because the engine would pass
    # over NUL bytes, cut streams and cells too many.
    "large long": ("g.csv", lambda: "item,system,score\n" + long_rows(70_000), 2),
    "large jsonl": (
        "g.jsonl",
        lambda: "".join(
            json.dumps({"item": i, "system": s, "score": i / 7}) + "\n" for i in range(45_000) for s in "AB"
        ),
        2,
    ),
}


@pytest.mark.parametrize("name", few(FILES, 3))
def test_the_body_is_read_once(name, tmp_path):
    """Beside the first 64 KiB, by which it is recognized; a text for the engine is checked before."""
    called, content, times = FILES[name]
    path = tmp_path / called
    path.write_text(content())
    size = path.stat().st_size
    assert (size > SMALL) == name.startswith("large")
    read_any(path)  # loads the modules that are needed, which are files too
    before = bytes_read()
    reading = read_any(path)
    done = bytes_read() - before
    assert reading.rows_read > 0
    assert size <= done < times * size + 8 * HEAD_BYTES
