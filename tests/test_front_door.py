"""The front door: complete, documented, and cheap to open."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import betterthan as bt

HEAVY = ("scipy.stats", "pandas", "polars", "pyarrow", "altair", "fastapi", "numba", "sacrebleu", "sklearn")
HELP = (
    "from click.testing import CliRunner\n"
    "from betterthan.cli.main import cli\n"
    "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
)
LAZY = (*HEAVY, "duckdb", "narwhals", "rich", "scipy", "numpy", "jinja2")


def modules_after(code: str) -> set[str]:
    """Names of all modules loaded in a fresh Python after `code`."""
    program = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import betterthan",
        "import betterthan.cli.main",
        HELP,
    ],
    ids=["import", "command line", "--help"],
)
def test_opening_the_door_loads_nothing_heavy(code):
    """Importing the package or printing the help loads no library that costs time."""
    assert not modules_after(code) & set(LAZY)


def test_using_a_table_loads_no_optional_package():
    """A table needs NumPy, and none of the heavy packages."""
    assert not modules_after("import betterthan as bt\nbt.Scores") & set(HEAVY)


def test_all_names_are_sorted_and_there():
    """__all__ is sorted, and each name in it exists."""
    assert list(bt.__all__) == sorted(bt.__all__)
    for name in bt.__all__:
        assert getattr(bt, name) is not None


def test_every_public_name_has_a_docstring_with_an_example_if_it_can_be_called():
    """What is exported is documented; functions and tables show an example that runs."""
    for name in bt.__all__:
        thing = getattr(bt, name)
        assert thing.__doc__, name
        if callable(thing) and not isinstance(thing, type):
            assert ">>>" in thing.__doc__, f"{name} has no example"


def test_type_checkers_see_the_same_names_as_python():
    """The names under TYPE_CHECKING are exactly the public ones."""
    tree = ast.parse(Path(bt.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    assert seen == {name: f"betterthan.{home}" for name, home in bt._HOMES.items()}


def test_an_unknown_name_is_an_attribute_error():
    """A typing slip at the door fails as in any module."""
    with pytest.raises(AttributeError, match="bradley_tery"):
        bt.bradley_tery  # noqa: B018
    assert "rank" in dir(bt)
