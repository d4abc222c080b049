"""Nothing is kept for tests alone: what is defined is used by the package, by its pages, or by its users."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.sources import SOURCE, modules, walk_within

import betterthan as bt

WORD = re.compile(r"[A-Za-z_]\w*")
KEY = re.compile(r"[\w.:/-]+")
"""A string that may name a function: a place in a registry, an attribute."""
PAGES = (".html", ".j2", ".toml", ".json")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SHOWN_BY = re.compile(r"_repr_\w+_|__\w+__")
"""Methods that Python and Jupyter call."""


@dataclass(eq=False)
class Definition:
    """A function, class or method, and the names in it."""

    place: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    within: Definition | None
    uses: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.node.name

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return isinstance(self.node, ast.ClassDef)


def names_in(node: ast.AST) -> set[str]:
    """The names, attributes and keys of a definition."""
    found = set()
    for each in walk_within(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and KEY.fullmatch(each.value):
            found.update(WORD.findall(each.value))
    return found


def definitions_in(
    place: str, node: ast.AST, within: Definition | None = None, found: list[Definition] | None = None
) -> list[Definition]:
    """All definitions of a module, those inside others too."""
    found = [] if found is None else found
    for child in ast.iter_child_nodes(node):
        inner = within
        if isinstance(child, DEFINITIONS):
            inner = Definition(place, child, within, names_in(child))
            found.append(inner)
        definitions_in(place, child, inner, found)
    return found


def is_registered(definition: Definition) -> bool:
    """Whether a decorator hands the function to someone: a route, a command, an implementation for a type."""
    if definition.is_class:
        return False
    return any(
        isinstance(each, ast.Call)
        or (isinstance(each, ast.Attribute) and each.attr in ("register", "overload"))
        for each in definition.node.decorator_list
    )


def is_foreign(definition: Definition, ours: set[str]) -> bool:
    """Whether a class overrides methods of another library, which calls them."""
    bases = {ast.unparse(base).partition("[")[0] for base in getattr(definition.node, "bases", ())}
    return bool(bases - ours - {"NamedTuple", "Protocol", "Generic", "Exception"})


def unreachable(trees: dict[str, ast.Module], public: set[str], pages: str = "") -> list[str]:
    """The outermost definitions that nothing reaches from modules, pages and public names."""
    definitions = [each for place, tree in trees.items() for each in definitions_in(place, tree)]
    ours = {each.name for each in definitions if each.is_class}
    names = public | set(WORD.findall(pages)) | {name for tree in trees.values() for name in names_in(tree)}
    open_classes = set(public)
    reached: set[Definition] = set()
    waiting = definitions
    while True:
        new = [
            each
            for each in waiting
            if (each.within is None or each.within in reached) and _is_used(each, names, open_classes, ours)
        ]
        if not new:
            break
        reached.update(new)
        for each in new:
            names |= each.uses
            if each.is_class and each.name in open_classes:
                open_classes |= {word for base in each.node.bases for word in WORD.findall(ast.unparse(base))}
        waiting = [each for each in waiting if each not in reached]
    return [
        f"{each.place}:{each.node.lineno} {each.name}"
        for each in waiting
        if each.within is None or each.within in reached
    ]


def _is_used(each: Definition, names: set[str], open_classes: set[str], ours: set[str]) -> bool:
    if each.name in names or SHOWN_BY.fullmatch(each.name) or is_registered(each):
        return True
    outer = each.within
    if outer is None or each.name.startswith("_"):
        return False
    return outer.name in open_classes or (outer.is_class and is_foreign(outer, ours))


def test_what_nothing_reaches_is_found():
    """The guard itself: a chain that begins nowhere, and a method that nobody calls."""
    code = (
        "def used(): return helper()\ndef helper(): return Thing().go\ndef lost(): return only_by_lost()\n"
        "def only_by_lost(): pass\nclass Thing:\n    def go(self): pass\n    def stay(self): pass\n"
        "class Public:\n    def shown(self): pass\nused()\n"
    )
    found = unreachable({"m.py": ast.parse(code)}, {"Public"})
    assert [each.split()[-1] for each in found] == ["lost", "only_by_lost", "stay"]


def test_nothing_is_kept_for_tests_alone():
    """A function that only tests call proves nothing about what users get."""
    root = Path(__file__).parents[1]
    pages = [path for path in SOURCE.rglob("*") if path.suffix in PAGES]
    pages += (root / "docs").glob("*.py")
    documents = [*(root / "docs").rglob("*.md"), root / "README.md"]
    examples = "\n".join(
        line
        for path in documents
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith((">>>", "...", "import ", "from "))
    )
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    found = unreachable(modules(), set(bt.__all__), f"{text}\n{examples}")
    assert not found, "\n".join(found)
