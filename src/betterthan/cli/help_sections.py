"""The help of a command under headings: what it is about first, then what it shares with others."""

from __future__ import annotations

from types import MethodType

import click

ABOUT_FILE = "What the file means"
COMPUTING = "How it is computed"
OUTPUT = "Output and messages"

_SECTIONS = {
    ABOUT_FILE: [
        "format_in",
        "item_column",
        "system_column",
        "score_column",
        "metric_column",
        "group_column",
        "judge_column",
        "run_column",
        "left_column",
        "right_column",
        "winner_column",
        "weight_column",
        "where",
        "ignore",
        "keep",
        "lower_is_better",
        "higher_is_better",
        "duplicates",
        "both_bad",
        "winner_labels",
    ],
    COMPUTING: ["seed", "resamples", "workers", "executor", "no_cache", "memory"],
    OUTPUT: ["format", "output", "as_json", "all_notes", "whole_signature", "color", "quiet", "verbose"],
}
_OF_SCORES = [
    "score_column",
    "metric_column",
    "run_column",
    "ignore",
    "keep",
    "lower_is_better",
    "higher_is_better",
    "duplicates",
]
_OF_BATTLES = ["left_column", "right_column", "winner_column", "both_bad", "winner_labels"]
_NOT_SHOWN = {
    **dict.fromkeys(("boards", "board-diff", "fragility", "voters"), _OF_SCORES),
    **dict.fromkeys(
        [
            "agree",
            "board",
            "calibrate",
            "diagnose",
            "explain",
            "factors",
            "multiverse",
            "tradeoffs",
            "variation",
        ],
        _OF_BATTLES,
    ),
}
"""Options that are accepted everywhere, so that every message is right, but mean nothing to a command."""


def add_sections(command: click.Command) -> None:
    """Show the options of a command under headings, and hide those that mean nothing to it."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name in _NOT_SHOWN.get(command.name or "", ()):
            parameter.hidden = True
    command.format_options = MethodType(_write_sections, command)  # type: ignore[method-assign]


def _write_sections(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    sections: dict[str, list[tuple[str, str]]] = {"Options": [], **{title: [] for title in _SECTIONS}}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            sections[_section(parameter)].append(record)
    for title, records in sections.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _section(parameter: click.Parameter) -> str:
    if "--help" in parameter.opts:
        return OUTPUT
    return next((title for title, names in _SECTIONS.items() if parameter.name in names), "Options")
