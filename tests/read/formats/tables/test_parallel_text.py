"""Line-parallel texts: line k of every file is segment k."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.errors import ReadError
from betterthan.read.formats.tables.parallel_text import read, read_texts, sniff
from betterthan.read.protocol import Options
from betterthan.read.sniff import sniff as recognised
from betterthan.read.source.source import open_source


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writer(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writer


def test_outputs_references_and_sources_are_read(write):
    """Names come from stems; a single reference is called ref."""
    texts = read_texts(
        [write("ours.txt", "a\nb\n"), write("base.de.txt", "c\nd\n")],
        references=write("reference.txt", "e\nf\n"),
        sources=write("source.txt", "g\nh\n"),
    )
    assert texts.systems == ("ours", "base.de")
    assert texts.outputs == (("a", "b"), ("c", "d"))
    assert (texts.references, texts.reference_names) == ((("e", "f"),), ("ref",))
    assert texts.sources == ("g", "h")
    assert texts.segments == ("1", "2")
    assert texts.notes == ()


def test_names_can_be_given(write):
    """By a mapping or as NAME=path."""
    path = write("a.txt", "a\n")
    assert read_texts({"ours": path}).systems == ("ours",)
    assert read_texts([f"ours={path}", f"base={path}"]).systems == ("ours", "base")
    assert read_texts(f"ours={path}").systems == ("ours",)
    assert read_texts(path, references={"A": path}).reference_names == ("A",)
    assert read_texts(path, references=[f"A={path}", path]).reference_names == ("A", "a")


def test_a_file_whose_name_has_an_equals_sign_is_meant_as_it_stands(write):
    """Only what does not exist is split."""
    assert read_texts(str(write("n=5.txt", "a\n"))).systems == ("n=5",)


def test_lines_end_at_line_feeds_only(write):
    """U+2028, U+0085 and form feeds are part of real translations."""
    path = write("a.txt", "one\u2028still one\u0085\x0c\r\ntwo")
    assert read_texts(path).outputs == (("one\u2028still one\u0085\x0c", "two"),)


def test_byte_order_marks_line_ends_and_gzip_are_tolerated(write):
    """The text is the same."""
    plain = read_texts({"a": write("a.txt", "ä\nb\n")})
    assert read_texts({"a": write("b.txt", b"\xef\xbb\xbf" + "ä\r\nb\r\n".encode())}) == plain
    assert read_texts({"a": write("c.txt.gz", gzip.compress("ä\nb".encode()))}) == plain


def test_unequal_lengths_name_both_files_and_both_counts(write):
    """Otherwise segments would be shifted silently."""
    ours, ref = write("ours.txt", "a\nb\n"), write("ref.txt", "a\nb\nc\n")
    with pytest.raises(ReadError) as caught:
        read_texts([ours], references=[ref])
    assert caught.value.code == "BT130"
    assert str(caught.value).startswith(f"{ref}: This file has 3 lines, but {ours} has 2.")
    with pytest.raises(ReadError, match="This file has 3 lines"):
        read_texts([ours], sources=ref)


def test_empty_lines_are_kept_and_counted(write):
    """An empty output is an output."""
    path = write("a.txt", "a\n\n  \nb\n")
    texts = read_texts(path)
    assert texts.outputs == (("a", "", "  ", "b"),)
    assert texts.notes == (f"{path}: 2 empty lines (the first in line 2), kept as empty texts.",)


def test_an_output_that_was_not_supplied_is_missing(write):
    """The marker is a gap, not a text."""
    path = write("a.txt", "a\n[No translation supplied]\n")
    texts = read_texts(path)
    assert texts.outputs == (("a", None),)
    assert texts.notes == (f'{path}: 1 missing output (in line 2) ("[No translation supplied]").',)
    with pytest.raises(ReadError, match=r"line 2: .* marks a missing output, but this is a ref") as caught:
        read_texts(write("b.txt", "a\nb\n"), references=path)
    assert caught.value.code == "BT133"


def test_two_systems_of_one_name_are_refused_with_the_cure(write):
    """NAME=path tells them apart."""
    first, second = write("x/out.txt", "a\n"), write("y/out.txt", "a\n")
    with pytest.raises(ReadError) as caught:
        read_texts([first, second])
    assert caught.value.code == "BT131"
    assert f'are both called "out". Name one of them: NAME={second}' in str(caught.value)


@pytest.mark.parametrize(
    ("outputs", "code", "message"),
    [
        ([], "BT134", "There are no outputs"),
        (7, "BT134", "Files cannot be read from int"),
        ([7], "BT134", "A path or an open file is needed, not int"),
        ("no/such/file.txt", "BT001", "There is no such file"),
        ("A=no/such/file.txt", "BT001", "no/such/file.txt: There is no such file"),
        ("=no.txt", "BT134", "no.txt: The name before = is empty. Write NAME=path."),
    ],
)
def test_what_is_no_file_is_refused(outputs, code, message):
    """With a sentence, not a traceback."""
    with pytest.raises(ReadError) as caught:
        read_texts(outputs)
    assert caught.value.code == code
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [(b"a\n\xe9\n", "BT005", 2), (b"a\nb\x00\n", "BT006", 2), (b"", "BT003", None)],
)
def test_bytes_that_are_no_text_are_placed(write, data, code, line):
    """The line of the first bad byte."""
    with pytest.raises(ReadError) as caught:
        read_texts(write("a.txt", data))
    assert (caught.value.code, caught.value.line) == (code, line)


def test_a_lone_text_file_is_one_system(write):
    """What `check` shows."""
    reading = read(open_source(write("ours.txt", "a\n\n[No translation supplied]\n")), Options())
    assert reading.tables[0].systems == ("ours",)
    assert (reading.rows_read, reading.rows_kept) == (3, 3)
    assert [problem.code for problem in reading.problems] == ["BT202", "BT133"]


@pytest.mark.parametrize(
    ("name", "data", "confidence"),
    [
        ("a.txt", b"A sentence.\n", 0.2),
        ("a.txt.gz", gzip.compress(b"A sentence.\n", mtime=0), 0.2),
        ("a.de", b"A sentence.\n", 0.05),
        ("a.txt", "ä".encode() * 40_000 + b"\n" + "ö".encode() * 40_000, 0.2),
        ("a.csv", b"a,b\n", None),
        ("a.txt", b"\xff\n", None),
        ("a.txt", b"a\x00b\n", None),
        ("a.txt", b'{"a": 1}\n', None),
        ("a.txt", b"PAR1", None),
    ],
)
def test_text_is_recognised_with_little_confidence(write, name, data, confidence):
    """Anything can be text, so every other reader goes first."""
    guess = sniff(open_source(write(name, data)))
    assert (guess and guess.confidence) == confidence


PROSE = "Eins, zwei, 3\nSatz mit, Komma.\nOhne\nA, b, c, d, e\nNoch einer, 42\nUnd, so, weiter, fort\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", PROSE, "text"),
        ("a.de.txt", "Ja.\n42\nNein.\nVielleicht.\nGut so.\n7\n", "text"),
        ("a.txt", "id,A,B\n" + "".join(f"{i},{i}.5,2\n" for i in range(9)), "wide"),
        ("a.txt", "id,A,B\n" + "".join(f"{i},{i}.5,2\n" for i in range(9)) + "9,1\n", "wide"),
    ],
)
def test_sentences_with_commas_are_no_table(write, name, text, expected):
    """A table of which one row is damaged still is one, and its reader names the damage."""
    assert recognised(write(name, text)).format == expected


LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00"), max_size=8)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, min_size=1).filter(lambda lines: "".join(lines).strip()))
def test_what_was_written_is_read_back(write, lines):
    """Lines → file → lines."""
    text = "\n".join(lines) + "\n"
    if text.encode()[:3] != b"\xef\xbb\xbf":  # a first line may begin with what means a byte order mark
        assert read_texts(write("a.txt", text)).outputs == (tuple(lines),)
