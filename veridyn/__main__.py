"""Run the command line: ``python -m veridyn``."""

import sys

from veridyn.cli.start import start

if __name__ == "__main__":
    sys.exit(start())
