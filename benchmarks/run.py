"""Run every benchmark of this folder, each in a process of its own, and say which did not hold.

A benchmark is a script that prints its figures beside the peer's, and exits with 1 when the numbers compared are
not equal or a bound that we promise is broken.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Run the scripts named on the command line, or all of them."""
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")
    failed = []
    for name in names:
        print(f"\n== {name} ==", flush=True)
        start = time.monotonic()
        # One thread of BLAS, as CPU times of one thread are compared.
        environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }
        done = subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False, env=environment)
        print(f"({time.monotonic() - start:.0f} s)", flush=True)
        if done.returncode:
            failed.append(name)
    print(
        f"\n{len(names) - len(failed)} of {len(names)} benchmarks hold"
        + (f"; not: {', '.join(failed)}" if failed else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
