"""Progress as it happens: server-sent events, until the run is somewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from betterthan.web.runs.service import Service

EVERY = 0.25
_STILL_THERE = 40  # silent looks after which a comment keeps the line open


def snapshot(service: Service, run_id: str) -> dict[str, Any]:
    """Return state and progress of a run as plain data; a run that is gone is "deleted"."""
    run = service.runs.get(run_id)
    progress = service.progress(run_id)
    return {
        "state": "deleted" if run is None else run.state,
        "on_the_way": run is not None and run.is_on_the_way,
        "label": progress.label,
        "done": progress.done,
        "total": progress.total,
    }


async def events(request: Request, service: Service, run_id: str) -> AsyncIterator[str]:
    """Yield an event at every change, and end when there is nothing more to come."""
    last, silent = "", 0
    if not service.streams.acquire(blocking=False):
        yield "retry: 5000\n\n"  # too many listen; the page then loads itself again, as it does without a script
        return
    try:
        while not await request.is_disconnected():
            now = await run_in_threadpool(snapshot, service, run_id)
            text = json.dumps(now)
            silent = 0 if text != last else silent + 1
            if text != last:
                yield f"event: progress\ndata: {text}\n\n"
                last = text
            elif silent % _STILL_THERE == 0:
                yield ": still there\n\n"
            if not now["on_the_way"]:
                return
            await asyncio.sleep(EVERY)
    finally:
        service.streams.release()
