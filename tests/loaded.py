"""What most workers load: imported once by the process that workers of tests are forked from."""

from importlib import import_module

import numba

for name in (
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.optimize",
    "veridyn.solver.adapters.scipy_adapter",
    "veridyn.solver.exact.solver",
    "veridyn.solver.integrators.kernels.event_driven",
    "veridyn.solver.integrators.modal",
    "veridyn.spreading",
):
    import_module(name)
numba.njit(lambda x: x + 1.0)(1.0)  # the compiler itself, without which no kernel is read from its cache
