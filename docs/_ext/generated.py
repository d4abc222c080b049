"""Parts of pages that are made from the code when the pages are built, so that they cannot drift from it.

A page holds a line such as ``<!-- generated: problems -->``; it is replaced by what the function of that name
in :data:`PARTS` returns, in Markdown.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from sphinx.application import Sphinx

import betterthan
from betterthan.cli import options as shared_options
from betterthan.cli.main import cli
from betterthan.present.renderers.render import FORMATS, SUFFIXES
from betterthan.read.formats.battles import battle_columns as battles
from betterthan.read.formats.battles import winner_labels as labels
from betterthan.read.formats.registry import READERS, reader
from betterthan.read.grid.columns import DESCRIPTIVE, ROLES
from betterthan.read.grid.numerals import MISSING
from betterthan.read.plausibility.direction import LOWER_IS_BETTER
from betterthan.read.problems import PROBLEMS
from betterthan.results.base import Result

_PLACE = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)
_ENTRY = re.compile(r"^ +\.\. \[\d+\] (.+(?:\n {7,}\S.*)*)", re.MULTILINE)
# The section or equation that a docstring points to is not part of the work's name.
_PLACE_IN_WORK = re.compile(
    r"[.,;]? *(§|App\.|[Aa]ppendix|Figs?\.|Eqs?\.? |eq\. |[Ss]ections? |theorems? |pp\. |assumption "
    r"|the counts |\"So far).*"
)
_SAME = ("notes", "settings")  # what every result has
_SECTIONS = {
    "analysis": "Analyses",
    "scoring": "Text metrics",
    "read": "Reading files",
    "tables": "Tables",
    "results": "Results",
    "present": "Output and charts",
    "report": "Report",
    "studies": "Published experiments",
    "engine": "Execution",
    "errors": "Errors and warnings",
}
# Not in betterthan.__all__, but named in docstrings, so that readers need them.
_OTHER_TYPES = (
    "betterthan.report.compose.compose",
    "betterthan.results.study.StudyTable",
    "betterthan.results.study.StudyChart",
    "betterthan.read.sniff.Recognition",
    "betterthan.results.checkup.Finding",
    "betterthan.results.pairwise.Pair",
    "betterthan.results.explanation.Mechanism",
    "betterthan.results.explanation.OtherTest",
    "betterthan.results.explanation.Flip",
    "betterthan.results.explanation.Slice",
    "betterthan.results.explanation.Aggregation",
    "betterthan.results.explanation.Mover",
    "betterthan.analysis.rank.aggregate.LengthWeights",
    "betterthan.results.ranking.RankingComparison",
    "betterthan.results.tasks.BoardWithout",
    "betterthan.results.battles.TurnedBoard",
    "betterthan.results.battles.ChangedVotes",
    "betterthan.results.tasks.TaskDifference",
    "betterthan.results.metrics.MetricComparisons",
    "betterthan.results.metrics.PairContribution",
    "betterthan.results.checkup.Triple",
    "betterthan.analysis.resampling.Computing",
    "betterthan.engine.progress.Progress",
    "betterthan.engine.progress.terminal_progress",
    "betterthan.engine.cache.CacheSize",
    "betterthan.engine.cache.default_folder",
)


def fill(text: str) -> str:
    """Return a page with its generated parts."""
    return _PLACE.sub(lambda found: PARTS[found.group(1)](), text)


# -- tables ---------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _plain(text: str) -> str:
    """Return words from the code so that Markdown shows them as they are, options in code font."""
    shown = re.sub(r"([\\`*_{}\[\]<>#|~$@])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", shown)


def roles() -> str:
    """Which names of columns are known for scores and judgments."""
    options = {"direction": "none; see below", "metric": "`--metric-column`"}
    rows = [(role, _code(names), options.get(role, f"`--{role}`")) for role, names in ROLES.items()]
    return _table(("role", "names, in order of precedence", "option"), rows)


def descriptive() -> str:
    """Which columns are never a system or a metric."""
    return _code(DESCRIPTIVE)


def battle_columns() -> str:
    """Which names of columns are known for battles."""
    rows = [
        ("the two systems", "; ".join(_code(pair) for pair in battles.SIDES), "`--left`, `--right`"),
        ("winner", _code(battles.WINNERS), "`--winner`"),
        ("winner, in several columns", "; ".join(_code(several) for several in battles.SEVERAL_WINNERS), ""),
        ("weight", _code(battles.WEIGHTS), "`--weight`"),
        ("segment", _code(battles.ITEMS), "`--item`"),
        ("judge", _code(battles.JUDGES), "`--judge`"),
    ]
    return _table(("role", "names, in order of precedence", "option"), rows)


def winner_labels() -> str:
    """Which words in a winner's column are labels."""
    rows = [
        ("the left system won", _code(labels.LEFT_WORDS)),
        ("the right system won", _code(labels.RIGHT_WORDS)),
        ("tie", _code(labels.TIE_WORDS)),
        ("both are bad", _code(labels.BOTH_BAD_WORDS)),
    ]
    return _table(("meaning", "labels"), rows)


def lower_is_better() -> str:
    """Which names of metrics mean that lower is better."""
    return _code(sorted(LOWER_IS_BETTER))


def missing_words() -> str:
    """Which words mean a missing value."""
    return _code(sorted(word for word in MISSING if word))


_PLACES = {"file": "file", "folder": "folder", "either": "file or folder"}


def formats() -> str:
    """All layouts."""
    found = [(reader(name).FORMAT, _PLACES[entry.place]) for name, entry in READERS.items()]
    rows = [(f"`{one.name}`", one.kind, place, _plain(one.description.rstrip("."))) for one, place in found]
    return _table(("`--format-in`", "becomes", "file or folder", "what it is"), rows)


def output_formats() -> str:
    """All formats of answers, with the suffixes that choose them."""
    suffixes = {name: suffix for suffix, name in SUFFIXES.items()}
    return _table(("`--format`", "suffix"), [(f"`{name}`", f"`{suffixes[name]}`") for name in FORMATS])


def kinds() -> str:
    """The fields of every kind of result."""
    public = [getattr(betterthan, name) for name in betterthan.__all__]
    results = [
        one for one in public if inspect.isclass(one) and issubclass(one, Result) and one is not Result
    ]
    rows = [
        (
            f"`{one.kind}`",
            f"`{one.__name__}`",
            _code(f.name for f in dataclasses.fields(one) if f.name not in _SAME),
        )
        for one in results
    ]
    return _table(("`kind`", "class", "fields"), rows)


def problems() -> str:
    """Every problem code with its meaning and a fix."""
    return "\n\n".join(
        f"({code.lower()})=\n### {code}: {_plain(told.title)}\n\n{_plain(told.meaning)}\n\n"
        f"**Fix.** {_plain(told.cure)}{' *(warning)*' if told.severity == 'doubt' else ''}"
        for code, told in PROBLEMS.items()
    )


# -- the command line -----------------------------------------------------------------------------------


def command_line() -> str:
    """Every command with its options, then the options that several commands share."""
    parts = [f"## betterthan\n\n{_help(cli)}\n\n{_options(cli.params)}"]
    parts += [_command(path, command) for path, command in commands(cli)]
    for title, params in _shared().items():
        parts.append(f"({_label(title)})=\n## {title}\n\n{_options(params)}")
    return "\n\n".join(parts)


def commands(group: click.Group, path: str = "betterthan") -> Iterator[tuple[str, click.Command]]:
    """Yield every command below `group` with the words that call it."""
    for name, command in sorted(group.commands.items()):
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def _shared() -> dict[str, list[click.Parameter]]:
    groups = {
        "Input options": shared_options.reading_options,
        "Computation options": shared_options.computing_options,
        "Output options": shared_options.output_options,
    }
    return {title: _added_by(decorator) for title, decorator in groups.items()}


def _added_by(decorator: Callable[..., Any]) -> list[click.Parameter]:
    def bare() -> None:
        pass

    added: list[click.Parameter] = decorator(bare).__click_params__
    return added[::-1]


def _command(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    usage = command.get_usage(context).removeprefix("Usage: ")
    all_of_it = {_told(param) for param in command.params}
    shared = {title: {_told(param) for param in params} for title, params in _shared().items()}
    used = [title for title, told in shared.items() if told <= all_of_it]
    elsewhere = {told for title in used for told in shared[title]}
    own = [param for param in command.params if _told(param) not in elsewhere]
    level = "##" if path.count(" ") == 1 else "###"
    links = ", ".join(f"[{title.lower()}](#{_label(title)})" for title in used)
    also = f"Also: {links}." if links else ""
    parts = [f"{level} {path}", f"```text\n{usage}\n```", _help(command), _options(own), also]
    return "\n\n".join(part for part in parts if part)


def _told(param: click.Parameter) -> tuple[object, ...]:
    return (tuple(param.opts), getattr(param, "help", None), param.metavar)


def _label(title: str) -> str:
    return title.lower().replace(" ", "-")


def _help(command: click.Command) -> str:
    """Return a command's help; what click keeps as it stands becomes a block."""
    parts = []
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        if part.startswith("\b"):
            parts.append("```text\n" + part.removeprefix("\b").lstrip("\n") + "\n```")
        else:
            parts.append(_plain(" ".join(part.split())))
    return "\n\n".join(parts)


def _options(params: Iterable[click.Parameter]) -> str:
    return "\n\n".join(_option(p) for p in params if isinstance(p, click.Option))


def _option(option: click.Option) -> str:
    names = ", ".join(option.opts) + ("" if option.is_flag else f" {_value_of(option)}")
    said = re.sub(r"\[default: (.+)\]", r"Default: \1.", option.help or "")
    facts = [_plain(said)] if said else []
    if option.show_default and option.default is not None:
        several = isinstance(option.default, tuple | list)
        facts.append(f"Default: {_code(option.default) if several else f'`{option.default}`'}.")
    if option.envvar:
        facts.append(f"Also set by the environment variable `{option.envvar}`.")
    if option.required:
        facts.append("Required.")
    if option.multiple and "Repeat " not in said:
        facts.append("Repeat for several.")
    return f"`{names}`\n: {' '.join(facts) or 'No description.'}"


def _value_of(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.metavar or option.type.name.split()[0].upper()


# -- the Python reference -------------------------------------------------------------------------------


def reference() -> str:
    """Every public name by package, each with a heading of its own, and other types that docstrings name."""
    sections: dict[str, list[str]] = {package: [] for package in _SECTIONS}
    for name in betterthan.__all__:
        sections[getattr(betterthan, name).__module__.split(".")[1]].append(f"betterthan.{name}")
    parts = [_section(_SECTIONS[package], names) for package, names in sections.items() if names]
    return "\n\n".join([*parts, _section("Other types", _OTHER_TYPES)])


def _section(title: str, names: Iterable[str]) -> str:
    return "\n\n".join([f"## {title}", *map(_entry, names)])


def _entry(name: str) -> str:
    return f"### {name.rpartition('.')[2]}\n\n```{{eval-rst}}\n{_documented(name)}```"


def _documented(name: str) -> str:
    home, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(home), last)
    if not inspect.isclass(thing):
        return f".. autofunction:: {name}\n"
    kind = "autoexception" if issubclass(thing, BaseException) else "autoclass"
    return f".. {kind}:: {name}\n   :members:\n"


# -- the bibliography -----------------------------------------------------------------------------------


def cited() -> dict[str, list[str]]:
    """Every work that a docstring of the package refers to, with the modules that do so."""
    root = Path(betterthan.__file__).parent
    entries: dict[tuple[str, str], str] = {}
    modules: dict[tuple[str, str], set[str]] = {}
    for path in sorted(root.rglob("*.py")):
        for entry in _ENTRY.findall(path.read_text(encoding="utf-8")):
            text = _PLACE_IN_WORK.sub("", " ".join(entry.split())).rstrip(" ,;.") + "."
            key = _author_and_year(text)
            if not key[1]:
                continue  # "Ibid."
            entries[key] = max(entries.get(key, ""), text, key=len)
            modules.setdefault(key, set()).add(".".join(path.relative_to(root).with_suffix("").parts))
    return {entries[key]: sorted(modules[key]) for key in sorted(entries)}


def _author_and_year(entry: str) -> tuple[str, str]:
    year = re.search(r"\((\d{4})\)", entry)
    return re.split(r"[,\s]", entry)[0].casefold(), year.group(1) if year else ""


def bibliography() -> str:
    """All cited works as a list."""
    return "\n".join(f"- {_plain(work)} Used in {_code(homes)}." for work, homes in cited().items())


PARTS: dict[str, Callable[[], str]] = {
    part.__name__: part
    for part in (
        battle_columns,
        bibliography,
        command_line,
        descriptive,
        formats,
        kinds,
        lower_is_better,
        missing_words,
        output_formats,
        problems,
        reference,
        roles,
        winner_labels,
    )
}


def _fill_page(app: Sphinx, page: str, content: list[str]) -> None:  # noqa: ARG001  (Sphinx passes them)
    content[0] = fill(content[0])


def _plain_footnotes(*event: Any) -> None:  # noqa: ANN401  (Sphinx passes six things; the last are the lines)
    """Turn numbered footnotes of docstrings, whose numbers would clash on one page, into paragraphs."""
    lines: list[str] = event[-1]
    plain: list[str] = []
    is_footnote = False
    for line in lines:
        if re.match(r"\.\. \[\d+\] ", line):
            is_footnote = True
            plain += ["", line.removeprefix(".. ")]
        elif is_footnote and line.startswith("   ") and line.strip():
            plain[-1] += f" {line.strip()}"
        else:
            is_footnote = False
            plain.append(re.sub(r"\[(\d+)\]_", r"[\1]", line))
    lines[:] = plain


def _all_pages(app: Sphinx, environment: Any, *changed: Any) -> list[str]:  # noqa: ANN401, ARG001
    """Have every page read again, because what they are made from is not only their own text."""
    return sorted(environment.found_docs)


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill the pages as they are read."""
    app.connect("env-get-outdated", _all_pages)
    app.connect("source-read", _fill_page)
    app.connect("autodoc-process-docstring", _plain_footnotes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
