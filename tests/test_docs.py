"""The pages tell the truth: every example runs and prints what is shown, and nothing public is left out."""

import functools
import importlib
import re
import runpy
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

import betterthan
from betterthan import errors
from betterthan.cli.main import cli
from betterthan.read.problems import PROBLEMS
from betterthan.studies.catalogue import STUDIES

pytest.importorskip("sphinx", reason="the documentation group is not installed")

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)


def extension(name):
    """One of the pages' own extensions."""
    folder = str(DOCS / "_ext")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def called(path):
    """A page's path as people say it."""
    return path.relative_to(ROOT).as_posix()


@functools.cache
def filled(name):
    """A page's text with its generated parts."""
    return extension("generated").fill((DOCS / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A folder with the demo campaign, made once and copied for each page."""
    folder = tmp_path_factory.mktemp("campaign")
    extension("examples").prepare(folder)
    return folder


@pytest.fixture(scope="module")
def commands():
    """A process that has loaded everything and forks for each command of the pages."""
    with extension("warm").Commands(extension("examples").plain_environment()) as started:
        yield started


def has_examples(path):
    """Whether there is anything to run on a page."""
    return any(
        block.info in {"python", "console"} for block in extension("examples").blocks(path.read_text("utf-8"))
    )


@pytest.mark.parametrize(
    ("shown", "came", "same"),
    [
        ("p,0.0041008975192791", "p,0.0041008975192787", True),
        ("p,0.0041008975192791", "p,0.0041008975292791", False),
        ("0.653 (0.1 to 0.9)", "0.654 (0.1 to 0.9)", False),
        ("x,1.2e-17", "x,-3.1e-19", False),
        ("rank 1, 0.123456789012", "rank 2, 0.123456789012", False),
    ],
)
def test_only_the_last_digits_of_numbers_in_full_may_differ(shown, came, same):
    """Linear algebra rounds differently on different processors; whatever a reader sees must be equal."""
    assert extension("examples").same_but_for_rounding(shown, came) == same


@pytest.mark.skipif(sys.platform == "win32", reason="the consoles on the pages are bash")
@pytest.mark.parametrize(
    "path", [path for path in [*PAGES, ROOT / "README.md"] if has_examples(path)], ids=called
)
def test_examples_run_and_print_what_is_shown(path, campaign, commands, tmp_path):
    """Commands, scripts and doctests of a page, in order; ``python docs/regenerate.py`` mends the outputs."""
    shutil.copytree(campaign, tmp_path, dirs_exist_ok=True)
    page = extension("examples").execute(path.read_text(encoding="utf-8"), tmp_path, commands)
    assert not page.faults, "\n".join([called(path), *page.faults])


def test_wrong_output_is_noticed_and_mended(tmp_path):
    """The judge of all other pages is judged here."""
    text = "```console\n$ echo 2\n1\n```\n\n```python\n>>> 1 + 1\n3\n>>> 1 / 0\n```\n"
    page = extension("examples").execute(text, tmp_path)
    assert len(page.faults) == 3
    assert "$ echo 2" in page.faults[0]
    assert "ZeroDivisionError" in page.faults[2]
    assert page.text == text.replace("echo 2\n1", "echo 2\n2").replace("1 + 1\n3", "1 + 1\n2")


def test_a_command_without_shown_output_must_succeed(tmp_path):
    """A command that fails unseen is a fault of the page."""
    page = extension("examples").execute("```console\n$ cat no-such-file\n```\n", tmp_path)
    assert "left with 1" in page.faults[0]
    assert (
        not extension("examples")
        .execute("```console\n$ cat no-such-file\n```\n".replace("cat", "pip"), tmp_path)
        .faults
    )


def test_the_exit_code_of_the_command_before_can_be_shown(tmp_path):
    """Commands of a page share the folder, the files named in captions, and the last exit code."""
    file = "```{code-block} text\n:caption: a.txt\none\n```\n"
    text = f"{file}\n```console\n$ cat a.txt b.txt 2> /dev/null\none\n$ echo $?\n1\n```\n"
    assert not extension("examples").execute(text, tmp_path).faults


@pytest.mark.parametrize("path", PAGES, ids=called)
def test_no_output_waits_to_be_filled_in(path):
    """The mark for outputs to be written by the regenerating script does not reach a reader."""
    waiting = extension("examples").TO_BE_FILLED
    shown = [line for block in extension("examples").blocks(path.read_text("utf-8")) for line in block.lines]
    assert waiting not in shown


def test_every_command_and_option_is_in_the_reference():
    """Made from the commands, so this guards the making."""
    text = filled("cli.md")
    for path, command in extension("generated").commands(cli):
        assert f"## {path}\n" in text
        for option in command.params:
            if isinstance(option, click.Option):
                assert all(re.search(rf"`[^`]*{re.escape(name)}\b", text) for name in option.opts), (
                    option.opts
                )


def test_an_option_stands_with_its_command_or_with_a_group_the_command_links_to():
    """No command's option is found only under another command."""
    text = filled("cli.md")
    for path, command in extension("generated").commands(cli):
        section = re.split(r"\n(?:\(.*\)=\n)?## ", text.split(f"## {path}\n", 1)[1], maxsplit=1)[0]
        linked = re.findall(r"\(#(\w+-options)\)", section)
        whole = section + "".join(
            re.split(r"\n\(\w+-options\)=", text.split(f"({label})=", 1)[1], maxsplit=1)[0]
            for label in linked
        )
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.opts[-1] in whole, (path, option.opts)


@pytest.mark.parametrize("name", betterthan.__all__)
def test_every_public_name_is_in_the_reference(name):
    """Each once, by its public name."""
    assert len(re.findall(rf":: betterthan\.{name}$", filled("reference.md"), re.MULTILINE)) == 1


def test_every_error_class_is_in_the_reference():
    """Also those that are not at the front door."""
    text = filled("reference.md")
    for name, kind in vars(errors).items():
        if (
            isinstance(kind, type)
            and issubclass(kind, Exception | Warning)
            and kind.__module__ == errors.__name__
        ):
            assert re.search(rf"autoexception:: betterthan\.(errors\.)?{name}$", text, re.MULTILINE), name


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_problem_code_is_on_its_page(code):
    """With a heading to link to."""
    assert f"({code.lower()})=\n### {code}: " in filled("problems.md")


def test_codes_named_on_pages_exist():
    """No page speaks of a code that is gone."""
    for path in PAGES:
        for code in re.findall(r"\bBT\d{3}\b", path.read_text(encoding="utf-8")):
            assert code in PROBLEMS or code in {"BT100", "BT200", "BT249"}, (called(path), code)


def test_every_verb_has_a_question():
    """What computes an answer has a page of its own kind, and a line in the list of questions."""
    questions = (DOCS / "questions" / "index.md").read_text(encoding="utf-8")
    for name in betterthan.__all__:
        if getattr(betterthan, name).__module__.startswith("betterthan.analysis."):
            assert f"`bt.{name}(" in questions, name


def test_formulas_become_mathml():
    """Also an index on an accented letter, which the converter alone puts below the letter."""
    to_mathml = extension("mathml").to_mathml
    flat = re.sub(r">\s+<", "><", to_mathml(r"\bar x_s = \frac{1}{n} \sum_{i=1}^{n} x_{si}", as_block=True))
    assert flat.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">')
    assert "<msub><mover" in flat
    assert "<munderover><mo" in flat
    assert "|" in to_mathml(r"\Big| \sum_i d_i \Big|", as_block=True)
    assert "\u2061" in to_mathml(r"\log 10", as_block=False)  # written by the converter as an entity of HTML
    with pytest.raises(Exception, match="cannot be shown"):
        to_mathml(r"\nosuchcommand", as_block=False)


class Loaded(HTMLParser):
    """Everything a browser would fetch to show a page."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        """Note scripts, style sheets, fonts, pictures and frames; links to click are not fetched."""
        named = dict(attrs)
        if tag in {"script", "img", "iframe", "source"} and named.get("src"):
            self.addresses.append(named["src"])
        if tag == "link" and named.get("rel") not in {"canonical", "search", "next", "prev", "index"}:
            self.addresses.append(named.get("href", ""))


def built(pages, place):
    """Build pages as ``make docs`` does, in a process of its own, because Sphinx changes a process for good."""
    words = ["-W", "-q", "-b", "html", "-c", DOCS, "-d", f"{place}/d", pages, f"{place}/h"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list((place / "h").rglob("*.html"))


def load_nothing_from_elsewhere(pages, place):
    """Nothing that a browser fetches by itself has the address of another machine."""
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert loaded.addresses
        assert not [address for address in loaded.addresses if "//" in address], page.name
    for sheet in (place / "h" / "_static").rglob("*.css"):
        assert "url(http" not in sheet.read_text(encoding="utf-8"), sheet.name


def test_the_picture_of_the_terminal_shows_what_is_printed(tmp_path, monkeypatch):
    """The picture carries its text; ``python docs/picture.py`` draws it again."""
    monkeypatch.syspath_prepend(str(DOCS))
    picture, small_png = importlib.import_module("picture"), importlib.import_module("small_png")
    shown = small_png.label((DOCS / "example.png").read_bytes())
    assert shown.count("<b>$ betterthan") == len(picture.COMMANDS)
    assert picture.printed(tmp_path) == shown


def test_a_page_builds_and_loads_nothing_from_elsewhere(tmp_path):
    """A formula and a function, in the theme and with the extensions of all pages."""
    pages = tmp_path / "pages"
    pages.mkdir()
    text = "# One\n\n$\\bar x$\n\n```{eval-rst}\n.. autofunction:: betterthan.rank\n```\n"
    (pages / "index.md").write_text(text, encoding="utf-8")
    load_nothing_from_elsewhere(built(pages, tmp_path), tmp_path)


@pytest.mark.slow
def test_pages_build_without_warnings_and_load_nothing_from_elsewhere(tmp_path):
    """All of them, which takes as long as fifty of their examples; ``make docs`` does it too."""
    pages = built(DOCS, tmp_path)
    assert len(pages) > len(PAGES)
    load_nothing_from_elsewhere(pages, tmp_path)


def test_the_gallery_shows_every_chart_with_its_command():
    """The commands on the page are those of docs/gallery.py, and every kind of chart has a picture of modest size."""
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    drawn = dict(
        re.findall(r'^    "([\w-]+)": f?"([\w-]+) ', (DOCS / "gallery.py").read_text("utf-8"), re.MULTILINE)
    )
    kinds = next(param for param in cli.commands["figure"].params if param.name == "kind").type.choices
    assert set(drawn.values()) == set(kinds)
    for name, kind in drawn.items():
        assert f"](gallery/{name}.png)" in page
        assert re.search(rf"^betterthan figure {kind} .*-o {name}\.png$", page, re.MULTILINE), name
        assert (DOCS / "gallery" / f"{name}.png").stat().st_size < 120_000


def test_figures_of_the_papers_are_beside_their_commands(monkeypatch):
    """Each figure of docs/paper_figures.py is on its page, below the command that draws it, and is a small picture."""
    monkeypatch.syspath_prepend(DOCS)
    folder = DOCS / "papers" / "figures"
    studies = runpy.run_path(str(DOCS / "paper_figures.py"))["STUDIES"]
    shown = set()
    for name, (page, study, figures) in studies.items():
        text = (DOCS / "papers" / f"{page}.md").read_text(encoding="utf-8")
        command = f"$ betterthan study {study} -o {name} --figures png\n"
        assert command in text, name
        for figure in figures:
            assert f"](figures/{name}-{figure}.png)" in text.split(command)[1]
            assert (folder / f"{name}-{figure}.png").stat().st_size < 120_000
            shown.add(f"{name}-{figure}.png")
    assert shown == {path.name for path in folder.iterdir()}
    used = {study.split()[0] for _, study, _ in studies.values()}
    assert used <= set(STUDIES)
