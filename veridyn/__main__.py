"""Run the command line: ``python -m veridyn``."""

import sys

from veridyn.cli.main import main

sys.exit(main())
