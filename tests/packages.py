"""Build the wheel and the source archive twice, compare the bytes, and check what is in them: ``make package``."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def built(folder: Path) -> dict[str, str]:
    """Build from a clean copy of the commit; return the digest of each file."""
    source = folder / "source"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True)
    stamp = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=source, check=True, capture_output=True, text=True
    ).stdout.strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": stamp, "TZ": "UTC"}
    target = folder / "dist"
    command = [sys.executable, "-m", "build", "--outdir", str(target), str(source)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(target.iterdir())}


def main() -> int:
    """Build, compare, check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", default="", help="Tag of the release, v and the version.")
    tag = parser.parse_args().tag
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        ours, again = built(Path(first)), built(Path(second))
        if ours != again:
            print(f"The bytes differ between two builds of the same commit: {ours} and {again}.")
            return 1
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        shutil.copytree(Path(first) / "dist", ROOT / "dist")
    files = sorted((ROOT / "dist").iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True)
    wheel = next(path for path in files if path.suffix == ".whl")
    version = wheel.name.split("-")[1]
    if tag and tag != f"v{version}":
        print(f"The tag is {tag}, but the package has version {version}.")
        return 1
    for name, digest in ours.items():
        print(f"{digest}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
