"""One BLAS thread while blocks run in parallel."""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Return a context in which BLAS uses one thread.

    Workers already use all cores, so BLAS threads would oversubscribe them; and the last bits of a matrix product
    depend on the number of threads, which must not change a result.

    Contexts may be nested, and may overlap in any way between threads.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    """Reference-counted limit of BLAS to one thread.

    The number of threads is saved when a library is first limited, and the last context restores it: of two threads
    whose contexts overlap, neither ends the limit of the other nor mistakes it for the original number. A library on
    OpenMP has a number for each thread that calls it, so that each thread counts and restores its own.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._libraries: list[Any] = []
        self._n_modules = 0
        self._inside: Counter[int] = Counter()
        self._before: defaultdict[int, dict[str, tuple[Any, int]]] = defaultdict(dict)

    def enter(self) -> None:
        with self._lock:
            # Every context counts, the nested ones too. One that relied on the context around it would be left alone
            # in a thread that outlives that context, and would miss a library that was loaded in between.
            for library in self._loaded():
                before = self._before[_scope(library)]
                before.setdefault(library.filepath, (library, library.get_num_threads()))
                _set_threads(library, 1)
            self._inside.update((_PROCESS, get_ident()))

    def leave(self) -> None:
        with self._lock:
            for scope in (_PROCESS, get_ident()):
                self._inside[scope] -= 1
                if self._inside[scope] <= 0:
                    self._restore(scope)

    def after_fork(self) -> None:
        """Reset in a forked process: active contexts are in the parent and never end here."""
        self._lock = Lock()
        for scope in (_PROCESS, get_ident()):
            self._restore(scope)
        self._inside.clear()
        self._before.clear()

    def _restore(self, scope: int) -> None:
        for library, n_threads in self._before.pop(scope, {}).values():
            _set_threads(library, n_threads)
        del self._inside[scope]

    def _loaded(self) -> list[Any]:
        """The BLAS libraries of this process; looked for, which takes milliseconds, only after new imports."""
        if len(sys.modules) != self._n_modules:
            from threadpoolctl import ThreadpoolController  # noqa: PLC0415  (a job needs it, an import does not)

            self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
            self._n_modules = len(sys.modules)
        return self._libraries


_PROCESS = 0  # no thread has this number


def _scope(library: Any) -> int:  # noqa: ANN401  (a controller of threadpoolctl)
    return get_ident() if getattr(library, "threading_layer", None) == "openmp" else _PROCESS


def _set_threads(library: Any, n_threads: int) -> None:  # noqa: ANN401
    """Set the number of threads, from whichever thread this is.

    threadpoolctl lets only the first thread that set a number change it, and silently ignores all others. The lock of
    :class:`_Limit` serializes access, so that any thread may set it.
    """
    if library.get_num_threads() == n_threads:
        return
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(n_threads)
    if clear is not None:
        clear()


_limit = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.after_fork)


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
