"""The notebooks of the documentation run, give the outputs that are stored in them, and need no network."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (dependency group notebooks)")
pytest.importorskip("nbclient", reason="nbclient is not installed (dependency group notebooks)")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (dependency group notebooks)")

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
MOST_BYTES = 130_000


def module(path: Path):
    """A script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def same_but_for_rounding():
    """How the examples of the pages are compared."""
    folder = str(DOCS / "_ext")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("examples").same_but_for_rounding


def named(path: Path) -> str:
    """The name of a notebook in the report of a test."""
    return path.stem


def test_there_are_notebooks():
    """And the page that lists them names each."""
    page = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 4
    for path in NOTEBOOKS:
        assert f"({path.name})" in page
        assert f"\n{path.stem}\n" in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_notebook_is_small_and_names_nothing_of_this_machine(path):
    """Pictures are SVG; no absolute path, no time, no address but those of SVG's own namespaces."""
    text = path.read_text(encoding="utf-8")
    assert len(text) < MOST_BYTES
    assert "image/png" not in text
    assert not re.search(r"(?<![\w.<])/(home|root|tmp|work|Users|usr|var)/", text)
    assert set(re.findall(r"https?://([\w.]+)", text)) <= {"www.w3.org"}
    assert json.loads(text)["metadata"] == module(DOCS / "notebooks.py").METADATA
    assert all(
        cell.get("execution_count") for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"
    )


# One notebook a day, all of them in `make slow`: a kernel takes seconds to start.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=() if p.stem == "arena" else pytest.mark.slow) for p in NOTEBOOKS],
    ids=named,
)
def test_a_notebook_gives_the_outputs_that_are_stored(path, tmp_path):
    """Run again in an empty folder; python docs/notebooks.py stores what changed."""
    stored = nbformat.read(path, as_version=4)
    fresh = module(DOCS / "notebooks.py").executed(stored, tmp_path)
    same = same_but_for_rounding()
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        assert old.source == new.source
        outputs = [json.dumps(cell.get("outputs", []), sort_keys=True, indent=1) for cell in (old, new)]
        assert same(*outputs), old.source
