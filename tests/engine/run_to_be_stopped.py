"""A run that stops after its sixth block until a file called go appears; meant to be killed or interrupted."""

import sys
from pathlib import Path

import engine_blocks

from betterthan.engine.blocks import Job
from betterthan.engine.cache import Cache
from betterthan.engine.run import run


def held_job(folder):
    """The job, in or of this script."""
    return Job(
        name="held",
        function=engine_blocks.held_from_six_on,
        payload=str(folder),
        n_blocks=12,
        digest="held",
        uses="processes",
    )


def main(folder, workers):
    """Run the job as the command line would: Ctrl-C is exit status 130."""
    try:
        run(held_job(folder), workers=int(workers), cache=Cache(Path(folder, "cache"), patience=0))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
