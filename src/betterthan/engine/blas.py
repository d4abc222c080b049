"""One thread for linear algebra while blocks are shared out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread.

    Workers share the cores already, so threads of BLAS would only crowd them; and the last bits of a matrix product
    depend on how many threads share it, which must not change a result.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  (a job needs it, an import does not)

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limits


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
