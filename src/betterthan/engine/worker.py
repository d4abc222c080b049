"""The inside of a worker process: one job comes in, then block numbers; results go out.

The process ends at once, even in the middle of a block, when its parent closes the channel. Messages are the job as
a pickle, then block numbers; back come pickles.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, NoReturn

from betterthan.engine.blas import one_blas_thread
from betterthan.engine.child import end_with_parent, private_channels, send


def serve() -> NoReturn:
    """Be a worker process: do blocks of one job until the input is closed."""
    requests, answers = private_channels()
    inbox: SimpleQueue[bytes] = SimpleQueue()
    end_with_parent(requests, inbox.put)
    function, payload = _opened(inbox.get())
    with one_blas_thread():
        _work(function, payload, inbox, answers)


def _work(
    function: Callable[[Any, int], Any],
    payload: Any,  # noqa: ANN401
    inbox: SimpleQueue[bytes],
    answers: BinaryIO,
) -> NoReturn:
    while True:
        send(answers, _answer(function, payload, int(inbox.get())))


def rebuilt(kind: type[BaseException], arguments: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    """Make an exception again without its constructor, which may ask for more than it handed to its parent.

    Examples
    --------
    >>> from betterthan.errors import MissingExtra
    >>> error = MissingExtra("A chart", extra="charts")
    >>> rebuilt(type(error), error.args, vars(error)).extra
    'charts'
    """
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    vars(error).update(state)
    return error


def _opened(task: bytes) -> tuple[Callable[[Any, int], Any], Any]:
    """The function and payload of a job; one that cannot be opened answers every block with the reason."""
    try:
        function, payload = pickle.loads(task)  # noqa: S301  (from our own parent process)
    except Exception as error:  # noqa: BLE001  (whatever it is, it belongs to the caller)
        return _refuse, error
    return function, payload


def _refuse(reason: Exception, block: int) -> NoReturn:  # noqa: ARG001  (called as any block is)
    raise reason


def _answer(function: Callable[[Any, int], Any], payload: object, block: int) -> bytes:
    """A pickle of the result and None, or of None and the exception."""
    try:
        return pickle.dumps((function(payload, block), None))
    except BaseException as error:  # noqa: BLE001  (whatever it is, it belongs to the caller)
        error.add_note("In a worker process:\n" + "".join(traceback.format_tb(error.__traceback__)))
        return _failure(error)


def _failure(error: BaseException) -> bytes:
    """The exception itself if it survives the journey, else its likeness, else its text."""
    for likeness in (error, _Likeness(error)):
        with suppress(Exception):
            packed = pickle.dumps((None, likeness))
            pickle.loads(packed)  # noqa: S301  (made in the line above)
            return packed
    return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))


class _Likeness:
    """Pickles as the exception it was made from."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Callable[..., BaseException], tuple[Any, ...]]:
        return rebuilt, (type(self._error), self._error.args, vars(self._error))
