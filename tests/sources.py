"""The package's source, parsed once for all tests that look at it; these stay on one worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "betterthan"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package, by its place."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a string by itself."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def walk_within(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through a definition or module without the bodies of the definitions inside it, and without docstrings."""
    waiting = [child for child in ast.iter_child_nodes(node) if not is_docstring(child)]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += each.decorator_list
        else:
            waiting += [child for child in ast.iter_child_nodes(each) if not is_docstring(child)]
