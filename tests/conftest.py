"""What holds for all tests: nothing may leave this machine, and Ctrl-C is heard."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from tests.everyday import examples

# How long an example takes depends on what else the machine does; hangs are caught by pytest-timeout.
settings.register_profile("any machine", deadline=None, max_examples=examples(80))
settings.load_profile("any machine")
# Hypothesis also draws constants that it finds in the source of every loaded module of ours. What a test tries would
# depend on which other files the same worker has collected, and parsing them took 11 s in each worker. There is no
# setting for it; other versions of Hypothesis may not have these names.
if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

# What the tests of these folders share (a server, a browser, reports) is dear: one worker has them all. They, and the
# files that take longest, come first, so that no worker is alone with one of them in the end.
_TOGETHER = ("tests/browser/", "tests/web/", "tests/report/")
# These look at the source of the package, which is parsed once.
_OF_THE_SOURCE = ("tests/test_layers.py", "tests/test_messages.py", "tests/test_reachable.py")
_FIRST = (
    *_TOGETHER,
    "tests/test_docs.py",
    "tests/misreading/",
    "tests/cli/test_commands.py",
    "tests/laws/test_executors.py",
    "tests/oracles/",
    "tests/studies/",
)

_connect = socket.socket.connect
_LOOPBACK = ("127.", "::1", "localhost")


def _only_loopback(self: socket.socket, address: Any) -> None:
    """Connect to this machine, and to nothing else: the package promises that it never uses the network."""
    host = address[0] if isinstance(address, tuple) else ""
    if self.family != getattr(socket, "AF_UNIX", None) and not str(host).startswith(_LOOPBACK):
        raise AssertionError(f"a test tried to reach {host}")
    _connect(self, address)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected out of the sight of the garbage collector, which would walk through it again and again.

    Thousands of tests and their modules stay to the end. Some packages (statsmodels) call the collector themselves.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    places = {start: place for place, start in enumerate(_FIRST)}
    last = len(places)
    items.sort(
        key=lambda item: min(
            (place for start, place in places.items() if item.nodeid.startswith(start)), default=last
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole files to workers, and some folders, so that what their tests share is made once.

    ``--dist=loadgroup`` would do it with marks; pytest-xdist 3.8 writes them where pytest 9.2 does not look, and says
    nothing. ``--dist=loadfile`` knows no folders.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(_OF_THE_SOURCE):
                return _OF_THE_SOURCE[0]
            return next((folder for folder in _TOGETHER if nodeid.startswith(folder)), _file(nodeid))

    return Files(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests in the package only: the tests have none, and each file would be searched by each worker."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_configure() -> None:
    """Guard every connection that a test or the package opens, and listen to Ctrl-C.

    A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests of interruption need it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    socket.socket.connect = _only_loopback  # type: ignore[method-assign]
