"""The folder tree is the architecture: who may import whom, and who may print."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.sources import SOURCE, modules

MODULES = sorted(SOURCE.rglob("*.py"))

LEAVES = {"messages", "errors", "arrays", "budget", "scratch", "writing"}
ALLOWED = {
    "messages": set(),
    "errors": {"messages"},
    "arrays": set(),
    "budget": {"messages", "errors"},
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
    "pytest_plugin": LEAVES | {"results", "analysis"},
    "cli": None,
    "web": None,
}
# Within a room, a sub-package may import those to its left and the modules that stand in the room itself.
ORDER = {
    "kernels": (
        *(
            "sign_flips",
            "resampling",
            "text",
            "tags",
            "display",
            "comparisons",
            "ratings",
            "item_response",
            "significance",
        ),
        *("intervals", "influence", "judges", "agreement", "metric_swaps", "runs", "sequential"),
    ),
    "read": ("source", "grid", "plausibility", "formats", "write", "several"),
    "analysis": (
        "pairs",
        "matches",
        "strengths",
        "compare",
        "rank",
        "runs",
        "board",
        "arena",
        "plan",
        "gate",
        "tradeoffs",
        "calibrate",
        "multiverse",
        "watch",
        "explain",
        "human",
        "judge",
        "meta",
        "tags",
    ),
    "present": ("tables", "renderers", "charts"),
    "report": ("figures", "sections", "pair", "kinds"),
    "studies": ("paired", "soft_pairwise", "relative_ranking", "aggregation", "tagging"),
    "web": ("runs", "details", "worker", "routes"),
}
MOST_MODULES = 17
"""In one folder; more are divided by meaning."""
# A result or a table imports `present` at the moment it is shown, never before; a verb that gets a path reads it.
WHEN_ASKED = {
    ("results", "present"),
    ("tables", "present"),
    ("metrics_folder", "present"),
    ("table_argument", "read"),
    ("task_columns", "read"),
    ("tradeoffs", "read"),
}
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


def called(path: Path) -> str:
    """The name of a module in a message."""
    return path.relative_to(SOURCE).as_posix()


def tree_of(path: Path) -> ast.Module:
    """A module, parsed once for all rules."""
    return modules()[called(path)]


@cache
def imports_of(path: Path) -> list[tuple[str, bool]]:
    """Every imported module with whether the import stands at the top of the file."""
    tree = tree_of(path)
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) in top))
    return found


def test_a_room_imports_only_the_rooms_below_it():
    """Data flows one way: tables, kernels, results and engine do not know each other."""
    wrong = []
    for path in MODULES:
        room = room_of(path)
        if room in ("__init__", "__main__") or ALLOWED[room] is None:
            continue
        for module, at_top in imports_of(path):
            parts = module.split(".")
            if parts[0] != "betterthan" or len(parts) == 1:
                continue
            is_late = {(room, parts[1]), (path.stem, parts[1])} & WHEN_ASKED and not at_top
            if parts[1] not in ALLOWED[room] | {room} and not is_late:
                wrong.append(f"{called(path)} must not import {module}")
    assert not wrong


def test_the_app_computes_nothing_while_it_answers():
    """Pages and their parts read what workers stored; they neither read data files nor do statistics."""
    pages = [path for part in ("routes", "details") for path in sorted((SOURCE / "web" / part).glob("*.py"))]
    assert pages
    forbidden = ("analysis", "kernels", "read", "scoring", "web.worker")
    wrong = [
        f"{called(path)} must not import {module}"
        for path in pages
        for module, _ in imports_of(path)
        for room in forbidden
        if f"{module}.".startswith(f"betterthan.{room}.")
    ]
    assert not wrong


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


def test_no_two_types_have_one_name():
    """A name found by searching means one thing."""
    places = {}
    for path in MODULES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(called(path))
    assert not {name: where for name, where in places.items() if len(where) > 1}


def test_kernels_need_only_numpy_and_scipy():
    """The mathematics can be read, tested and moved without the rest of the house."""
    wrong = [
        f"{called(path)} imports {module}"
        for path in MODULES
        if room_of(path) == "kernels"
        for module, _ in imports_of(path)
        if module.split(".")[0] not in KERNELS_MAY_IMPORT
    ]
    assert not wrong


def test_a_function_fits_in_the_head():
    """No function body is longer than 50 lines; modules are cut by meaning, not by length."""
    long = []
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                has_docstring = ast.get_docstring(node) is not None
                first = node.body[1] if has_docstring and len(node.body) > 1 else node.body[0]
                lines = node.end_lineno - first.lineno
                if lines >= 50:
                    long.append(f"{node.name} in {called(path)} is {lines} lines")
    assert not long


def test_nothing_below_the_command_line_prints():
    """Only the shells speak; a library returns."""
    prints = [
        f"{called(path)}, line {node.lineno}"
        for path in MODULES
        if room_of(path) not in {"cli", "web"}
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not prints


def test_every_room_says_its_rule():
    """The package docstring of a room states what may happen in it."""
    for path in MODULES:
        if path.name == "__init__.py" and path.parent != SOURCE:
            tree = tree_of(path)
            assert ast.get_docstring(tree), called(path)
            assert len(tree.body) == 1, f"{path.parent.name}/__init__.py holds more than its docstring"


def test_no_room_without_a_name():
    """If it has no name it has no place."""
    nameless = {"utils", "util", "helpers", "helper", "common", "misc", "core", "manager", "shared"}
    assert not nameless & {path.stem for path in MODULES}
