"""Retired phrases stay out of everything the project says; the list is in wording.toml."""

import bisect
import io
import itertools
import json
import re
import string
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "betterthan"
RULES = tomllib.loads((ROOT / "tests" / "wording.toml").read_text(encoding="utf-8"))
EXCLUDED = {ROOT / name for name in RULES["excluded"]["pages"]}
EXEMPT = set(RULES["exempt"]["packages"])
PAGES = sorted(
    path
    for globs in RULES["texts"].values()
    for glob in globs
    for path in ROOT.glob(glob)
    if path not in EXCLUDED
)
PACKAGES = ["", *sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))]
"""The packages of the source tree; the empty name is the modules at its top."""
PHRASES = {re.compile(phrase): instead for phrase, instead in RULES["phrases"].items()}
LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)  # keeps the length, unlike str.lower
NAMES = re.compile("|".join(RULES["names"]["stay"]))
BETWEEN = "\n\x01\n"
"""Divides the texts of a file; no phrase matches across it."""
FILLING = "\x02"
"""Takes the place of what is not searched; no pattern matches it."""
SUFFIXES = {".py", ".toml", ".json", ".j2", ".js"}

_FENCE = re.compile(r"^(`{3,}).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"``[^`\x01]+``|`[^`\n\x01]+`")
_QUOTATION = re.compile(r'"[^"\n\x01]{40,}"|\*[A-Z][^*\x01]{40,}\*')  # the words or the title of a paper
_DOCTEST = re.compile(r"^[ ]*>>>.*?(?=^[ ]*$|\x01|\Z)", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"^[ ]*\*{0,2}\w+(?:, \*{0,2}\w+)* : [^\n]*$", re.MULTILINE)  # names and types
_WORD = re.compile(r"[\w.:/|=+-]*")  # a key, a path, a signature: not a text
_MARKUP = re.compile(r"<script.*?</script>|<style.*?</style>|\{[{%#].*?[}%#]\}|<[^>]*>", re.DOTALL)
_JS_TEXT = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*.*?\*/', re.DOTALL
)

Text = tuple[int, str]
"""A text and the line it begins in."""


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """A text with every match replaced by filling of the same length; line numbers stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", FILLING, match.group()), text)


def prose(text: str) -> str:
    """A text with examples, code, quotations and public names blanked out."""
    for pattern in (_FENCE, _DOCTEST, _PARAMETER, _CODE, _QUOTATION, NAMES):
        text = blanked(pattern, text)
    return text


def retired(text: str) -> list[tuple[int, str, str]]:
    """Every retired phrase of a text, as (place, phrase, what to write instead)."""
    searched = re.sub(
        r"\n[ ]*(?=\S)", lambda match: " " * len(match.group()), prose(text)
    )  # places stay true
    searched = searched.translate(LOWER)
    return sorted(
        (match.start(), re.sub(r"\s+", " ", match.group()), instead)
        for phrase, instead in PHRASES.items()
        for match in phrase.finditer(searched)
    )


# ---- the texts of a file


def texts_of_python(source: str) -> Iterator[Text]:
    """The strings, docstrings and comments of a module; names are not among them, and values in f-strings are holes."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    yield from _strings(tokens)
    yield from _comments(tokens)


def _strings(tokens: list[tokenize.TokenInfo]) -> Iterator[Text]:
    """Strings side by side are one text."""
    start, parts, depth = 0, [], 0
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if not parts:
            start = token.start[0]
        depth += (kind == "FSTRING_START") - (kind == "FSTRING_END")  # from Python 3.12 on
        if depth or kind == "FSTRING_END":
            parts.append(token.string if kind == "FSTRING_MIDDLE" else "\0" * (token.string == "{"))
        elif kind == "STRING":
            parts.append(_content(token.string))
        elif parts and kind not in ("NL", "COMMENT"):
            yield start, "".join(parts)
            parts = []


def _comments(tokens: list[tokenize.TokenInfo]) -> Iterator[Text]:
    """Comments on lines that follow each other are one text."""
    start, lines = 0, []
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != start + len(lines):
            yield start, "\n".join(lines)
            lines = []
        start = start if lines else token.start[0]
        lines.append(token.string.lstrip("#: "))
    if lines:
        yield start, "\n".join(lines)


def _content(literal: str) -> str:
    prefix = re.match(r"[a-zA-Z]*", literal).group().lower()
    quotes = 3 if literal[len(prefix) :].startswith(('"""', "'''")) else 1
    content = literal[len(prefix) + quotes : -quotes]
    if "f" in prefix:
        content = re.sub(r"\{(?!\{)[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "\0", content)
    return content if "r" in prefix else re.sub(r"\\[nt]", " ", content).replace("\\", "")


def texts_of_values(value: object) -> Iterator[Text]:
    """Every string of a decoded TOML or JSON file."""
    if isinstance(value, str):
        yield 0, value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_of_values(one)


def texts(path: Path) -> Iterator[Text]:
    """What a file of the source tree says."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from ((line, text) for line, text in texts_of_python(source) if not _WORD.fullmatch(text))
    elif path.suffix in (".toml", ".json"):
        values = texts_of_values((tomllib if path.suffix == ".toml" else json).loads(source))
        yield from (text for text in values if not _WORD.fullmatch(text[1]))
    elif path.suffix == ".js":
        for match in _JS_TEXT.finditer(source):
            yield source.count("\n", 0, match.start()) + 1, match.group().strip("`")
    else:
        yield 1, blanked(_MARKUP, source)


def findings(paths: list[Path], root: Path) -> list[str]:
    """Every retired phrase of some files of the source tree, with its place and what to write instead."""
    found = []
    for path in paths:
        parts = list(texts(path))
        # Phrases are searched in all texts of a file at once, which takes a tenth of the time.
        begins = list(itertools.accumulate((len(text) + len(BETWEEN) for _, text in parts), initial=0))
        whole = BETWEEN.join(text for _, text in parts)
        for place, phrase, instead in retired(whole):
            part = bisect.bisect_right(begins, place) - 1
            line = parts[part][0] + whole.count("\n", begins[part], place)
            found.append(f'{path.relative_to(root).as_posix()}:{line}: "{phrase}"; write {instead}')
    return found


def files_of(package: str, source: Path = SOURCE) -> list[Path]:
    """The files of a package that hold texts."""
    below = (source / package).rglob("*") if package else source.glob("*")
    return sorted(path for path in below if path.suffix in SUFFIXES)


# ---- the tests


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_retired_phrases_are_gone_from_the_pages(path):
    """Each finding names the line and what to write instead."""
    text = path.read_text(encoding="utf-8")
    found = [
        f'{path.name}:{text.count(chr(10), 0, place) + 1}: "{phrase}"; write {instead}'
        for place, phrase, instead in retired(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "package", [name for name in PACKAGES if name not in EXEMPT], ids=lambda name: name or "top"
)
def test_retired_phrases_are_gone_from_the_source(package):
    """Messages, docstrings, comments and templates of every package that is not exempt."""
    found = findings(files_of(package), SOURCE)
    assert not found, "\n".join(found)


def test_exempt_packages_exist():
    """A package that was renamed must not stay exempt under its old name."""
    assert set(PACKAGES) >= EXEMPT


@pytest.mark.parametrize(
    "package", [name for name in PACKAGES if name not in EXEMPT], ids=lambda name: name or "top"
)
@pytest.mark.parametrize(
    "put_back",
    [
        '"""Systems that cannot be told apart."""',
        "# Systems that cannot\n# be told apart.",
        'message = f"{a} and {b} cannot " f"be told apart."',
    ],
    ids=["docstring", "comment", "message"],
)
def test_a_phrase_put_back_is_found(package, put_back, tmp_path):
    """In every package, whether it is a docstring, a comment or a message in two pieces."""
    module = tmp_path / package / "module.py"
    module.parent.mkdir(exist_ok=True)
    original = files_of(package)[0].read_text(encoding="utf-8")
    module.write_text(f"{original}\n\n{put_back}\n", encoding="utf-8")
    line = original.count("\n") + 3
    found = findings(files_of(package, tmp_path), tmp_path)
    assert any(f"module.py:{line}" in one and "cannot be told" in one for one in found), found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("texts.toml", 'title = "95 % of them"'),
        ("share.py", 'text = f"{share:.0f} % of them"'),
        ("texts.json", '["judgements of people"]'),
        ("page.html.j2", "<p>{{ name }} cannot be told apart</p>"),
        ("page.js", 'show("told apart");'),
    ],
)
def test_texts_of_other_files_are_searched(name, text, tmp_path):
    """Files of messages, templates and scripts are texts as well."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert findings([path], tmp_path)


def test_names_and_examples_are_not_texts(tmp_path):
    """Identifiers, keys, parameters and doctests may keep an older word; so may public names."""
    path = tmp_path / "module.py"
    path.write_text(
        'def judgements(doubts):\n    """Return a result.\n\n    Parameters\n    ----------\n'
        "    doubts : sequence of Doubt\n\n    Examples\n    --------\n"
        '    >>> "told apart"\n    \'told apart\'\n    """\n    return {"judgements": doubts}\n',
        encoding="utf-8",
    )
    assert not findings([path], tmp_path)


def test_phrases_are_found_across_lines_and_outside_code_only():
    """The guard itself: a phrase may be broken over two lines; examples may print what they print."""
    assert [place for place, *_ in retired("One.\nWhich metric may\nwe trust?\n")] == [18]
    assert not retired("```console\n$ betterthan check\n95 % told apart\n```\n")
    assert not retired("The option `--min-judgements` and the column `letters`.\n")
    assert not retired("The option --min-judgements.\n")
    assert retired("It covers 95 % of them, in 12 000 cases.\n")
