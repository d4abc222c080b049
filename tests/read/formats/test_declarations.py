"""A format is a module with its declaration and an entry in the registry; everything else follows from the two."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from tests.everyday import few
from tests.read.seeds import FILES

import betterthan as bt
from betterthan.errors import ReadError, UnknownName
from betterthan.read.formats import registry
from betterthan.read.formats.registry import READERS, Entry, Sign, plausible, reader, takes_folder
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any, sniff
from betterthan.read.source.source import open_source

DOCS = Path(__file__).parents[3] / "docs"
MODULE = "tests.read.formats.toy_format"
TOY = "#toy 1\n1 A 0.5\n1 B 0.25\n2 A 0.75\n2 B 0.5\n"


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """A file of a format that is declared for the time of a test."""
    monkeypatch.setitem(READERS, "toy", Entry(MODULE, (Sign(words=("#toy",)),)))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    registry.reader.cache_clear()
    path = tmp_path / "scores.toy"
    path.write_text(TOY)
    yield path
    registry.reader.cache_clear()


def test_a_declared_format_is_recognised_and_read(toy):
    """By its sign and its own word; nothing else has to know of it."""
    found = sniff(toy)
    assert (found.format, found.kind, found.because) == ("toy", "scores", "the first line is #toy")
    table = bt.read_scores(toy)
    assert (table.systems, table.segments, table.values.tolist()) == (
        ("A", "B"),
        ("1", "2"),
        [[0.5, 0.75], [0.25, 0.5]],
    )


@pytest.mark.parametrize("name", [name for name in READERS if takes_folder(name)])
def test_a_folder_without_files_of_a_format_is_refused(name, tmp_path):
    """Also where the format was named, and the folder holds other folders."""
    (tmp_path / "metric-scores" / "en-de").mkdir(parents=True)
    (tmp_path / "notes.md").write_text("hello\n")
    with pytest.raises(ReadError):
        read_any(tmp_path, Options(), format=name)


def test_check_lists_a_declared_format(toy):
    """For a file, and on the line of a file in a folder."""
    assert bt.check(toy).format == "toy"
    (toy.parent / "other.toy").write_text(TOY)
    assert any("other.toy: toy, " in line for line in bt.check(toy.parent).contents)


def test_options_that_a_declared_format_does_not_understand_are_refused(toy):
    """Columns by role, columns to leave out, and what is said of battles; the role it declares is taken."""
    read_any(toy, Options(columns={"item": "id"}))
    with pytest.raises(ReadError, match=r"system=\"s\" cannot be applied here, because this is a toy"):
        read_any(toy, Options(columns={"system": "s"}), format="toy")
    with pytest.raises(
        ReadError, match="ignore chooses among the columns of a table of scores, but this is a toy"
    ):
        bt.read_scores(toy, ignore=("A",))
    with pytest.raises(ReadError, match="both_bad is for battles, and this is a toy"):
        read_any(toy, Options(both_bad="drop"))
    with pytest.raises(ReadError, match="Rows cannot be chosen here, because this is a toy"):
        read_any(toy, Options(where=(("lang", "de"),)))


def test_a_declared_format_is_suggested_and_documented(toy):
    """Its name is known wherever the names of formats are."""
    with pytest.raises(UnknownName, match='Did you mean "toy"'):
        read_any(toy, format="tov")
    pytest.importorskip("sphinx", reason="the documentation group is not installed")
    spec = importlib.util.spec_from_file_location("generated", DOCS / "_ext" / "generated.py")
    generated = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generated)
    assert "| `toy` | scores | file | a toy: segment, system and score on each line |" in generated.formats()


def test_a_format_without_its_sign_is_not_imported(toy, tmp_path):
    """Only what may fit is asked."""
    (tmp_path / "wide.csv").write_text("id,A,B\n1,0.5,0.25\n2,0.75,0.5\n")
    assert sniff(tmp_path / "wide.csv").format == "wide"
    assert MODULE not in sys.modules
    assert sniff(toy).format == "toy"
    assert MODULE in sys.modules


def variants(data):
    """A file with other headers, delimiters and line ends: what signs must not depend on."""
    yield data
    if data.startswith((b"PAR1", b"PK")):
        return
    first, _, rest = data.partition(b"\n")
    yield rest or data
    yield first.upper() + b"\n" + rest
    yield data.replace(b"\t", b",")
    yield data.replace(b",", b"\t")
    yield b"\xef\xbb\xbf" + data
    yield b"\n" + data.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    "names",
    [("x", "x.csv"), pytest.param(("x.txt", "x.tags", "x.hter", "x.seg.score"), marks=pytest.mark.slow)],
    ids=["two names", "more names"],
)
@pytest.mark.parametrize("seed", few(FILES, 14))
def test_no_sign_keeps_out_a_reader_that_would_have_taken_the_file(seed, names, tmp_path):
    """Asking every reader finds what asking the plausible ones does."""
    called, data = FILES[seed]
    for name in (called, *names):
        for number, changed in enumerate(variants(data)):
            path = tmp_path / str(number) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(changed)
            source = open_source(path)
            asked = [module.FORMAT.name for module in plausible(source)]
            takers = [
                other for other in READERS if READERS[other].place != "folder" and reader(other).sniff(source)
            ]
            assert set(takers) <= set(asked), (name, changed[:80])


def test_every_declaration_is_called_by_its_name_in_the_registry():
    """What `--format-in` takes is what `check` prints."""
    assert {name: reader(name).FORMAT.name for name in READERS} == {name: name for name in READERS}
    assert [name for name in READERS if takes_folder(name)]
    assert not takes_folder("nonsense")


def test_a_table_of_scores_is_read_with_few_modules(tmp_path):
    """The beginning is looked at once, and the readers of other layouts stay where they are."""
    path = tmp_path / "wide.csv"
    path.write_text("id,A,B,C,D,E,F\n" + "".join(f"{i},1,2,3,4,5,{i % 7}\n" for i in range(50)))
    program = (
        "import sys, betterthan as bt\n"
        f"bt.read_scores({str(path)!r})\n"
        "names = [name for name in sys.modules if name.startswith('betterthan.read')]\n"
        "print(len(names), *(name for name in names if name.startswith('betterthan.read.formats.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    number, *formats = done.stdout.split()
    assert int(number) < 50
    assert not [name for name in formats if name.split(".")[3] not in ("registry", "signs", "tables")]
