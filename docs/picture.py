"""Draw docs/example.png: what the terminal shows, as a picture for the README. Needs Chromium."""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from small_png import labeled, shrink

HERE = Path(__file__).parent
COMMANDS = ("rank human.csv", "explain human.csv Daphne Elm")
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #f6f5f0; }}
pre {{ margin: 28px; padding: 26px 30px; background: #fffefb; color: #1c1c1a; border: 1px solid #ddd9cf;
  border-radius: 10px; font: 15px/1.38 "DejaVu Sans Mono", monospace; width: max-content; }}
b {{ color: #0f6e66; }}
</style><pre>{text}</pre>"""


def said(folder: Path, command: str) -> str:
    """What a command prints, without its notes and signature."""
    program = [sys.executable, "-c", "from betterthan.cli.main import main; main()", *command.split()]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.split("\n") if not line.startswith("  betterthan|")]
    notes = next((i for i, line in enumerate(lines) if line.startswith("  note:")), len(lines))
    body = html.escape("\n".join(lines[:notes]).rstrip())
    return f"<b>$ betterthan {command}</b>\n\n{body}\n"


def printed(folder: Path) -> str:
    """Return what the commands print on the example campaign, which is written into `folder`, as HTML."""
    from betterthan.examples.campaign import campaign  # noqa: PLC0415
    from betterthan.examples.write import write_campaign  # noqa: PLC0415

    write_campaign(folder / "demo", campaign())
    return "\n".join(said(folder / "demo", command) for command in COMMANDS)


def main() -> None:
    """Run the commands in a temporary folder, and take the picture; it carries its text, which a test compares."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("Chromium is needed to draw the picture.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = printed(folder)
        page = folder / "page.html"
        page.write_text(PAGE.format(text=text), encoding="utf-8")
        height = 120 + 21 * text.count("\n")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-background-networking",
        ]
        picture = [f"--screenshot={HERE / 'example.png'}", f"--window-size=1010,{height}", page.as_uri()]
        subprocess.run([browser, *options, f"--user-data-dir={folder / 'profile'}", *picture], check=True)
        shrink(HERE / "example.png")
        (HERE / "example.png").write_bytes(labeled((HERE / "example.png").read_bytes(), text))


if __name__ == "__main__":
    main()
