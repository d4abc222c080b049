"""One thread for linear algebra while blocks are shared out."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


_is_limited: ContextVar[bool] = ContextVar("_is_limited", default=False)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Return a context in which BLAS uses one thread.

    Workers share the cores already, so threads of BLAS would only crowd them; and the last bits of a matrix product
    depend on how many threads share it, which must not change a result.

    Inside another such context nothing is left to do.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    if _is_limited.get():
        yield
        return
    token = _is_limited.set(True)
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()
        _is_limited.reset(token)


class _Limit:
    """One thread of BLAS for as long as anybody in this process wants it.

    How many threads a library had is noted when it is first limited, and the last who goes restores them: of two
    threads whose contexts overlap, neither ends the limit of the other nor takes it for what was there before.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._libraries: list[Any] = []
        self._n_modules = 0
        self._n_inside = 0
        self._before: dict[str, tuple[Any, int]] = {}

    def enter(self) -> None:
        with self._lock:
            self._n_inside += 1
            for library in self._loaded():
                self._before.setdefault(library.filepath, (library, library.get_num_threads()))
                library.set_num_threads(1)

    def leave(self) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                for library, n_threads in self._before.values():
                    library.set_num_threads(n_threads)
                self._before.clear()

    def _loaded(self) -> list[Any]:
        """The BLAS libraries of this process; looked for, which takes milliseconds, only after new imports."""
        if len(sys.modules) != self._n_modules:
            from threadpoolctl import ThreadpoolController  # noqa: PLC0415  (a job needs it, an import does not)

            self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
            self._n_modules = len(sys.modules)
        return self._libraries


_limit = _Limit()


def with_one_blas_thread(verb: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Return `verb` such that BLAS uses one thread while it runs; see :func:`one_blas_thread`.

    Examples
    --------
    >>> with_one_blas_thread(abs)(-3)
    3
    """

    @functools.wraps(verb)
    def wrapped(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        with one_blas_thread():
            return verb(*arguments, **options)

    return wrapped
