"""`python -m everthread` is the console command `everthread`."""

from __future__ import annotations

import sys

from everthread.console import main as run


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run())


if __name__ == "__main__":
    main()
