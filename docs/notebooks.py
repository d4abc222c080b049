"""Run the notebooks of docs/notebooks and store their outputs: python docs/notebooks.py [NAME...].

A notebook is run in an empty folder, so that nothing of this machine gets into it; what is stored is the same every
time. ``tests/test_notebooks.py`` runs them again and compares.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent / "notebooks"
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
# A result has four views; a page needs one, and a reader without HTML gets the text.
VIEWS = ("text/html", "image/svg+xml")


def executed(notebook: Any, folder: Path) -> Any:  # noqa: ANN401  (nbformat has no types)
    """Return the notebook with fresh outputs, run in a folder of its own."""
    fresh = nbformat.v4.new_notebook(cells=[_emptied(cell) for cell in notebook.cells], metadata=METADATA)
    NotebookClient(
        fresh, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    for i, cell in enumerate(fresh.cells):
        cell.id, cell.metadata = f"cell-{i + 1}", {}
        if cell.cell_type == "code":
            cell.outputs = [_stored(output) for output in cell.outputs]
    fresh.metadata = METADATA
    return fresh


def _emptied(cell: Any) -> Any:  # noqa: ANN401
    new = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    return new(cell.source)


def _stored(output: Any) -> Any:  # noqa: ANN401
    if "data" in output:
        output.data = {kind: output.data[kind] for kind in (*VIEWS, "text/plain") if kind in output.data}
        output.metadata = {}
    return output


def main() -> None:
    """Run the notebooks named on the command line, or all."""
    paths = [FOLDER / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb"))
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            fresh = executed(nbformat.read(path, as_version=4), Path(folder))
        path.write_text(nbformat.writes(fresh) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
