"""Run the command line on thousands of drawn inputs: ``python -m tests.fuzz --runs 20000 --seed 7``.

It prints one line of figures, and every fault with the name of a case; ``--only SEED:NUMBER`` runs and shows one again.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

from tests.fuzz.batches import outcomes


def main():
    """Run, and return 1 where there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", metavar="SEED:NUMBER", help="run this case alone and show it")
    parser.add_argument(
        "--tables", action="store_true", help="show the runs by command, kind of input and damage"
    )
    given = parser.parse_args()
    if given.only:
        return show(given.only)
    seen = Seen()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    with suppress(KeyboardInterrupt):  # what was seen until then is told
        for outcome in outcomes(given.seed, range(given.first, given.first + given.runs)):
            seen.add(outcome)
            for fault in outcome.faults:  # a long run can be followed
                print(f"{outcome.name}  {fault[:300]}", file=sys.stderr, flush=True)  # noqa: T201
            if seen.runs % 500 == 0:
                print(seen.summary(), file=sys.stderr, flush=True)  # noqa: T201
    print(seen.summary())  # noqa: T201
    if given.tables:
        print(seen.tables())  # noqa: T201
    print(seen.faults(), end="")  # noqa: T201
    return int(bool(seen.failed))


class Seen:
    """Counts over many runs."""

    def __init__(self):
        self.begun = time.monotonic()
        self.counts = {what: Counter() for what in ("command", "input", "damage", "code")}
        self.runs = self.total = 0
        self.longest = self.largest = (0, "")
        self.failed = defaultdict(list)

    def add(self, outcome):
        """Count one."""
        self.runs += 1
        self.counts["command"][outcome.command] += 1
        self.counts["input"].update(outcome.kinds)
        self.counts["damage"].update(outcome.damage.split("+"))
        self.counts["code"][str(outcome.code)] += 1
        self.total += outcome.seconds
        self.longest = max(self.longest, (outcome.seconds, outcome.name))
        self.largest = max(self.largest, (outcome.memory, outcome.name))
        for fault in outcome.faults:
            self.failed[signature(fault)].append((outcome, fault))

    def summary(self):
        """One line."""
        n_failed = len({outcome.name for found in self.failed.values() for outcome, _ in found})
        codes = ", ".join(f"exit {code}: {count}" for code, count in sorted(self.counts["code"].items()))
        return (
            f"{self.runs} runs, {n_failed} with a fault ({len(self.failed)} kinds); {codes}; most processor time "
            f"{self.longest[0]:.1f} s ({self.longest[1]}), most memory {self.largest[0] / 2**20:.0f} MB "
            f"({self.largest[1]}); {time.monotonic() - self.begun:.0f} s on the clock"
        )

    def tables(self):
        """Runs by command, kind of input and damage."""
        return "\n".join(
            f"{what}: " + ", ".join(f"{name} {count}" for name, count in counter.most_common())
            for what, counter in self.counts.items()
        )

    def faults(self):
        """Each kind of fault with up to three cases."""
        lines = []
        for found in sorted(self.failed.values(), key=len, reverse=True):
            lines.append(f"{len(found)} × {found[0][1]}\n")
            lines += [
                f"    {outcome.name}  {outcome.damage}  {' '.join(outcome.words)!r}\n"
                for outcome, _ in found[:3]
            ]
        return "".join(lines)


def signature(fault):
    """What is the same about faults of one cause: the place in our code, or the kind of sentence."""
    return fault.rpartition(" at ")[2] if " at " in fault else fault[:45]


def show(name):
    """Run one case in a folder that stays, and print all about it."""
    import tempfile

    seed, _, number = name.rpartition(":")
    folder = Path(tempfile.mkdtemp(prefix="fuzz-case-"))
    for outcome in outcomes(seed, [int(number)], folder):
        print(json.dumps(vars(outcome), indent=1, ensure_ascii=True))  # noqa: T201
        print("files in", folder / "work")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
