"""What must hold after every run, whatever was asked of whatever file."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from tests.fuzz.tables import PAGE

from betterthan.budget import parse_size
from betterthan.errors import BetterThanError

MEMORY = 512 << 20
"""The budget of a run that names none, in bytes."""
LONGEST_SECONDS = 40.0
# A check may say no, and so may a result that is computed again.
MAY_SAY_NO = ("check", "verify", "gate")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PAGES = (".html", ".svg")
_LONGEST_MESSAGE = 6000


def budget_of(words):
    """The budget that a command line names, in bytes."""
    for word, following in pairwise(words):
        if word == "--memory":
            try:
                return parse_size(following)
            except BetterThanError:
                break
    return MEMORY


def faults(words, done, new):
    """Everything that is wrong with a run; `new` holds the files that it made."""
    found = [*_of_code(words, done), *_of_streams(words, done), *_of_resources(words, done)]
    as_json = "--json" in words or _after(words, ("-f", "--format")) == "json"
    if done.code in (0, 1) and as_json and done.out.strip() and not {"study", "--explain"} & set(words):
        found += _of_json(done.out, "stdout")
    for name, data in new.items():
        if name.endswith(".json") and "-f" not in words and "--format" not in words:
            found += _of_json(data.decode("utf-8", "replace"), "the output")
        if name.endswith(_PAGES) and PAGE.encode() in data:
            found.append(f"page: {name} holds a name as markup")
    return found


def _after(words, options):
    return next((b for a, b in pairwise(words) if a in options), None)


def _of_code(words, done):
    yield from (f"exit {done.code}: {trace}" for trace in done.traces)
    if done.code == 3 and words[0] == "gate":  # undecided
        return
    if done.code not in (0, 1, 2) or (done.code == 1 and words[0] not in MAY_SAY_NO):
        yield f"exit {done.code}: not documented for {words[0]}"
    if done.code == 2 and not done.err.strip():
        yield "silent: exit 2 without a word"


def _of_streams(words, done):
    if "Traceback (most recent call last)" in done.err:
        yield "traceback: " + done.err.strip().split("\n")[-1]
    if done.code and len(done.err) > _LONGEST_MESSAGE:
        yield f"length: {len(done.err)} characters of error"
    if _STEERING.search(_STYLE.sub("", done.err)):
        yield "steering: control characters on stderr"
    chosen = _after(words, ("-f", "--format"))
    is_text = chosen in (None, "table") and "--json" not in words
    if is_text and words[0] not in ("completion", "manual") and _STEERING.search(_STYLE.sub("", done.out)):
        yield "steering: control characters on stdout"
    if PAGE in done.out and chosen == "html":
        yield "page: a name as markup on stdout"


def _of_resources(words, done):
    if done.seconds > LONGEST_SECONDS:
        yield f"time: {done.seconds:.0f} s of processor time"
    if done.memory > budget_of(words):
        yield f"memory: {done.memory >> 20} MB, and the budget is {budget_of(words) >> 20} MB"


def _of_json(text, where):
    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    try:
        json.loads(text, parse_constant=no_constant)
    except ValueError as error:
        yield f"json: {where}: {error}"
