"""Run the examples of the pages and write the outputs that came into the pages.

    python docs/regenerate.py                 all pages and the README
    python docs/regenerate.py docs/start.md   one page

Write ``…`` where an output is to be filled in. Read the difference before you commit it: a changed number is
a change that users see.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

from warm import Commands  # noqa: E402

from examples import execute, plain_environment, prepare  # noqa: E402  (found through the line above)


def pages() -> list[Path]:
    """Every page with examples that may be run, the README included."""
    found = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
    return [*found, DOCS.parent / "README.md"]


def regenerate(path: Path, commands: Commands) -> list[str]:
    """Rewrite one page and return what did not fit."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        page = execute(path.read_text(encoding="utf-8"), Path(folder), commands)
    path.write_text(page.text, encoding="utf-8")
    return page.faults


def main() -> None:
    """Rewrite the pages named on the command line, or all."""
    with Commands(plain_environment()) as commands:
        for path in map(Path, sys.argv[1:] or pages()):
            for fault in regenerate(path, commands):
                print(f"{path}, {fault}")


if __name__ == "__main__":
    main()
