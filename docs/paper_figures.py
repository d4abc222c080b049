"""Draw the figures of the papers into docs/papers/figures: python docs/paper_figures.py [NAME...].

They are made of the demo campaign and of what the papers print. Each entry of :data:`STUDIES` is the command that a
reader would type; the pages of the papers print the same commands, which a test compares. Needs the extra ``charts``.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from small_png import shrink

FOLDER = Path(__file__).resolve().parent / "papers" / "figures"

# The page, what follows ``betterthan study``, and the figures that the page shows.
STUDIES = {
    "figure-one": ("paired-evaluation", "figure-one", ("figure-1",)),
    "pairing-triptych": ("paired-evaluation", "pairing-triptych", ("figure-2",)),
    "paired-simulation": (
        "paired-evaluation",
        "paired-simulation --set generator=released --set repeats=3",
        ("figure-3-released",),
    ),
    "paired-disagreement": (
        "paired-evaluation",
        "paired-disagreement --set orders=4",
        ("figure-4a", "figure-4b", "figure-4c"),
    ),
    "tests-agreement": ("paired-evaluation", "tests-agreement", ("figure-6",)),
    "spa-significance": (
        "soft-pairwise-accuracy",
        "spa-significance --set metric=chrF",
        ("figure-1-all", "figure-4-PA-all", "figure-4-SPA-all"),
    ),
    "spa-systems": ("soft-pairwise-accuracy", "spa-systems", ("figure-2",)),
    "spa-segments": (
        "soft-pairwise-accuracy",
        "spa-segments --set metrics=Learned,chrF --quick",
        ("figure-3",),
    ),
    "metric-differences": ("soft-pairwise-accuracy", "metric-differences", ("differences-all",)),
    "hybrid-systems": ("soft-pairwise-accuracy", "hybrid-systems", ("correlations", "reversed")),
    "darr-threshold": ("human-scores", "darr-threshold", ("figure-1",)),
    "tau-variants": ("human-scores", "tau-variants", ("metric-thresholds-all",)),
    "aggregation-grid": (
        "corpus-or-segment",
        "aggregation-grid --quick",
        ("figure-1", "figure-2", "figure-3", "figure-4"),
    ),
    "aggregation-robustness": ("corpus-or-segment", "aggregation-robustness --quick", ("figure-5",)),
    "aggregation-human": ("corpus-or-segment", "aggregation-human --quick", ("table-1",)),
    "aggregation-survey": ("corpus-or-segment", "aggregation-survey", ("table-3",)),
    "tagging-synthetic": ("word-level-quality", "tagging-synthetic", ("fooled",)),
    "tagging-sampling": (
        "word-level-quality",
        "tagging-sampling --set rounds=20 --set schedule=5,10,20,50,100,200,500 --set unit=0.05",
        ("p-values",),
    ),
    "tagging-duel": ("word-level-quality", "tagging-duel --set step=20 --set samples=1000", ("algorithm-1",)),
}


def command(name: str) -> str:
    """Return the command that draws the figures of a study, as the pages print it."""
    return f"betterthan study {STUDIES[name][1]} -o {name} --figures png"


def draw(name: str) -> None:
    """Run one study and keep the figures that a page shows."""
    program = [sys.executable, "-c", "from betterthan.cli.main import main; main()"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*program, *shlex.split(command(name))[1:]],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for figure in STUDIES[name][2]:
            path = FOLDER / f"{name}-{figure}.png"
            path.write_bytes((Path(folder) / name / f"{figure}.png").read_bytes())
            shrink(path)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Draw the figures of the studies named on the command line, or of all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or STUDIES:
        draw(name)


if __name__ == "__main__":
    main()
