"""The folder tree is the architecture: who may import whom, and who may print."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "betterthan"
MODULES = sorted(SOURCE.rglob("*.py"))

LEAVES = {"errors", "arrays", "budget", "scratch", "writing"}
ALLOWED = {
    "errors": set(),
    "arrays": set(),
    "budget": {"errors"},
    "scratch": set(),
    "writing": {"errors"},
    "tables": LEAVES,
    "kernels": LEAVES,
    "results": LEAVES,
    "engine": LEAVES,
    "examples": LEAVES,
    "read": LEAVES | {"tables", "results"},
    "scoring": LEAVES | {"tables", "kernels", "engine"},
    "analysis": LEAVES | {"tables", "kernels", "results", "engine", "scoring"},
    "present": LEAVES | {"tables", "results"},
    "studies": LEAVES
    | {"tables", "kernels", "results", "engine", "read", "scoring", "analysis", "present", "examples"},
    "report": LEAVES | {"tables", "results", "read", "scoring", "analysis", "present", "examples"},
    "receipts": LEAVES | {"tables", "results", "read", "report", "cli"},
    "cli": None,
    "web": None,
}
# Within a room, a sub-package may import those to its left and the modules that stand in the room itself.
ORDER = {
    "kernels": (
        *("sign_flips", "resampling", "ratings", "text", "tags", "display", "comparisons", "significance"),
        *("intervals", "influence", "judges", "agreement", "metric_swaps"),
    ),
    "read": ("source", "grid", "doubts", "formats", "write", "several"),
    "analysis": ("pairs", "matches", "strengths", "compare", "rank", "explain", "human", "meta", "tags"),
    "present": ("tables", "renderers", "charts"),
    "report": ("figures", "sections", "pair", "kinds"),
    "studies": ("paired", "soft_pairwise", "relative_ranking", "aggregation", "tagging"),
    "web": ("runs", "details", "worker", "routes"),
}
MOST_MODULES = 22
"""In one folder; the commands are the most."""
# A result asks `present` to draw it at the moment it is shown, never before; a verb that is given a path reads it.
WHEN_ASKED = {("results", "present"), ("table_argument", "read")}
KERNELS_MAY_IMPORT = {
    "__future__",
    "betterthan",
    "collections",
    "dataclasses",
    "functools",
    "itertools",
    "math",
} | {
    "numba",
    "numpy",
    "scipy",
    "sys",
    "typing",
}


def room_of(path: Path) -> str:
    """The folder of a module, or the module itself when it stands at the top."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[tuple[str, bool]]:
    """Every imported module with whether the import stands at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) in top))
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_room_imports_only_the_rooms_below_it(path):
    """Data flows one way: tables, kernels, results and engine do not know each other."""
    room = room_of(path)
    if room in ("__init__", "__main__") or ALLOWED[room] is None:
        return
    for module, at_top in imports_of(path):
        parts = module.split(".")
        if parts[0] != "betterthan" or len(parts) == 1:
            continue
        is_late = {(room, parts[1]), (path.stem, parts[1])} & WHEN_ASKED and not at_top
        assert parts[1] in ALLOWED[room] | {room} or is_late, f"{room} must not import {module}"


@pytest.mark.parametrize(
    "path",
    [path for part in ("routes", "details") for path in sorted((SOURCE / "web" / part).glob("*.py"))],
    ids=lambda p: str(p.relative_to(SOURCE)),
)
def test_the_app_computes_nothing_while_it_answers(path):
    """Pages and their parts read what workers stored; they neither read data files nor do statistics."""
    for module, _ in imports_of(path):
        parts = module.split(".")
        assert parts[0] != "betterthan" or parts[1:2] not in (
            ["analysis"],
            ["kernels"],
            ["read"],
            ["scoring"],
        ), module
        assert parts[:3] != ["betterthan", "web", "worker"], module


def test_the_answering_process_does_not_load_the_verbs():
    """Not even by way of others: what is not loaded cannot compute."""
    program = "import sys, betterthan.web.app; print([m for m in sys.modules if 'betterthan.analysis' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("room", ORDER)
def test_a_sub_package_imports_only_those_before_it(room):
    """The order within a room is a line, so that each part can be read without the later ones."""
    order = ORDER[room]
    assert {path.name for path in (SOURCE / room).iterdir() if (path / "__init__.py").exists()} == set(order)
    for path in sorted((SOURCE / room).glob("*/**/*.py")):
        here = path.relative_to(SOURCE / room).parts[0]
        for module, _ in imports_of(path):
            parts = module.split(".")
            if parts[:2] == ["betterthan", room] and len(parts) > 2 and parts[2] in order:
                assert order.index(parts[2]) <= order.index(here), f"{here} must not import {module}"


def test_no_folder_is_a_heap():
    """What is found in a minute stands among few others."""
    for folder in {path.parent for path in MODULES}:
        assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= MOST_MODULES, (
            folder.name
        )


@pytest.mark.parametrize("path", sorted((SOURCE / "kernels").rglob("*.py")), ids=lambda p: p.name)
def test_kernels_need_only_numpy_and_scipy(path):
    """The mathematics can be read, tested and moved without the rest of the house."""
    for module, _ in imports_of(path):
        assert module.split(".")[0] in KERNELS_MAY_IMPORT, module


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_function_fits_in_the_head(path):
    """No function body is longer than 50 lines; modules are cut by meaning, not by length."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            has_docstring = ast.get_docstring(node) is not None
            first = node.body[1] if has_docstring and len(node.body) > 1 else node.body[0]
            assert node.end_lineno - first.lineno < 50, (
                f"{node.name} is {node.end_lineno - first.lineno} lines"
            )


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_nothing_below_the_command_line_prints(path):
    """Only the shells speak; a library returns."""
    if room_of(path) in {"cli", "web"}:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        assert not is_print, f"line {node.lineno}"


def test_every_room_says_its_rule():
    """The package docstring of a room states what may happen in it."""
    for path in MODULES:
        if path.name == "__init__.py" and path.parent != SOURCE:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert ast.get_docstring(tree)
            assert len(tree.body) == 1, f"{path.parent.name}/__init__.py holds more than its docstring"


def test_no_room_without_a_name():
    """If it has no name it has no place."""
    nameless = {"utils", "util", "helpers", "helper", "common", "misc", "core", "manager", "shared"}
    assert not nameless & {path.stem for path in MODULES}
