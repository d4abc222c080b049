"""DuckDB, locked to one file.

Nothing in a file is trusted: the connection may read the one file it was opened for, cannot load extensions
or reach the network, and cannot be reconfigured by the SQL that runs in it.
"""

from __future__ import annotations

import tempfile
import weakref
from typing import TYPE_CHECKING

from betterthan.errors import ReadError
from betterthan.read.source import Source

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT = "1GB"


def connect(source: Source, *, memory_limit: str = MEMORY_LIMIT) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that can read `source`'s file and nothing else.

    Beyond `memory_limit` the engine spills to a temporary folder, which goes when the connection does.
    """
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    spill = tempfile.TemporaryDirectory(prefix="betterthan-spill-", ignore_cleanup_errors=True)
    connection = duckdb.connect(
        config={
            "temp_directory": spill.name,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": memory_limit,
        }
    )
    connection.execute(f"SET allowed_paths = [{literal(str(source.path.resolve()))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    weakref.finalize(connection, spill.cleanup)
    return connection


def literal(text: str) -> str:
    """Return `text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return `name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def read_error(error: duckdb.Error, source: Source) -> ReadError:
    """Turn what DuckDB says about a file into our own sentence, without its advice on its own options."""
    first = str(error).split("\n", 1)[0].removesuffix(".")
    return ReadError(f"The file cannot be read as a table ({first}).", path=source.name, code="BT010")
