"""One thread for linear algebra while blocks are shared out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


_is_limited: ContextVar[bool] = ContextVar("_is_limited", default=False)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Return a context in which BLAS uses one thread.

    Workers share the cores already, so threads of BLAS would only crowd them; and the last bits of a matrix product
    depend on how many threads share it, which must not change a result.

    Inside another such context nothing is left to do, and to look for the libraries again would take milliseconds.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    if _is_limited.get():
        yield
        return
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  (a job needs it, an import does not)

    token = _is_limited.set(True)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _is_limited.reset(token)


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
