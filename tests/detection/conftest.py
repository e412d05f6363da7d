"""The root of the checkout on the path, for processes that look ``tests.detection`` up by its name."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
