"""What most workers load: imported once by the process that workers of tests are forked from."""

import numba

import veridyn.solver.adapters.scipy_adapter
import veridyn.solver.exact.solver
import veridyn.solver.integrators.kernels.event_driven
import veridyn.solver.integrators.modal
import veridyn.spreading  # noqa: F401 - all of them are to be loaded

numba.njit(lambda x: x + 1.0)(1.0)  # the compiler itself, without which no kernel is read from its cache
