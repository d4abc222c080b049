"""How many requests a second the web app answers: pages of finished runs, asked at a steady rate.

The requests leave by the clock and not when the one before was answered, so a slow server cannot slow down those
who ask. Run it with ``python benchmarks/web_load.py --seconds 60``.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field

CONNECTIONS = 32


@dataclass
class Tally:
    """What came back: how long each answer took, what it was, how much it weighed."""

    seconds: list[float] = field(default_factory=list)
    status: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    n_bytes: int = 0


def asked(address: str, path: str, data: bytes | None = None) -> dict:
    """Ask the API once."""
    request = urllib.request.Request(address + path, data=data, headers={"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310  (this machine)
        return json.loads(answer.read())


def finished(address: str, example: str) -> str:
    """Make the report of an example and return the run's id."""
    run_id = asked(address, f"/api/v1/examples/{example}", b"")["id"]
    settle(address, run_id)
    asked(address, f"/api/v1/runs/{run_id}/start", b"{}")
    state = settle(address, run_id)
    if state != "done":
        raise SystemExit(f"The run of the example ended as {state}.")
    return run_id


def settle(address: str, run_id: str) -> str:
    """Wait until a run is not on the way any more."""
    while True:
        state = asked(address, f"/api/v1/runs/{run_id}")["state"]
        if state not in {"looking", "waiting", "running"}:
            return state
        time.sleep(0.1)


# A pair of systems of each example, for its page and the list behind it.
PAIRS = {
    "scores": ("Aster", "Birch"),
    "battles": ("Aster", "Birch"),
    "texts": ("Aster", "Birch"),
    "tags": ("Finch", "Wren"),
}


def pages(runs: dict[str, str]) -> list[str]:
    """Pages of finished runs, as a reader and a program would ask for them."""
    scores = runs["scores"]
    found = ["/", *(f"/runs/{scores}{suffix}" for suffix in (".json", ".csv", ".tex", "/manage"))]
    for kind, run_id in runs.items():
        a, b = PAIRS[kind]
        found += [
            f"/runs/{run_id}",
            f"/runs/{run_id}/pairs/{a}/{b}",
            f"/runs/{run_id}/items?a={a}&b={b}&order=largest",
        ]
    return found


async def caller(host: str, port: int, queue: asyncio.Queue[tuple[float, str] | None], tally: Tally) -> None:
    """Ask over one connection that stays open, one request after the other."""
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 22)
    while (wanted := await queue.get()) is not None:
        due, path = wanted
        head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept-Encoding: gzip\r\n\r\n"
        try:
            writer.write(head.encode())
            status, body = await asyncio.wait_for(answer(reader), 30)
            tally.status[status] += 1
            tally.n_bytes += len(body)
            tally.seconds.append(time.perf_counter() - due)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            tally.faults[type(error).__name__] += 1
            writer.close()
            reader, writer = await asyncio.open_connection(host, port, limit=1 << 22)
    writer.close()


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Read one answer whole."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    body = await reader.readexactly(int(fields["content-length"]))
    if fields.get("content-encoding") == "gzip" and body[:2] != gzip.compress(b"")[:2]:
        raise OSError("not packed as it says")
    return int(lines[0].split()[1]), body


async def load(host: str, port: int, paths: list[str], rate: float, seconds: float) -> Tally:
    """Send requests by the clock and wait for all answers."""
    tally, queue = Tally(), asyncio.Queue()
    callers = [asyncio.create_task(caller(host, port, queue, tally)) for _ in range(CONNECTIONS)]
    begin = time.perf_counter()
    for number in range(round(rate * seconds)):
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        queue.put_nowait((due, paths[number % len(paths)]))
    for _ in callers:
        queue.put_nowait(None)
    await asyncio.gather(*callers)
    return tally


def main() -> None:
    """Serve, load, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=200.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="betterthan-load-") as folder:
        program = "from betterthan.cli.main import main; main()"
        command = [sys.executable, "-c", program, "serve", "--no-token", "--port", "0", "--folder", folder]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            address = server.stderr.readline().split()[2].removesuffix("/")
            runs = {example: finished(address, example) for example in PAIRS}
            host, port = address.removeprefix("http://").split(":")
            paths = pages(runs)
            for path in paths:  # once, so that a pair is made
                with urllib.request.urlopen(address + path, timeout=60):  # noqa: S310
                    pass
            begin = time.perf_counter()
            tally = asyncio.run(load(host, int(port), paths, given.rate, given.seconds))
            show(tally, time.perf_counter() - begin, given.rate)
        finally:
            server.terminate()
            server.wait(20)
    if tally.faults or set(tally.status) != {200}:
        raise SystemExit(1)


def show(tally: Tally, seconds: float, rate: float) -> None:
    """Print the figures."""
    ordered = sorted(tally.seconds)
    middle, late, latest = (
        1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.99, 1)
    )
    print(f"asked for   {rate:.0f} requests a second")
    speed = f"{len(ordered) / seconds:.0f} a second, {tally.n_bytes / seconds / 1e6:.1f} MB/s"
    print(f"answered    {len(ordered):,} in {seconds:.1f} s: {speed}")
    print(f"waited      median {middle:.1f} ms, 99 of 100 under {late:.0f} ms, longest {latest:.0f} ms")
    print(f"status      {dict(tally.status)}, faults {dict(tally.faults) or 'none'}")


if __name__ == "__main__":
    main()
