"""Messages as data: options are spelled by the interface that shows them, and no code reads its own sentences."""

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace

import click
import pytest
from markupsafe import escape
from tests.made import drawn_matches, drawn_scores
from tests.sources import modules

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.cli.wording import as_typed, typed_option
from betterthan.errors import BetterThanError
from betterthan.messages import ONLY_TYPED, Message, Option
from betterthan.present.tables.describe import describe
from betterthan.report.compose import compose
from betterthan.report.page import page
from betterthan.report.pair.view import PairTables, pair_view
from betterthan.web.names import on_page

HOLE = "\0"
"""Stands for a value inside an f-string."""

# ---- options that are named by hand

BY_HAND = {
    "messages.py": ("lower_is_better=", "this is how options are spelled in Python"),
    "analysis/rank/rank_scores.py": (",size=", "a signature, which is data and not a sentence"),
    "read/formats/toolkits/lighteval_details.py": ("--save-details", "a flag of lighteval"),
    "read/formats/toolkits/lm_eval_samples.py": ("--log_samples", "a flag of lm-evaluation-harness"),
    "read/formats/toolkits/promptfoo_json.py": ("--retry-errors", "a flag of promptfoo"),
    "receipts/receipt.py": ("--no-cache --workers=", "arguments of a command that is run"),
    "receipts/verification.py": ("--no-cache", "an argument of a command that is run"),
    "report/command.py": ("--no-texts", "part of the command that makes a report again"),
    "report/figures/marks.py": ('="', "attributes of SVG elements"),
    "scoring/tokens.py": ("sacrebleu --tokenize", "a flag of sacreBLEU"),
}
"""Where a string may look like an option, what it may hold, and why."""
_FLAG = re.compile(r"(?<![\w.-])--[a-z][\w-]+=?")
_KEYWORD = re.compile(rf'(?<![\w-])([a-z][a-z_]*)=(?:["\d…{HOLE}]|[A-Z]{{3,}}\b|True\b|False\b|None\b)')
_UNNAMED = re.compile(rf'[{HOLE}}}]="')


def commands(root: click.Command) -> Iterator[click.Command]:
    """Every command, those of groups included."""
    for command in root.commands.values() if isinstance(root, click.Group) else ():
        yield command
        yield from commands(command)


@functools.cache
def names_of_options() -> set[str]:
    """What options are called in Python: the arguments of the public functions and of the commands."""
    functions = [value for name in bt.__all__ if inspect.isfunction(value := getattr(bt, name))]
    named = {name for function in functions for name in inspect.signature(function).parameters}
    typed = {str(option.name) for command in commands(cli) for option in command.params}
    return named | typed


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string of a module but its docstrings; f-strings have holes where values go."""
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
            parts = [part.value if isinstance(part, ast.Constant) else HOLE for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def options_by_hand(text: str, names: set[str]) -> list[str]:
    """The options that a string spells by itself."""
    keywords = [found.group() for found in _KEYWORD.finditer(text) if found.group(1) in names]
    return [*_FLAG.findall(text), *keywords, *_UNNAMED.findall(text)]


def test_options_are_recognised():
    """The patterns of the guard itself."""
    names = {"missing", "cluster", "item", "prior"}
    for text in (
        'missing="drop"',
        "cluster=False",
        "item=COLUMN",
        "prior=0.5",
        f"prior={HOLE}",
        "use --by mean",
    ):
        assert options_by_hand(text, names), text
    assert options_by_hand(f'{HOLE}="x"', names)
    for text in ("a missing score", 'class="rule"', "x == y", "10 -- 20", "an em--dash"):
        assert not options_by_hand(text, names), text


def test_no_message_spells_an_option_by_hand():
    """Outside the command line an option in a message is an `Option`, so that each interface can write it."""
    names = names_of_options()
    found = []
    for place, tree in modules().items():
        if place.startswith("cli/"):
            continue
        allowed = BY_HAND.get(place, ("", ""))[0]
        for line, text in strings(tree):
            if allowed in text and allowed:
                continue
            by_hand = [option for option in options_by_hand(text, names) if option not in allowed.split()]
            found += [f"{place}:{line}: {option}" for option in by_hand]
    assert not found, "\n".join(found)


def is_unknown(node: ast.AST, names: set[str]) -> bool:
    """Whether a call makes an option of a name that is none."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Option"):
        return False
    name = node.args[0]
    return isinstance(name, ast.Constant) and name.value not in names


def test_every_option_in_a_message_exists():
    """A name that no function and no command knows would send the reader to an option that is not there."""
    names = names_of_options() | ONLY_TYPED | {"memory", "set"}
    found = [
        f"{place}:{node.lineno}: {ast.unparse(node)}"
        for place, tree in modules().items()
        for node in ast.walk(tree)
        if is_unknown(node, names)
    ]
    assert not found, "\n".join(found)


# ---- code that reads sentences

OF_OTHERS = {
    "errors.py": "cuts names and cells that are too long to show",
    "read/grid/delimited.py": "Python's csv module tells its errors apart by their text alone",
    "read/grid/duck.py": "DuckDB's errors",
    "read/several/files.py": "DuckDB's errors",
    "read/grid/duck_grid.py": "DuckDB's errors",
    "read/several/several_files.py": "DuckDB's errors",
}
"""Where the text of an error of another library is read, or a text is cut to a length."""
_SENTENCE = re.compile(
    r"^_?(note|sentence|message|warning|hint|refusal|unit_note|undecidable|notes|sentences|messages|warnings)$"
)
_LABEL = re.compile(r"^(\w+_name|measured|title|heading|caption)$")
_SEVERAL = ("notes", "sentences", "messages", "warnings")
_ERRORS = ("error", "exception", "caught", "refused")
_READING = {"startswith", "endswith", "removeprefix", "removesuffix", "replace", "split", "partition", "find"}
_PATTERN = {"sub", "subn", "search", "match", "fullmatch", "findall", "finditer"}


def is_sentence(node: ast.expr) -> bool:
    """Whether an expression looks like a message: by its name, or as the text of an error."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        inner = node.args[0]
        return isinstance(inner, ast.Name) and (inner.id in _ERRORS or bool(_SENTENCE.match(inner.id)))
    if isinstance(node, ast.Attribute):
        of_error = node.attr == "text" and isinstance(node.value, ast.Name) and node.value.id in _ERRORS
        return of_error or bool(_SENTENCE.match(node.attr) or _LABEL.match(node.attr))
    return isinstance(node, ast.Name) and bool(_SENTENCE.match(node.id))


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a string that stands in the code."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def reads_sentence(node: ast.AST) -> bool:
    """Whether code looks into a sentence, cuts it or writes it anew."""
    if isinstance(node, ast.Compare):
        looked_into = [
            right
            for operator, right in zip(node.ops, node.comparators, strict=True)
            if isinstance(operator, ast.In | ast.NotIn)
        ]
        if is_text(node.left) and any(map(is_sentence, looked_into)):
            return True
        same = any(isinstance(operator, ast.Eq | ast.NotEq) for operator in node.ops)
        sides = [node.left, *node.comparators]
        return (
            same and any(map(is_sentence, sides)) and any(is_text(side) and _is_long(side) for side in sides)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _READING and is_sentence(node.func.value):
            return True
        return node.func.attr in _PATTERN and any(map(is_sentence, node.args))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        several = getattr(node.value, "attr", getattr(node.value, "id", "")) in _SEVERAL
        return is_sentence(node.value) and not several
    return False


def _is_long(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or " " in str(getattr(node, "value", ""))


@pytest.mark.parametrize(
    "code",
    [
        '"no pair" in note',
        'note.startswith("Unit")',
        'result.unit_note.replace("a", "b")',
        're.sub("a", "b", message)',
        "_THOUSANDS.sub(turned, note)",
        "sentence[1:]",
        'str(error).split(":")',
        'error.text.removeprefix("x")',
        '"Unit" in result.notes',
        'note == "All scores are equal."',
        'result.effect_name == "difference of means"',
        'table.effect_name.startswith("P(")',
    ],
)
def test_reading_is_recognised(code):
    """The patterns of the guard itself."""
    assert any(reads_sentence(node) for node in ast.walk(ast.parse(code)))


@pytest.mark.parametrize("code", ["note in notes", "notes[1:]", "name.startswith('x')", 'code == "BT203"'])
def test_other_code_is_not(code):
    """Lists of notes and names of files are no sentences."""
    assert not any(reads_sentence(node) for node in ast.walk(ast.parse(code)))


def test_no_code_reads_its_own_sentences():
    """What another part of the program needs to know is in the fields and codes of a message."""
    found = []
    for place, tree in modules().items():
        if place in OF_OTHERS:
            continue
        found += [
            f"{place}:{node.lineno}: {ast.unparse(node)[:80]}"
            for node in ast.walk(tree)
            if reads_sentence(node) and isinstance(node, ast.expr)
        ]
    assert not found, "\n".join(found)


# ---- the same error in Python, on the command line and in the app


def with_gaps() -> bt.Scores:
    """Four documents, one score missing."""
    scores = drawn_scores(2, 8, groups=list("aabbccdd"))
    values = scores.values.copy()
    values[0, 0] = float("nan")
    return bt.Scores(
        name="m", systems=["A", "B"], segments=scores.segments, values=values, groups=scores.groups
    )


def clustered() -> bt.Matches:
    """Battles of six judges."""
    rows = {"left": ["A", "B"] * 6, "right": ["B", "A"] * 6, "winner": ["left", "left", "right"] * 4}
    return bt.read_matches({**rows, "judge": list("uvwxyz") * 2})


def separated() -> bt.Matches:
    """B never won."""
    return bt.read_matches({"left": ["A", "A"], "right": ["B", "B"], "winner": ["left", "left"]})


ERRORS = {
    "missing": (
        lambda: bt.compare(with_gaps(), missing="pairwise", units="groups"),
        'Use missing="drop", or',
        "Use --missing drop, or",
        "Use “A missing score: leaves its segment out”, or",
    ),
    "units": (
        lambda: bt.rank(drawn_scores(2, 8), units="groups"),
        'with group=COLUMN, or use units="segments".',
        "with --group COLUMN, or use --units segments.",
        "with “document”, or use “Resampling unit: segments”.",
    ),
    "prior": (
        lambda: bt.rank(separated(), by="bradley_terry"),
        'Use by="win_rate", or add prior=0.5.',
        "Use --by win-rate, or add --prior 0.5.",
        "Use --by win-rate (on the command line), or add --prior 0.5 (on the command line).",
    ),
    "by": (
        lambda: bt.rank(drawn_scores(2, 8), scale="log"),
        'scale="log" has no effect with by="mean". Leave it out, or use by="bradley_terry".',
        "--scale log has no effect with --by mean. Leave it out, or use --by bradley-terry.",
        "Leave it out, or use --by bradley-terry (on the command line).",
    ),
    "cluster": (
        lambda: bt.rank(clustered(), units="segments"),
        "Use cluster=False.",
        "Use --cluster none.",
        "Use --cluster none (on the command line).",
    ),
    "resamples": (
        lambda: bt.compare(drawn_matches(), n_resamples=9),
        "n_resamples=9 has no effect on matches.",
        "--resamples 9 has no effect on matches.",
        "--resamples 9 (on the command line) has no effect on matches.",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_spelled_for_each_interface(name):
    """Keyword arguments in Python, flags on the command line, fields of the page in the app."""
    cause, in_python, typed, on_a_page = ERRORS[name]
    with pytest.raises(BetterThanError) as caught:
        cause()
    assert in_python in str(caught.value)
    assert typed in as_typed(caught.value.text, cli)
    assert isinstance(caught.value.text, Message)
    assert on_a_page in caught.value.text.spelled(on_page)


def test_a_system_to_leave_out_is_spelled_for_each_interface():
    """The name of the system is quoted where it must be."""
    human = bt.Scores(name="mqm", systems=["A", "Human A"], segments=["1", "2"], values=[[1, 2], [2, 1]])
    metric = bt.Scores(name="m", systems=["A", "human-A"], segments=["1", "2"], values=[[1, 2], [2, 1]])
    with pytest.raises(BetterThanError) as caught:
        bt.meta_evaluate([metric], human)
    text = caught.value.text
    assert isinstance(text, Message)
    assert 'leave it out: leave_out=["Human A"].' in text
    assert "leave it out: --leave-out 'Human A'." in as_typed(text, cli)
    assert "leave it out: --leave-out 'Human A' (on the command line)." in text.spelled(on_page)


def test_notes_keep_their_options_until_they_are_shown():
    """From where a note arises through the verb to the renderer."""
    scores = drawn_scores(3, 12, groups=list("aabbccddeeff"))
    table = describe(bt.rank(scores))
    assert table.unit.endswith('Use units="segments" for single segments.')
    assert table.spelled(typed_option(cli)).unit.endswith("Use --units segments for single segments.")


SPELLINGS = {
    "Python": (str, 'Use missing="drop".'),
    "command line": (typed_option(cli), "Use --missing drop."),
    "app": (on_page, "Use “A missing score: leaves its segment out”."),
}


@pytest.mark.parametrize("reader", SPELLINGS)
def test_pages_are_spelled_for_their_reader(reader):
    """A note of the data reaches the report and the page of a pair, and is spelled there."""
    spelling, text = SPELLINGS[reader]
    note = Message("Scores are missing. Use {fix}.", fix=Option("missing", "drop"))
    scores = replace(drawn_scores(3, 12), notes=(note,))
    shown = page(compose(scores), spelling=spelling)
    assert str(escape(text)) in shown
    pair = pair_view(PairTables(results={}, scores=(scores,)), *scores.systems[:2])
    assert str(escape(text)) in pair.html(spelling=spelling)


def test_options_that_only_the_command_line_has_are_flags_everywhere():
    """The server is started on the command line."""
    option = Option("port", 0)
    assert str(option) == on_page(option) == as_typed(Message("{it}", it=option), cli) == "--port 0"
