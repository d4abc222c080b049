"""``betterthan``: global options, and errors in one style, ``error:`` and ``hint:``.

An option that is given twice and takes one value is refused: click would keep the last without a word.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import TextIO

import click

from betterthan import __version__, budget, scratch
from betterthan.cli.commands.battles import board_diff, boards, fragility, voters
from betterthan.cli.commands.decisions import gate, plan, watch
from betterthan.cli.commands.figure import figure
from betterthan.cli.commands.files import cache, check, convert, demo, verify
from betterthan.cli.commands.human import human
from betterthan.cli.commands.judges import audit_judge, correct, sample
from betterthan.cli.commands.manual import completion, manual
from betterthan.cli.commands.metrics import meta, quality, tags
from betterthan.cli.commands.pairs import compare, diagnose, explain
from betterthan.cli.commands.ranking import agree, rank
from betterthan.cli.commands.report import report, serve
from betterthan.cli.commands.robustness import calibrate, multiverse
from betterthan.cli.commands.score import ScoreGroup, score
from betterthan.cli.commands.study import study
from betterthan.cli.commands.tasks import board, factors, tradeoffs, variation
from betterthan.cli.options import OWN_PROCESS, add_common
from betterthan.cli.streams import is_reader_gone, silence_stdout
from betterthan.cli.wording import as_typed
from betterthan.errors import BetterThanError, BetterThanWarning
from betterthan.present.printable import printable


class CommandLine(click.Group):
    """A group whose commands, also those of groups within it, take an option with one value once."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write no list of commands: the help text has them all, by question."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after a look for options that are given twice."""
        if not ctx.resilient_parsing:
            _refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)


def _refuse_repeated(command: click.Command, context: click.Context, arguments: Sequence[str]) -> None:
    routed = command.routed(arguments) if isinstance(command, ScoreGroup) else list(arguments)
    _, rest, parameters = command.make_parser(context).parse_args(routed)
    options = [
        parameter
        for parameter in parameters
        if isinstance(parameter, click.Option)
        and not (parameter.multiple or parameter.is_flag or parameter.count)
    ]
    for place, option in enumerate(options):
        if option in options[:place]:
            raise click.UsageError(
                f"{option.opts[-1]} is given twice, and it takes one value. Leave one of the two out.",
                context,
            )
    if isinstance(command, click.Group) and rest:
        name, inner, inner_arguments = command.resolve_command(context, rest)
        if inner is not None:
            with inner.context_class(inner, info_name=name, parent=context) as inner_context:
                _refuse_repeated(inner, inner_context, inner_arguments)


BAD_USE = 2
# Faults of the machine, wherever they come up: no space left, too many files open, a broken disk.
SURROUNDINGS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE)
# Names of files that the system cannot have, or may not look at.
NAMES = (errno.ENAMETOOLONG, errno.EACCES, errno.EPERM)
OWN_FAULT = 70
INTERRUPTED = 130


@click.group(
    cls=CommandLine, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="betterthan %(version)s")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
@click.pass_context
def cli(context: click.Context, *, debug: bool) -> None:
    """Is A better than B, how sure are we, and which metric can we trust?

    \b
    Start here
      demo                               write an example, and work through it
      check scores.csv                   what is in this file, and what is wrong with it?
      diagnose scores.csv                what kind of scores are these?
      serve                              all of this in a browser, on this machine

    \b
    Which system is better?
      rank scores.csv                    which system is best, and how sure are we?
      compare scores.csv [A B]           is A better than B? every pair, or one pair
      explain scores.csv A B             why do two systems compare as they do?
      agree scores.csv                   do mean, median and wins give the same ranking?
      tradeoffs base.jsonl new.jsonl     what if several metrics disagree?
      board results/                     which system is best over many tasks?
      factors runs.csv --system model --system prompt
                                         what does each factor change?

    \b
    Battles: two systems, one vote (rank and compare take them, too)
      boards battles.csv --by language   which system is best in each category?
      board-diff march.csv april.csv     what changed between two snapshots?
      fragility battles.csv              on how few votes does the first place depend?
      voters battles.csv --by judge      whose votes deviate from the board?

    \b
    How much data, and may it ship?
      plan --discordance 0.1             how much data is enough?
      variation runs.csv                 more runs or more items?
      watch votes.csv                    may we stop collecting?
      gate old.jsonl new.jsonl --margin 0.02
                                         may this release ship?

    \b
    Does the answer hold?
      calibrate scores.csv               do tests and intervals hold on data like these?
      multiverse scores.csv "A > B"      does a claim survive every defensible analysis?
      verify result.json scores.csv      can a result be reproduced from its data?
      study --list                       published experiments, reproduced

    \b
    Human judgments and automatic judges
      human da judgments.csv             what do human judgments say, do judges agree?
      audit-judge judge.csv --human labels.csv
                                         can the judge be trusted?
      sample judge.csv --number 50       what should people label?
      correct judge.csv --human labels.csv
                                         which system is best, by a judge and a few labels?

    \b
    Metrics and references
      score --reference ref.txt a.txt b.txt
                                         BLEU, chrF, TER, WER, ROUGE, F1, …
      meta metrics.tsv --human mqm.tsv   which metric can we trust?
      tags gold.tags a.tags b.tags       which system tags words best?
      quality gold.hter a.hter b.hter    which system predicts sentence quality best?

    \b
    Reports, charts and files
      report scores.csv -o report.html   everything in one HTML page
      figure ranking scores.csv -o ranking.pdf
                                         a chart of the answer
      convert scores.csv -o tidy.csv     the same data as a tidy long table
      cache                              show or clear the stored parts of long runs
      completion bash                    complete commands and options in a shell
      manual                             the manual page of all commands

    betterthan COMMAND --help shows the options of a command, with examples.

    Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 a check or gate failed,
    2 incorrect usage or invalid data, 3 a gate is undecided, 70 internal error, 130 interrupted, 143 stopped. Nothing
    is sent over the network.
    """  # noqa: D301  (\b is click's mark for a block that keeps its lines)
    context.ensure_object(dict)["debug"] = debug


for command in (
    agree,
    audit_judge,
    board,
    board_diff,
    boards,
    fragility,
    voters,
    cache,
    calibrate,
    check,
    compare,
    completion,
    convert,
    correct,
    demo,
    diagnose,
    explain,
    factors,
    figure,
    gate,
    human,
    manual,
    meta,
    multiverse,
    plan,
    quality,
    rank,
    report,
    sample,
    score,
    serve,
    study,
    tags,
    tradeoffs,
    variation,
    verify,
    watch,
):
    add_common(command)
    cli.add_command(command)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Write our warnings as one line, without the place in the code that Python adds."""
    if issubclass(category, BetterThanWarning):
        text: str = message.args[0] if isinstance(message, Warning) else message
        click.echo(f"warning: {printable(as_typed(text))}", err=True)
    else:
        _python_shows(message, category, filename, lineno, file, line)


_python_shows = warnings.showwarning


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with the exit code that belongs to the outcome."""
    is_own_process = arguments is None
    if is_own_process:
        warnings.showwarning = _show_warning
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    arguments = [argument for argument in given if argument != "--debug"]  # it may stand anywhere
    if sys.stdout is None:
        # Nothing reads it. The first file that is opened would become standard output, and get what is written there.
        os.open(os.devnull, os.O_WRONLY)
    try:
        code = _run(arguments, is_own_process=is_own_process)
    except click.ClickException as error:
        # Words of a script may come from anywhere.
        click.echo(f"error: {printable(_sentence(error.format_message()))}", err=True)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(f"hint: {error.ctx.command_path} --help lists the options.", err=True)
        code = BAD_USE
    except BetterThanError as error:
        _say(error, debug=debug)
        code = BAD_USE
    except (KeyboardInterrupt, click.Abort):
        kept = (
            "" if "--no-cache" in given else " Finished parts are kept; run the same command again to go on."
        )
        click.echo(f"Interrupted.{kept}", err=True)
        code = INTERRUPTED
    except scratch.Stopped as stopped:
        click.echo("Stopped.", err=True)
        code = 128 + stopped.number
    except MemoryError as error:
        _say(budget.out_of_memory(), debug=debug, cause=error)
        code = BAD_USE
    except Exception as error:  # noqa: BLE001  (the last door: a user must never see a traceback unasked)
        code = _own_fault(error, debug=debug)
    sys.exit(code)


def _run(arguments: list[str], *, is_own_process: bool) -> int:
    """Run a command and return its exit code; what the machine cannot do is no fault of ours."""
    try:
        code = cli.main(
            args=arguments, prog_name="betterthan", standalone_mode=False, obj={OWN_PROCESS: is_own_process}
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit:
        # click leaves so, with 1, when any pipe breaks; here 1 means that a check failed.
        if not is_reader_gone():
            raise
        return 0
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_reader_gone():
            return 0
        if error.errno not in (*SURROUNDINGS, *NAMES):
            raise
        if error.errno in SURROUNDINGS:
            silence_stdout()
        where = error.filename or "A file or standard output"
        raise BetterThanError(f"{where} cannot be read or written ({error.strerror}).") from error
    return code if isinstance(code, int) else 0


def _sentence(text: str) -> str:
    """Return what click says, with a full stop."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _own_fault(error: Exception, *, debug: bool) -> int:
    _say(error, debug=debug)
    click.echo("hint: this is a fault in betterthan, not in your data; --debug shows where.", err=True)
    return OWN_FAULT


def _say(error: Exception, *, debug: bool, cause: Exception | None = None) -> None:
    if debug:
        traceback.print_exception(cause or error)
    code = getattr(error, "code", None)
    if isinstance(error, BetterThanError):
        name, text = "", error.text
    else:
        name, text = f" ({type(error).__name__})", str(error)
    click.echo(f"error{f'[{code}]' if code else ''}{name}: {printable(as_typed(text, cli))}", err=True)
