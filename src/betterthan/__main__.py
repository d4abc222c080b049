"""``python -m betterthan``: the command line."""

from __future__ import annotations

from betterthan.cli.main import main

if __name__ == "__main__":
    main()
