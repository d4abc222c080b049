"""Results of promptfoo: the JSON or JSON lines that ``promptfoo eval -o`` writes, every test with every provider.

A test is identified by its variables and assertions, not by its number: ``--repeat`` writes the same test under several
numbers, and these are repeated runs of one segment, not separate segments.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from betterthan.errors import some_of
from betterthan.read.formats.toolkits.toolkit_json import ScoreRow, odd_shape, reading_of_rows, whole_json
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.source import HEAD_BYTES, Source

FORMAT = Format(
    name="promptfoo",
    kind="scores",
    description="results of promptfoo as JSON or JSON lines: score and pass of every test with every provider",
)
_KEYS = frozenset({"promptIdx", "testIdx", "provider", "score", "success"})
_FAILED = 2
"""What promptfoo writes as failureReason when the provider gave no answer; 1 is a failed assertion."""
_DIGITS = 16
_LONGEST_PROMPT = 60


class _ProviderRun(NamedTuple):
    """One answer to one test: its numbers are missing when the provider failed."""

    item: str
    provider: str
    prompt: str
    scores: Mapping[str, float | None]
    is_failed: bool


def sniff(source: Source) -> Guess | None:
    """Recognize the keys promptIdx and testIdx of a result; a whole file also by its evalId."""
    if source.is_folder or source.is_parquet:
        return None
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] != b"{":
        return None
    if _is_lines(source):
        return Guess(confidence=0.98, because="keys promptIdx, testIdx and provider of promptfoo's results")
    start = head[:4096]
    # The prompts come before the results, so a long file may not show the keys of a result in its beginning.
    shown = b'"promptIdx"' in head or len(source.head) >= HEAD_BYTES
    if b'"evalId"' in start and b'"results"' in start and b'"prompts"' in head and shown:
        return Guess(confidence=0.97, because="keys evalId, results and prompts, as promptfoo writes them")
    return None


def _is_lines(source: Source) -> bool:
    """Whether the first line is a result."""
    try:
        first = json.loads(next((line for line in first_lines(source) if line.strip()), ""))
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() >= _KEYS


def read(source: Source, options: Options) -> Reading:
    """Read the score, the verdict and the named scores of every test, run by run where tests were repeated."""
    guess = sniff(source)
    # Answers are written in order of arrival, which varies between runs.
    results = sorted(_results(source), key=_order)
    runs = [_run(result, source) for result in results]
    systems = _systems(runs)
    cells: dict[tuple[str, str, str], list[float | None]] = {}
    for run, system in zip(runs, systems, strict=True):
        for metric, value in run.scores.items():
            cells.setdefault((run.item, system, metric), []).append(value)
    is_repeated = any(len(values) > 1 for values in cells.values())
    rows, single = _paired(
        [
            ScoreRow(*cell, value, str(number) if is_repeated else "")
            for cell, values in cells.items()
            for number, value in enumerate(values, 1)
        ]
    )
    notes = []
    if single:
        notes.append(
            f"Left out, because they occur in a single test only: {some_of(list(map(quoted, single)), limit=5)}."
        )
    problems = list(_problems(runs, systems, source))
    return reading_of_rows(
        rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"metric of a single test": sum(single.values())},
        notes=[*notes, *(problem.message for problem in problems)],
        problems=problems,
    )


def _results(source: Source) -> Iterator[Any]:
    """Yield the results of a file: they are in results.results, in results, or one per line."""
    if _is_lines(source):
        yield from (result for _, result in numbered_objects(source.lines(), source))
        return
    parsed = whole_json(source)
    for _ in range(2):
        parsed = parsed.get("results") if isinstance(parsed, dict) else parsed
    if not isinstance(parsed, list):
        raise odd_shape("The file has no list of results.", source)
    yield from parsed


def _order(result: Any) -> tuple[int, int]:  # noqa: ANN401  (JSON)
    numbers = [result.get(key) if isinstance(result, dict) else 0 for key in ("promptIdx", "testIdx")]
    first, second = (number if isinstance(number, int) else 0 for number in numbers)
    return first, second


def _run(result: Any, source: Source) -> _ProviderRun:  # noqa: ANN401  (JSON)
    if not isinstance(result, dict):
        raise odd_shape("A result is not an object.", source)
    test = result.get("testCase")
    about = test if isinstance(test, dict) else result
    identity = [about.get("vars", result.get("vars")), about.get("assert")]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
    failed = result.get("failureReason") == _FAILED or (
        "failureReason" not in result and result.get("gradingResult") is None and bool(result.get("error"))
    )
    return _ProviderRun(
        item=digest[:_DIGITS],
        provider=_provider(result.get("provider"), source),
        prompt=_prompt(result.get("prompt")),
        scores=_scores(result, source, is_failed=failed),
        is_failed=failed,
    )


def _provider(provider: Any, source: Source) -> str:  # noqa: ANN401  (JSON)
    names = [provider.get("label"), provider.get("id")] if isinstance(provider, dict) else [provider]
    name = next((name for name in names if isinstance(name, str) and name.strip()), None)
    if name is None:
        raise odd_shape("A result names no provider.", source)
    return name


def _prompt(prompt: Any) -> str:  # noqa: ANN401  (JSON)
    label = prompt.get("label") if isinstance(prompt, dict) else None
    return " ".join(label.split()) if isinstance(label, str) else ""


def _scores(result: Mapping[str, Any], source: Source, *, is_failed: bool) -> dict[str, float | None]:
    """Return the numbers of a result; without an answer there is nothing to score, whatever promptfoo writes."""
    named = result.get("namedScores") or {}
    if not isinstance(named, dict):
        raise odd_shape("The named scores of a result are not an object.", source)
    values = {"score": result.get("score"), "pass": result.get("success"), **named}
    return {name: None if is_failed else _number(name, value, source) for name, value in values.items()}


def _number(name: str, value: Any, source: Source) -> float:  # noqa: ANN401  (JSON)
    number = parse(value)
    if math.isinf(number):
        raise source.error(
            f"The value of {quoted(name)} is not a number: {quoted(str(value), limit=40)}. "
            f"Write it again with the toolkit.",
            code="BT013",
        )
    return number


def _systems(runs: Sequence[_ProviderRun]) -> list[str]:
    """Name each run by its provider, with the prompt where a provider has several."""
    prompts: dict[str, dict[str, int]] = {}
    for run in runs:
        seen = prompts.setdefault(run.provider, {})
        seen.setdefault(run.prompt, len(seen) + 1)
    return [
        run.provider
        if len(prompts[run.provider]) == 1
        else f"{run.provider} prompt {prompts[run.provider][run.prompt]}: {run.prompt[:_LONGEST_PROMPT]}"
        for run in runs
    ]


def _paired(rows: Sequence[ScoreRow]) -> tuple[list[ScoreRow], dict[str, int]]:
    """Return the rows of metrics with several tests, and for each other metric the number of its rows."""
    tests: dict[str, set[str]] = {}
    for row in rows:
        tests.setdefault(row.metric, set()).add(row.item)
    if all(len(items) == 1 for items in tests.values()):
        return list(rows), {}
    paired = [row for row in rows if len(tests[row.metric]) > 1]
    return paired, dict(Counter(row.metric for row in rows if len(tests[row.metric]) == 1))


def _problems(runs: Sequence[_ProviderRun], systems: Sequence[str], source: Source) -> Iterator[Problem]:
    failed: dict[str, int] = {}
    for run, system in zip(runs, systems, strict=True):
        failed[system] = failed.get(system, 0) + run.is_failed
    for system, count in failed.items():
        if count:
            message = (
                f"{count:,} {'test' if count == 1 else 'tests'} of {quoted(system)} ended in an error, so the score is "
                f"missing, not 0. Run again: promptfoo eval --retry-errors."
            )
            yield Problem(code="BT199", place=source.name, message=message)
