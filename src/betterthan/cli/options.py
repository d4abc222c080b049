"""Options that several commands share: what is in the file, how it is computed, where the answer goes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_RESAMPLES, MOST_WORKERS
from betterthan.cli.help_sections import add_sections
from betterthan.cli.streams import QUIET, log_to_stderr
from betterthan.errors import BetterThanError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from betterthan.read.protocol import Options

Command = Callable[..., Any]

_ROLES = ("item", "score", "metric", "group", "judge", "run", "left", "right", "winner", "weight")
OWN_PROCESS = "own process"
"""Where the context says whether the process belongs to the command line."""
_FILES = ("FILE", "FOLDER", "GOLD", "RESULT", "SYSTEMS")
FORMATS = ("table", "markdown", "latex", "csv", "tsv", "json", "jsonl", "html")


def reading_options(command: Command) -> Command:
    """Add the options that say what a file means; the command gets them as `options` and `format_in`."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:  # noqa: ANN401  (click passes every option by name)
        return command(options=_collected(given), **given)

    return _with(wrapped, _READING)


def _with(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for add in reversed(options):
        command = add(command)
    return command


def _collected(given: dict[str, Any]) -> Options:
    from betterthan.read.formats.battles.winner_labels import parse_winner_labels
    from betterthan.read.grid.selection import parse_conditions
    from betterthan.read.protocol import Options

    columns = {role: name for role in _ROLES if (name := given.pop(f"{role}_column")) is not None}
    systems = given.pop("system_column")
    if len(systems) == 1:
        columns["system"] = systems[0]
    return Options(
        columns=columns,
        factors=systems if len(systems) > 1 else (),
        lower_is_better=frozenset(given.pop("lower_is_better")),
        higher_is_better=frozenset(given.pop("higher_is_better")),
        duplicates=given.pop("duplicates"),
        both_bad=given.pop("both_bad"),
        winner_labels=parse_winner_labels(given.pop("winner_labels")),
        where=parse_conditions(given.pop("where")),
        ignore_columns=given.pop("ignore"),
        keep_columns=given.pop("keep"),
    )


def _column(role: str, text: str) -> Callable[[Command], Command]:
    return click.option(f"--{role}", f"{role}_column", metavar="COLUMN", help=text)


_READING = (
    click.option("--format-in", metavar="FORMAT", help="Layout of the file, if it is not recognized."),
    _column("item", "Column with the id of the segment."),
    click.option(
        "--system",
        "system_column",
        multiple=True,
        metavar="COLUMN",
        help="Column with the name of the system. Repeat if several columns define it, such as model and prompt.",
    ),
    _column("score", "Column with the score."),
    click.option(
        "--metric-column", "metric_column", metavar="COLUMN", help="Column with the name of the metric."
    ),
    _column("group", "Column with the document of the segment."),
    _column("judge", "Column with the judge."),
    _column("run", "Column that numbers repeated runs, such as seed. [default: found where rows repeat]"),
    _column("left", "Column with the first system of a battle."),
    _column("right", "Column with the second system of a battle."),
    _column("winner", "Column with the winner of a battle."),
    _column("weight", "Column with the weight of a row."),
    click.option(
        "--where",
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Keep only rows with this value; for a folder, lp=en-de or level=doc. Repeat for several.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="COLUMN",
        help="A column that does not contain the scores of a system. Repeat for several.",
    ),
    click.option(
        "--keep",
        multiple=True,
        metavar="COLUMN",
        help="A column that contains the scores of a system, whatever its name or values. Repeat for "
        "several.",
    ),
    click.option(
        "--lower-is-better",
        multiple=True,
        metavar="METRIC",
        help="Lower values of this metric are better. Repeat for several.",
    ),
    click.option(
        "--higher-is-better",
        multiple=True,
        metavar="METRIC",
        help="Higher values of this metric are better. Repeat for several.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["raise", "first", "last", "mean"]),
        default="raise",
        show_default=True,
        help="What to do if a system has two scores for a segment.",
    ),
    click.option(
        "--both-bad",
        type=click.Choice(["tie", "drop"]),
        default="tie",
        show_default=True,
        help='How to count "both bad" votes.',
    ),
    click.option(
        "--winner-label",
        "winner_labels",
        multiple=True,
        metavar="LABEL=MEANING",
        help="Meaning of a winner label: left, right, tie or both_bad, such as 1=left. Repeat for several.",
    ),
)


def output_options(command: Command) -> Command:
    """Add the options on how an answer is written; the command returns results to show."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> int:  # noqa: ANN401
        place = {
            name: given.pop(name)
            for name in ("format", "output", "as_json", "color", "all_notes", "whole_signature")
        }
        from betterthan.cli.output import Answer, check_place, emit_all

        check_place(**place)
        results = command(**given)
        return emit_all(results if isinstance(results, list | Answer) else [results], **place)

    return _with(wrapped, _OUTPUT)


_OUTPUT = (
    click.option("-f", "--format", type=click.Choice(FORMATS), help="Output format. [default: table]"),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Output file; the suffix selects the format, and - is standard output.",
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option(
        "--notes",
        "all_notes",
        is_flag=True,
        help="Show all notes below a table, not only the most important ones.",
    ),
    click.option(
        "--signature", "whole_signature", is_flag=True, help="Show the full signature below a table."
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Use color only on a terminal (auto), always, or never.",
    ),
)


def units_option(command: Command) -> Command:
    """Add ``--units``: the units that are resampled or permuted."""
    return click.option(
        "--units",
        type=click.Choice(["auto", "segments", "groups"]),
        default="auto",
        show_default=True,
        help="Units that are resampled or permuted: segments, or whole documents (groups); auto uses "
        "documents if they are known.",
    )(command)


def over_option(command: Command) -> Command:
    """Add ``--over``: what answers about repeated runs generalize to."""
    return click.option(
        "--over",
        type=click.Choice(["items and runs", "items", "runs"]),
        default="items and runs",
        show_default=True,
        help="What conclusions about repeated runs generalize to: other items and runs, only other "
        "items, or only other runs.",
    )(command)


class GuessingChoice(click.Choice[str]):
    """A choice whose error names the option that was probably meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return what can be chosen, with the nearest choice first."""
        near = get_close_matches(str(value).casefold().replace("_", "-"), self.choices, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        return f"{super().get_invalid_choice_message(value, ctx)}{guess}"


class AggregationName(GuessingChoice):
    """A name of an aggregation, or pass@K or pass^K of repeated runs."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the name as it was typed."""
        if str(value).startswith("pass"):
            from betterthan.analysis.compare.compare_runs import pass_rule

            if pass_rule(value) is not None:
                return str(value)
        return super().convert(value, param, ctx)


def battle_options(command: Command) -> Command:
    """Add ``--cluster`` and ``--covariate``; the command gets `cluster` and `covariates`."""
    return _with(command, _BATTLES)


_BATTLES = (
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="Treat battles with the same value in this column as one cluster; none treats them as "
        "independent. [default: the judge or session column, if there is one]",
    ),
    click.option(
        "--covariate",
        "covariates",
        multiple=True,
        metavar="COLUMN",
        help="Adjust Bradley–Terry for this property of battles: a column of differences, or two "
        "columns such as len_a-len_b. Repeat for several.",
    ),
)


def memory_size(value: str) -> int:
    """Return an amount of memory, such as 4GB, in bytes."""
    from betterthan.budget import parse_size
    from betterthan.cli.wording import as_typed

    try:
        return parse_size(value)
    except BetterThanError as error:
        raise click.BadParameter(as_typed(error.text)) from error


class FileName(click.types.StringParamType):
    """A text that names a file or folder; the shell completes it."""

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return a request to complete names of files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


def _names_files(parameter: click.Parameter) -> bool:
    shown = parameter.metavar or (parameter.name or "" if isinstance(parameter, click.Argument) else "")
    return parameter.type is click.STRING and any(word in shown.upper() for word in _FILES)


def add_common(command: click.Command) -> None:
    """Add ``--quiet``, ``--verbose`` and, unless it has one of its own, ``--memory`` to every command.

    What is shown as a file in the help becomes a text that the shell completes with names of files, and an unknown
    choice suggests the nearest one.
    """
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_common(each)
        return
    for parameter in command.params:
        if _names_files(parameter):
            parameter.type = FileName()
        elif type(parameter.type) is click.Choice:
            parameter.type = GuessingChoice(
                parameter.type.choices, case_sensitive=parameter.type.case_sensitive
            )
    for names, callback, help_text in _LOUDNESS:
        command.params.append(
            click.Option(names, is_flag=True, expose_value=False, callback=callback, help=help_text)
        )
    if all("--memory" not in option.opts for option in command.params):
        command.params.append(
            click.Option(
                ["--memory"],
                type=memory_size,
                metavar="SIZE",
                expose_value=False,
                callback=_limit_memory,
                help="Memory budget, such as 4GB. [default: BETTERTHAN_MEMORY, or half of the free memory]",
            )
        )
    add_sections(command)


def _be_quiet(context: click.Context, _option: click.Parameter, given: bool) -> None:  # noqa: FBT001  (click's call)
    if given:
        context.meta[QUIET] = True


def _be_verbose(context: click.Context, _option: click.Parameter, given: bool) -> None:  # noqa: FBT001
    if given and not context.resilient_parsing:
        log_to_stderr(context)


_LOUDNESS = (
    (
        ["-q", "--quiet"],
        _be_quiet,
        "Show only the answer and errors: no notes and no progress on standard error.",
    ),
    (["-v", "--verbose"], _be_verbose, "Show on standard error which files are read and what is computed."),
)


def _limit_memory(context: click.Context, _option: click.Parameter, size: int | None) -> None:
    from betterthan import budget, scratch

    if context.resilient_parsing:  # the shell asks what could be typed next
        return
    if size is not None:
        budget.limit_memory(size)
    scratch.remove_leftovers()
    if (context.find_root().obj or {}).get(OWN_PROCESS):
        scratch.stop_cleanly()
        budget.enforce()
    elif size is not None:  # a process that is somebody else's, such as that of the tests
        context.call_on_close(lambda: budget.limit_memory(None))


alpha_option = click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Significance level."
)
confidence_option = click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of the intervals."
)


def computing_options(command: Command) -> Command:
    """Add ``--seed``, ``--resamples``, ``--workers``, ``--executor`` and ``--no-cache``."""
    return _with(command, _COMPUTING)


def _on_cluster(context: click.Context, _option: click.Parameter, address: str | None) -> None:
    """Connect until the command ends."""
    if address is None or context.resilient_parsing:
        return
    from betterthan.engine.cluster import working_on

    context.meta[_CLUSTER] = address
    _refuse_both(context, context.params.get("workers"))
    context.with_resource(working_on(address))


def _counted(context: click.Context, _option: click.Parameter, workers: int | None) -> int | None:
    _refuse_both(context, workers)
    return workers


def _refuse_both(context: click.Context, workers: int | None) -> None:
    """Raise when workers of this machine are counted, although a cluster does the work."""
    from click.core import ParameterSource

    was_typed = context.get_parameter_source("workers") is ParameterSource.COMMANDLINE
    if workers is not None and was_typed and _CLUSTER in context.meta:
        raise click.UsageError("--workers has no effect with --executor: the cluster has its own workers.")


def workers_options(command: Command) -> Command:
    """Add ``--workers`` and ``--executor``."""
    return _with(command, _WORKERS)


_CLUSTER = "address of the cluster"
_WORKERS = (
    click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        default=None,
        envvar="BETTERTHAN_WORKERS",
        callback=_counted,
        help="Number of parallel workers; it does not affect the results. [default: all cores]",
    ),
    click.option(
        "--executor",
        metavar="ADDRESS",
        envvar="BETTERTHAN_EXECUTOR",
        expose_value=False,
        callback=_on_cluster,
        help="Compute on a Dask cluster: dask://HOST:PORT, or dask://local for worker processes of this machine. "
        "It does not affect the results.",
    ),
)
_COMPUTING = (
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=12345,
        envvar="BETTERTHAN_SEED",
        show_default=True,
        help="Seed of the random draws.",
    ),
    click.option(
        "--resamples",
        type=click.IntRange(1, MOST_RESAMPLES),
        default=None,
        help="Number of resamples. [default: depends on the method]",
    ),
    *_WORKERS,
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of finished work."),
)


def is_changed(name: str) -> bool:
    """Whether an option of the running command has another value than by default.

    A record of a command names all values, so that having been typed says nothing.
    """
    context = click.get_current_context()
    option = next(one for one in context.command.params if one.name == name)
    value = context.params[name]
    # An option that may be repeated and was not given is an empty tuple.
    return bool(value not in (None, ()) and value != option.get_default(context))


def missing_option(help: str, *more: str) -> Callable[[Command], Command]:  # noqa: A002  (as click calls it)
    """Declare ``--missing``: to raise, to drop, or one of `more`."""
    choices = click.Choice(["raise", "drop", *more])
    return click.option("--missing", type=choices, default="raise", show_default=True, help=help)


def metric_option(help: str, *, multiple: bool = False) -> Callable[[Command], Command]:  # noqa: A002
    """Declare ``--metric``: the metric of the files that is meant, or several of them."""
    return click.option("--metric", multiple=multiple, metavar="NAME", help=help)


def only_option(help: str) -> Callable[[Command], Command]:  # noqa: A002
    """Declare ``--only``: the systems that take part; the command gets them as `systems`."""
    return click.option("--only", "systems", multiple=True, metavar="SYSTEM", help=help)
