"""The version of the installed package, on the ground floor: results, journals and units say it."""

from importlib.metadata import version

__version__ = version("veridyn")
