import io
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.engine.progress import Bar, ProgressLines, Silence, in_words, terminal_progress


class Terminal(io.StringIO):
    """A terminal that remembers."""

    def isatty(self):
        """Claim to be one."""
        return True


class Clock:
    """Tells the seconds it is told."""

    now = 100.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    """A terminal of known width and abilities."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"done": 0, "total": 8, "fresh": 0, "seconds": 2}, "0%"),
        ({"done": 4, "total": 8, "fresh": 4, "seconds": 2}, "50%, 0:02 left"),
        ({"done": 6, "total": 8, "fresh": 2, "seconds": 60}, "75%, 1:00 left"),
        ({"done": 2, "total": 8, "fresh": 2, "seconds": 3600}, "25%, 3:00:00 left"),
        ({"done": 1, "total": 8, "fresh": 1, "seconds": 1800}, "12%"),
        ({"done": 55, "total": 100, "fresh": 5, "seconds": 60}, "55%"),
        ({"done": 5000, "total": 9999, "fresh": 5000, "seconds": 4}, "50%, 0:04 left"),
        ({"done": 0, "total": 0, "fresh": 0, "seconds": 0}, "0%"),
    ],
)
def test_progress_in_words(numbers, words):
    """How far, and how much longer once a fifth of this run is done; what an earlier run did promises nothing."""
    assert in_words(numbers.pop("done"), numbers.pop("total"), **numbers) == words


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 1e9))
def test_any_numbers_can_be_said(earlier, fresh, ahead, seconds):
    """There is no division by nothing."""
    done = earlier + fresh
    assert "%" in in_words(done, done + ahead, fresh=fresh, seconds=seconds)


def test_silence_says_nothing(capfd):
    """It is the library's default."""
    tell_all(Silence())
    assert capfd.readouterr() == ("", "")


def test_lines_are_ten_seconds_apart():
    """None in the first ten seconds, then at most one every ten."""
    stream, clock = io.StringIO(), Clock()
    lines = ProgressLines(stream, clock=clock)
    lines.start(100, "permutation", done=20)
    for _ in range(35):
        clock.now += 1
        lines.advance()
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "permutation: 30%",
        "permutation: 40%, 1:00 left",
        "permutation: 50%, 0:50 left",
    ]


def test_a_bar_shows_name_percentage_and_time_left():
    """And goes on from what an earlier run did."""
    terminal = Terminal()
    bar = Bar(terminal, delay=0)
    bar.start(100, "permutation [A, B]", done=25)
    bar._timer.join()
    bar.advance(15)
    bar._bar.refresh()
    bar.finish()
    shown = terminal.getvalue()
    assert "permutation [A, B]" in shown
    assert "25%" in shown
    assert "40%" in shown
    assert "block" not in shown
    assert "left" in shown


def test_a_bar_vanishes_at_the_end():
    """The last thing written erases its line and shows the cursor again."""
    terminal = Terminal()
    bar = Bar(terminal, delay=0)
    bar.start(10, "permutation")
    bar._timer.join()
    bar.finish()
    assert "\x1b[2K" in terminal.getvalue().rpartition("permutation")[2]
    assert "\x1b[?25h" in terminal.getvalue().rpartition("permutation")[2]


def test_a_short_run_shows_no_bar():
    """Nothing is written before the delay, nor after the end."""
    terminal = Terminal()
    bar = Bar(terminal, delay=3600)
    tell_all(bar)
    bar._appear()
    assert terminal.getvalue() == ""


def test_a_bar_can_be_used_for_several_runs():
    """A verb may run more than one job."""
    terminal = Terminal()
    bar = Bar(terminal, delay=0)
    for label in ("first", "second"):
        bar.start(10, label)
        bar._timer.join()
        bar.finish()
    assert "first" in terminal.getvalue()
    assert "second" in terminal.getvalue()


def test_a_bar_without_colour_has_none(monkeypatch):
    """NO_COLOR is honoured."""
    coloured, plain = Terminal(), Terminal()
    show(coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    show(plain)
    assert "\x1b[38;5" in coloured.getvalue()
    assert "\x1b[38;5" not in plain.getvalue()


def test_a_terminal_gets_a_bar_and_a_dumb_one_lines(monkeypatch):
    """As does everything that is no terminal."""
    assert type(terminal_progress(Terminal())) is Bar
    assert type(terminal_progress(io.StringIO())) is ProgressLines
    assert type(terminal_progress()) is ProgressLines
    monkeypatch.setenv("TERM", "dumb")
    assert type(terminal_progress(Terminal())) is ProgressLines


def test_the_engine_imports_rich_only_for_a_bar():
    """Most runs never show one."""
    program = "import sys, betterthan.engine.run; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def show(terminal):
    """Have a bar appear and vanish."""
    bar = Bar(terminal, delay=0)
    bar.start(10, "permutation", done=5)
    bar._timer.join()
    bar.finish()


def tell_all(progress):
    """Go through a whole run."""
    progress.start(2, "permutation")
    progress.advance()
    progress.advance(1)
    progress.finish()
