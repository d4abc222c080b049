"""Settings of a gate from ``betterthan.toml`` or ``pyproject.toml``: options by their names, and the files.

What is typed on the command line comes first.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from betterthan.cli.streams import say
from betterthan.errors import BetterThanError, unknown_name

_OWN, _PROJECT = "betterthan.toml", "pyproject.toml"
_FILES = "files"
_NOT_HERE = ("help", "config", "show-config", "quiet", "verbose", "only")

Command = Callable[..., Any]


def config_options(command: Command) -> Command:
    """Add ``--config`` and ``--show-config``; the options of the command get the settings of the file as defaults."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:  # noqa: ANN401  (click passes every option by name)
        context = click.get_current_context()
        path = given.pop("config_path")
        if given.pop("show_config"):
            click.echo(shown_settings(context, path), nl=False)
            return 0
        if path is not None and context.default_map:
            say(f"Settings: {path}")
        return command(**given)

    for add in reversed(_OPTIONS):
        wrapped = add(wrapped)
    return wrapped


def _read(context: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    """Return the file with the settings, after making them the defaults of the command; None without one."""
    path = None if context.resilient_parsing else _file(given)
    if path is None:
        return None
    from betterthan.cli.output import COLLECTED

    if COLLECTED in context.meta:  # a command that is verified: its record has every value
        return None
    settings = _settings(path)
    if settings is None:
        if given is not None:
            raise BetterThanError(f'{path} has no table "{_table(path)}" with settings of the gate.')
        return None
    context.default_map = _defaults(context.command, settings, path)
    return str(path)


_OPTIONS = (
    click.option(
        "--config",
        "config_path",
        metavar="TOML",
        is_eager=True,
        callback=_read,
        help="Read files and options from [gate] of this TOML file, or [tool.betterthan.gate] of a pyproject.toml. "
        "[default: betterthan.toml or pyproject.toml in this folder]",
    ),
    click.option(
        "--show-config", is_flag=True, help="Show the settings in force and where each comes from, and exit."
    ),
)


def _file(given: str | None) -> Path | None:
    """Return the file to read: the one that was named, or the first here that has settings."""
    if given is not None:
        if not Path(given).is_file():
            raise BetterThanError(f"{given}: There is no such file. Check the spelling and the folder.")
        return Path(given)
    return next(
        (path for path in map(Path, (_OWN, _PROJECT)) if path.is_file() and _settings(path) is not None), None
    )


def _table(path: Path) -> str:
    return "tool.betterthan.gate" if path.name == _PROJECT else "gate"


def _settings(path: Path) -> Mapping[str, Any] | None:
    try:
        found: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BetterThanError(f"{path} cannot be read ({error}).") from error
    except tomllib.TOMLDecodeError as error:
        raise BetterThanError(f"{path} is not TOML: {error}.") from error
    for name in _table(path).split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is not None and not isinstance(found, Mapping):
        raise BetterThanError(f'"{_table(path)}" in {path} is not a table of settings.')
    return found


def _defaults(command: click.Command, settings: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the settings by the names of the parameters, in the form in which options are typed."""
    options = {_typed(one): one for one in command.params if isinstance(one, click.Option)}
    known = [_FILES, *(name for name in options if name not in _NOT_HERE)]
    defaults: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in known:
            raise unknown_name(f"setting in {path}", name, known)
        if name == _FILES:
            defaults["file"] = tuple(_texts(value, name, path))
            continue
        option = options[name]
        if option.multiple:
            defaults[str(option.name)] = tuple(_texts(value, name, path))
        elif isinstance(value, list | Mapping) or (isinstance(value, bool) != option.is_flag):
            raise BetterThanError(
                f"{name} in {path} must be {'true or false' if option.is_flag else 'one value'}."
            )
        else:
            defaults[str(option.name)] = value if option.is_flag else str(value)
    return defaults


def _typed(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _texts(value: object, name: str, path: Path) -> list[str]:
    """Return several values as they are typed: a list, or a table of names with values."""
    if isinstance(value, Mapping):
        return [f"{key}={one}" for key, one in value.items()]
    several = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in several):
        raise BetterThanError(f"{name} in {path} must be a text or a list of texts.")
    return [str(each) for each in several]


def shown_settings(context: click.Context, path: str | None) -> str:
    """Return every setting in force as TOML, with where it comes from."""
    lines = ["[gate]"]
    parameters = {"file": "files"} | {
        str(one.name): _typed(one) for one in context.command.params if isinstance(one, click.Option)
    }
    for name, typed in parameters.items():
        value = context.params.get(name)
        if typed in _NOT_HERE or value is None or value == () or value is False:
            continue
        source = context.get_parameter_source(name)
        where = {"DEFAULT_MAP": path, "DEFAULT": "default", "ENVIRONMENT": "environment"}.get(
            "" if source is None else source.name, "command line"
        )
        text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
        lines.append(f"{typed} = {text}  # {where}")
    return "\n".join(lines) + "\n"
