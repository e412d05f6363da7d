"""The schemes of our solver: every module in this folder is one. To add a scheme, add a module with a ``SCHEME``."""

from importlib import import_module
from pkgutil import iter_modules

from veridyn.solver.integrators.scheme import Scheme
from veridyn.solver.integrators.schemes.central_adaptive import AdaptiveOptions

__all__ = ["SCHEMES", "AdaptiveOptions", "Scheme"]


def _found() -> list[Scheme]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return sorted((module.SCHEME for module in modules), key=lambda scheme: (scheme.place, scheme.name))


SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in _found()}
