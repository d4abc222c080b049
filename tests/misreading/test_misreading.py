"""Small files that people really have, each with the one acceptable answer: the right table, or a stop with a hint.

The worst fault of an evaluation tool is a wrong answer that says "no problems found". So every case runs through the
command line and, where that applies, through the Python API, which must agree; `check` must name what stops a verb,
and must be silent about a file that is plainly fine. Where a user would accept being asked as well as being
understood, a case says so with `or_stop`; a wrong table is never accepted.

=====================  ===============================================================================================
`plainly_fine`         files that must be read without a word
`id_columns`           ids of every kind beside the systems
`other_columns`        lengths, counts, ranks, averages, human scores and other scales beside the systems
`shapes`               transposed, without a header, two tables in one, footers, index columns
`numbers`              decimal commas, thousands, percent signs, missing cells, grades in words
`text_files`           quotes, line breaks, line ends, encodings, JSON of several shapes
`json_shapes`          nested scores, wrappers, the orientations of pandas, one object for each system
`spreadsheets`         totals, units, merged cells, formulas, notes, empty columns and rows
`summaries`            pivots, leaderboards, matrices of pairs, runs and versions below each other
`long_tables`          several score columns, unknown headers, repeated runs, judges, language pairs
`battles`              codes and words for winners, both orders, judges
`joins`                several files of one table, and metrics beside human scores
`directions`           which way common metrics point
`names`                names that look alike, human translations, gold files
`toolkits`             logs and outputs of evaluation toolkits
=====================  ===============================================================================================
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from tests.everyday import few
from tests.misreading import (
    battles,
    directions,
    id_columns,
    joins,
    json_shapes,
    long_tables,
    names,
    numbers,
    other_columns,
    plainly_fine,
    shapes,
    spreadsheets,
    summaries,
    text_files,
    toolkits,
)
from tests.misreading.cases import Agrees, Answer, Case, Columns, First, Fought, Ranked, Stop, Words

import betterthan as bt
from betterthan.cli.main import main

THEMES = (
    plainly_fine,
    id_columns,
    other_columns,
    shapes,
    numbers,
    text_files,
    json_shapes,
    spreadsheets,
    summaries,
    long_tables,
    battles,
    joins,
    directions,
    names,
    toolkits,
)
# What is not read as it should be yet; a case that comes right must leave this list.
OPEN: dict[str, str] = {}


CASES = {
    f"{theme.__name__.rpartition('.')[2]}: {case.name}": case for theme in THEMES for case in theme.CASES
}
# The same options as arguments of the functions that read, and of those that rank.
READING = {
    "--item": "item",
    "--system": "system",
    "--score": "score",
    "--group": "group",
    "--judge": "judge",
    "--metric": "metric",
    "--duplicates": "duplicates",
    "--left": "left",
    "--right": "right",
    "--winner": "winner",
}
LISTS = {"--ignore": "ignore", "--keep": "keep"}
WITHOUT_JSON = {"convert", "report"}
NOT_RECOGNISED = "BT009"


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run(*words: str) -> Said:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as stopped,
    ):
        main(list(words))
    return Said(int(stopped.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a cache of its own."""
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    place = tmp_path / "files"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def test_every_case_has_a_name_of_its_own():
    """And there are enough of them, plainly fine ones included."""
    assert len(CASES) == sum(len(theme.CASES) for theme in THEMES)
    assert len(CASES) >= 150
    assert CASES.keys() >= OPEN.keys()
    assert len(plainly_fine.CASES) >= 40


@pytest.mark.parametrize(
    "case",
    few(
        [
            pytest.param(
                case,
                id=name,
                marks=[pytest.mark.xfail(strict=True, reason=OPEN[name])] if name in OPEN else [],
            )
            for name, case in CASES.items()
        ],
        200,
    ),
)
def test_a_file_is_read_rightly_or_not_at_all(case: Case, folder: Path):
    """The right table, or a stop that says what was seen and how to settle it."""
    case.write(folder)
    outcome = run(*case.words, *_json(case.words))
    if outcome.code != 2:
        _check_answer(case, case.expect, outcome, case.words)
        return
    _check_stop(case, outcome)
    if case.settled is not None:
        words = (*case.words, *case.settle)
        _check_answer(case, case.settled, run(*words, *_json(words)), words)


def _json(words: tuple[str, ...]) -> tuple[str, ...]:
    return () if words[0] in WITHOUT_JSON else ("--json",)


def _check_stop(case: Case, outcome: Said) -> None:
    assert case.stop is not None, f"stopped: {outcome.err}"
    _contains(outcome.err, case.stop.words)
    code = re.search(r"error\[(BT\d{3})\]", outcome.err)
    assert "Traceback" not in outcome.err
    assert outcome.out == ""
    with pytest.raises(bt.BetterThanError) as refused:
        _in_python(case, case.words, ranked=True)
    # Functions know what kind of data they are for, and so may refuse a file for another reason than a command.
    if case.words[0] == "rank" and not (
        case.holds_matches and code is not None and code[1] == NOT_RECOGNISED
    ):
        assert getattr(refused.value, "code", None) == (code and code[1]), refused.value
    for frame in _frames(case):
        with pytest.raises(bt.BetterThanError):
            bt.rank(bt.read_scores(frame, name=_stem(case)))
    files = _files_of(case.words, case)
    if case.stop.in_check and len(files) == 1:  # several files are checked one by one
        found = run("check", *files)
        assert found.code == 1, f"check says nothing: {found.out}"
        assert code is None or code[1] in found.out, found.out


def _check_answer(case: Case, expected: Answer | Stop, outcome: Said, words: tuple[str, ...]) -> None:
    shown = f"{' '.join(words)}: {outcome.err or _shortened(outcome.out)}"
    assert not isinstance(expected, Stop), f"not stopped: {shown}"
    assert outcome.code == 0, shown
    results = [json.loads(text) for text in _documents(outcome.out)]
    result = next((one for one in results if one["kind"] in {"ranking", "meta_evaluation"}), results[0])
    if isinstance(expected, Agrees):
        _check_agreement(case, expected, result, words)
    else:
        assert result["systems"][0] == expected.best, shown
    if isinstance(expected, Ranked):
        _check_ranking(case, expected, result, words)
    elif isinstance(expected, Fought):
        _check_battles(case, expected, result, words)
    elif isinstance(expected, First):
        assert set(result["systems"]) == set(expected.systems), shown
    if isinstance(expected, Ranked | Fought | Agrees) and expected.says:
        _contains("\n".join(_texts(result)) + outcome.err, expected.says)
        if words[0] == "rank":
            _contains(run("check", *_files_of(words, case), *_reading_words(words)).out, expected.says)


def _check_ranking(case: Case, expected: Ranked, result: dict[str, Any], words: tuple[str, ...]) -> None:
    found = dict(zip(result["systems"], result["strength"], strict=True))
    assert found == pytest.approx(dict(expected.means)), found
    assert result["settings"]["n_segments"] == expected.segments
    assert f"{'higher' if expected.higher else 'lower'} is better" in result["unit"]
    table = _in_python(case, words)
    _check_table(table, expected)
    has_runs = "over" in result["settings"]["options"]  # ranked as runs; as scores they are averaged
    assert "--missing" in words or has_runs or table.digest == result["settings"]["data"]
    for frame in _frames(case) if words == case.words else ():
        _check_table(bt.read_scores(frame, name=_stem(case)), expected)
    if expected.trusted or expected.quiet:
        checkup = json.loads(run("check", *_files_of(words, case), *_reading_words(words), "--json").out)
        assert checkup["problems"] == []
        assert not expected.quiet or (checkup["notes"], table.notes) == ([], ())


def _check_table(table: bt.Scores, expected: Ranked) -> None:
    scores = np.asarray(table.values)
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    means = dict(zip(table.systems, complete.mean(axis=1), strict=True))
    assert means == pytest.approx(dict(expected.means)), means
    assert complete.shape[1] == expected.segments
    assert table.higher_is_better == expected.higher
    for (system, segment), value in expected.cells.items():
        place = table.systems.index(system), table.segments.index(segment)
        assert scores[place] == pytest.approx(value)


def _check_battles(case: Case, expected: Fought, result: dict[str, Any], words: tuple[str, ...]) -> None:
    matches = _in_python(case, words)
    systems = matches.systems
    wins = {
        (systems[i], systems[j]): matches.wins()[i, j]
        for i in range(len(systems))
        for j in range(len(systems))
        if matches.wins()[i, j]
    }
    assert wins == pytest.approx(dict(expected.wins)), wins
    assert matches.ties().sum() / 2 == pytest.approx(expected.ties)
    assert result["settings"]["options"]["matches"] == sum(expected.wins.values()) + expected.ties
    if expected.trusted:
        assert run("check", *_files_of(words, case)).code == 0


def _check_agreement(case: Case, expected: Agrees, result: dict[str, Any], words: tuple[str, ...]) -> None:
    found = dict(zip(result["metrics"], result["value"], strict=True))
    assert found == pytest.approx(dict(expected.values), abs=1e-6), found
    assert result["n_segments"] == expected.segments
    assert list(_in_python(case, words).value) == pytest.approx(result["value"])


def _in_python(case: Case, words: tuple[str, ...], *, ranked: bool = False) -> Any:
    """Do in Python what the command does, and return the table that was read."""
    reading, ranking = _arguments(words)
    files = _files_of(words, case)
    source: Any = files[0] if len(files) == 1 else files
    verb = words[0]
    if verb == "meta":
        human = words[words.index("--human") + 1]
        metrics = bt.read_metrics([name for name in files if name != human], **reading)
        truth = bt.read_scores(human)
        return bt.meta_evaluate(metrics, truth, by="pearson", level="segment", significance="none")
    if verb == "report":
        return bt.write_report("in_python.html", *files)
    table = bt.read_matches(source, **reading) if case.holds_matches else bt.read_scores(source, **reading)
    if ranked:
        bt.rank(table, by="bradley_terry" if case.holds_matches else "mean", **ranking)
    return table


def _arguments(words: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of a command as the arguments of the functions that read and rank."""
    reading: dict[str, Any] = {}
    ranking: dict[str, Any] = {}
    for option, value in itertools.pairwise(words):
        if option in READING:
            reading[READING[option]] = value
        elif option in LISTS:
            reading.setdefault(LISTS[option], []).append(value)
        elif option == "--where":
            column, _, wanted = value.partition("=")
            reading.setdefault("where", {}).setdefault(column, []).append(wanted)
        elif option in {"--lower-is-better", "--higher-is-better"}:
            reading["lower_is_better"] = option == "--lower-is-better"
        elif option == "--missing":
            ranking["missing"] = value
    return reading, ranking


def _files_of(words: tuple[str, ...], case: Case) -> list[str]:
    """Return the files in a command; a folder stands for those in it."""
    folders = {name.partition("/")[0] for name in case.files if "/" in name}
    return [
        word
        for word in words
        if word in case.files or word in folders or word.partition("=")[2] in case.files
    ]


def _reading_words(words: tuple[str, ...]) -> list[str]:
    """Return the options that `check` takes as well."""
    shared = {*READING, *LISTS, "--where", "--lower-is-better", "--higher-is-better"} - {"--metric"}
    pairs = [pair for pair in itertools.pairwise(words) if pair[0] in shared]
    return [word for pair in pairs for word in pair]


def _frames(case: Case) -> list[Any]:
    """Return the table as a dict and as a data frame, where the case has it by columns."""
    content = next(iter(case.files.values()))
    if (
        len(case.files) > 1
        or not isinstance(content, Columns)
        or case.words[0] != "rank"
        or case.holds_matches
    ):
        return []
    return [] if len(case.words) > 2 else [dict(content), pd.DataFrame(dict(content))]


def _stem(case: Case) -> str:
    return next(iter(case.files)).partition(".")[0]


def _contains(text: str, words: Words) -> None:
    plain = " ".join(text.split()).casefold()
    for word in words:
        choices = (word,) if isinstance(word, str) else word
        assert any(choice.casefold() in plain for choice in choices), f"none of {choices} in: {plain}"


def _texts(value: object) -> Iterator[str]:
    """Return every text in a result."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in {"command", "signature"}:
                yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _documents(text: str) -> Iterator[str]:
    """Split JSON documents that follow each other."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text.rstrip()):
        _, end = decoder.raw_decode(text, place)
        yield text[place:end]
        place = end + len(text[end:]) - len(text[end:].lstrip())


def _shortened(text: str) -> str:
    """Return the systems and numbers of a result, to be read in a failure."""
    try:
        result = json.loads(next(_documents(text)))
    except (ValueError, StopIteration):
        return text[:500]
    return json.dumps(
        {key: result.get(key) for key in ("systems", "strength", "metrics", "value", "unit", "notes")}
    )
