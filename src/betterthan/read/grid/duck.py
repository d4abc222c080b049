"""DuckDB, locked to the files it is opened for.

Nothing in a file is trusted: the connection may touch the files it was opened for, cannot load extensions
or reach the network, and cannot be reconfigured by the SQL that runs in it.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan import budget, scratch
from betterthan.errors import OverBudget, ReadError
from betterthan.read.source.source import LONGEST_LINE, Source

if TYPE_CHECKING:
    import duckdb


def connect(source: Source) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that can read `source`'s file and nothing else."""
    return connect_to([source.path])


def connect_to(paths: Iterable[Path]) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that can read and write these files and nothing else.

    Beyond its share of the memory budget the engine spills to a temporary folder, which goes when the connection does.
    """
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    spill = tempfile.mkdtemp(prefix="spill-", dir=scratch.folder())
    connection = duckdb.connect(
        config={
            "temp_directory": spill,
            "max_temp_directory_size": f"{_most_spilled(spill) >> 10}KiB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": f"{budget.engine_memory() >> 10}KiB",
        }
    )
    weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
    connection.execute("SET enable_progress_bar = false")  # it would stand in the middle of the answer
    allowed = ", ".join(path_literal(path) for path in paths)
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _most_spilled(folder: str) -> int:
    """Return how much the engine may write to disk: never so much that nothing is left for others."""
    return min(budget.most_unpacked(), shutil.disk_usage(folder).free // 2)


def scan(function: str, *sources: Source, **options: str) -> str:
    """Return the SQL of a table function over files, read from these files and from nothing in their paths.

    Left to itself, the engine takes a folder called ``score=7`` for a column, whose value replaces the file's own.

    Parameters
    ----------
    function : str
        Such as ``"read_parquet"``.
    *sources : Source
    **options : str
        Further arguments, as SQL.
    """
    paths = ", ".join(path_literal(source.path) for source in sources)
    given = {**options, "hive_partitioning": "false"}
    listed = ", ".join(f"{name} = {value}" for name, value in given.items())
    return f"{function}({paths if len(sources) == 1 else f'[{paths}]'}, {listed})"


def delimited_scan(file: Source, delimiter: str, n_columns: int) -> str:
    """Return the SQL of a regular table of text; its columns are texts called ``c0``, ``c1``, ….

    They are numbered, because the engine does not tell "Left" from "left".
    """
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    return scan(
        "read_csv",
        file,
        auto_detect="false",
        header="true",
        delim=literal(delimiter),
        quote="'\"'",
        escape="'\"'",
        strict_mode="true",
        max_line_size=str(LONGEST_LINE),
        # Left to itself, the engine takes sixteen lines of that length, 256 MB, for any file that is packed.
        buffer_size=str(2 * LONGEST_LINE),
        columns=f"{{{columns}}}",
        compression="'gzip'" if file.is_gzip else "'none'",
    )


def path_literal(path: Path) -> str:
    """Return a path as an SQL string that stands for this file alone.

    The engine reads ``[1]``, ``*`` and ``?`` in a path as a pattern, and has no way to quote them; such a file is
    opened by a link with a plain name.
    """
    path = path.resolve()
    if not _PATTERN & set(str(path)):
        return literal(str(path))
    return literal(str(_link(path)))


_PATTERN = frozenset("*?[")


@functools.cache
def _link(path: Path) -> Path:
    """Return a link to a file; it stays until the process ends, for queries hold its name."""
    link = Path(tempfile.mkdtemp(prefix="link-", dir=scratch.folder())) / "file"
    link.symlink_to(path)
    return link


def literal(text: str) -> str:
    """Return `text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return `name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def is_out_of_memory(error: Exception) -> bool:
    """Whether the engine ran over its memory, or over what it may write to disk for lack of memory."""
    import duckdb  # noqa: PLC0415

    return isinstance(error, MemoryError | duckdb.OutOfMemoryException) or "bad_alloc" in str(error)


def read_error(error: Exception, source: Source) -> ReadError:
    """Turn what DuckDB says about a file into our own sentence, without its advice on its own options."""
    if is_out_of_memory(error):
        return ReadError(budget.out_of_memory().text, path=source.name, code=OverBudget.code)
    first = str(error).split("\n", 1)[0].removesuffix(".")
    return ReadError(f"The file cannot be read as a table ({first}).", path=source.name, code="BT010")
