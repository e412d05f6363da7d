"""Local nonlinear devices: each acts on one local coordinate u (the elongation) by a law, which this file finds.

A law is a function of the instant, the elongation, its rate, the constants of the device and its memory; it returns the
force, moves the memory on to this instant and writes its internal variables into the record, from R_INTERNAL on. The
memory is a row that a step restores before it is tried again. What rates need is kept there: the instant and the
elongation of the last evaluation, between which the elongation is taken for linear.
"""

from veridyn.solver.integrators.kernels.buckling_stop import buckling_force
from veridyn.solver.integrators.kernels.jit import called
from veridyn.solver.integrators.kernels.piecewise_law import piecewise_force
from veridyn.solver.integrators.kernels.zener import zener_force

# columns of device_index: law, row of the elongation, first constant and the one after the last
LAW, ROW, FIRST, LAST = range(4)
COLUMNS = 4
# laws
NONLINEAR_SPRING, BUCKLING_STOP, ZENER, NONLINEAR_DAMPER = range(4)
# columns of the record of a device
R_FORCE, R_ELONGATION, R_INTERNAL = range(3)
# numbers that a law may remember
STATES = 7


@called
def device_force(t, law, u, rate, constants, memory, record):
    """Return the force of a device at an instant, at the elongation u and its rate; every call runs the law."""
    force = 0.0
    if law == NONLINEAR_SPRING:
        force = piecewise_force(u, constants)
    elif law == BUCKLING_STOP:
        force = buckling_force(u, constants, memory, record[R_INTERNAL:])
    elif law == ZENER:
        force = zener_force(t, u, constants, memory, record[R_INTERNAL:])
    elif law == NONLINEAR_DAMPER:
        force = piecewise_force(rate, constants)
        record[R_INTERNAL] = rate
    record[R_FORCE] = force
    record[R_ELONGATION] = u
    return force
