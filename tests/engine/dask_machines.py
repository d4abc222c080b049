"""A Dask scheduler and workers in processes of their own, on the loopback address."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import engine_blocks

SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


class Machines:
    """A scheduler and the workers that were started for it."""

    def __init__(self, folder):
        self.folder, self.processes, self.workers = folder, [], []
        file = folder / "scheduler.json"
        self._start(SCHEDULER, "--host=127.0.0.1", "--port=0", f"--scheduler-file={file}", "--no-dashboard")
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text()):
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"].replace("tcp", "dask")

    def worker(self):
        """Start a worker, which is not replaced when it dies."""
        target = self.address.replace("dask", "tcp")
        options = ("--no-nanny", "--nthreads=1", "--no-dashboard", f"--local-directory={self.folder}")
        self.workers.append(self._start(WORKER, target, *options))

    def kill(self, number):
        """End a worker at once."""
        os.kill(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    def stop(self):
        """End everything that was started."""
        for process in self.processes:
            process.kill()
            process.wait()

    def _start(self, program, *arguments):
        path = os.pathsep.join((str(Path(engine_blocks.__file__).parent), *sys.path))
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": path, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process
