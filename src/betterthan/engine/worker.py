"""The inside of a worker process: one job comes in, then block numbers; results go out.

The process talks over its standard input and output, and ends at once, even in the middle of a block, when
its input is closed: an orphan does not go on computing for nobody. A message is its length in eight bytes,
then its content: the job as a pickle, then block numbers; back come pickles. Both ends are the same program
of the same user.
"""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, NoReturn

from betterthan.engine.blas import one_blas_thread


def send(channel: BinaryIO, message: bytes) -> None:
    """Write one message."""
    channel.write(len(message).to_bytes(8, "little"))
    channel.write(message)
    channel.flush()


def receive(channel: BinaryIO) -> bytes:
    """Read one message.

    Raises
    ------
    EOFError
        If the other end was closed before the message was complete.

    Examples
    --------
    >>> import io
    >>> channel = io.BytesIO()
    >>> send(channel, b"block 7")
    >>> receive(io.BytesIO(channel.getvalue()))
    b'block 7'
    """
    size = int.from_bytes(_exactly(channel, 8), "little")
    return _exactly(channel, size)


def serve() -> NoReturn:
    """Be a worker process: do blocks of one job until the input is closed."""
    requests, answers = _private_channels()
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()
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


def _exactly(channel: BinaryIO, size: int) -> bytes:
    data = channel.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _private_channels() -> tuple[BinaryIO, BinaryIO]:
    """Move the conversation away from standard input and output, where a block may read or print."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def _listen(requests: BinaryIO, inbox: SimpleQueue[bytes]) -> None:
    try:
        while True:
            inbox.put(receive(requests))
    except EOFError:
        os._exit(0)  # the main thread may be deep in a block


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
