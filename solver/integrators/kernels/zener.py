"""Law of the Zener device: spring K1 in series with [K2 beside (K3 in series with a dashpot)].

The force D of the dashpot obeys D' = share u' - yielding z', with the rate z' = sign(D) |D/C|^n of its path. Between
two evaluations u is taken for linear, so that D' = a - b sign(D) |D|^n with constants: solved exactly for n = 1 and 2,
and by two L-stable implicit stages of order 2 otherwise (Alexander, SIAM J. Numer. Anal. 14, 1977).

Constants: see the columns. Memory: instant, elongation and D of the last evaluation.
"""

import math

import numpy as np

from veridyn.solver.integrators.kernels.jit import magnitude, part

STIFFNESS_1, STIFFNESS_2, SHARE, YIELDING, DASHPOT, POWER = range(6)
LAST_T, LAST_U, LAST_D = range(3)
R_DASHPOT, R_PATH = range(2)  # among the internal variables

GAMMA = 1.0 - math.sqrt(0.5)
PASSES = 60  # of Newton's iteration


@part
def relaxed_linear(d, change, rate):
    """Return D after a step for n = 1; ``change`` is share × Δu, ``rate`` is b × step."""
    if rate == 0.0:
        return d + change
    return d * np.exp(-rate) - change * np.expm1(-rate) / rate


@part
def relaxed_square(d, a, b, step):
    """Return D >= 0 after a step for n = 2: a Riccati equation; a < 0 may take it through zero."""
    speed = np.sqrt(magnitude(a) * b)
    if (speed * step).real < 1e-9:  # the limit of the tangents
        turned, inverse = a * step, b * step
    else:
        scale = np.sqrt(magnitude(a) / b)
        until_zero = np.arctan(d / scale) / speed
        if a.real < 0.0 and until_zero.real < step.real:
            return -scale * np.tanh(speed * (step - until_zero))
        # D' = a - b D² is solved by s tanh (or by -s tan, where a < 0), s = √(|a|/b). The addition theorem takes it
        # from D at the start: (D ± s T)/(1 + D T/s), T being the tangent of the step. So no step is too long.
        tangent = np.tanh(speed * step) if a.real > 0.0 else np.tan(speed * step)
        turned, inverse = math.copysign(1.0, a.real) * magnitude(scale * tangent), tangent / scale
    return (d + turned) / (1.0 + d * inverse)


@part
def implicit(s, k, n):
    """Return the root y of y + k sign(y) |y|^n = s, by Newton's iteration from above."""
    size = magnitude(s)
    if size.real == 0.0:
        return s
    # y + k y^n is convex and grows; both bounds of y lie above the root, since neither term exceeds the sum. From above
    # Newton's steps go down to the root and never past it, so that no bracket is needed.
    y = size
    if k.real > 0.0 and ((size / k) ** (1.0 / n)).real < size.real:
        y = (size / k) ** (1.0 / n)
    for _ in range(PASSES):
        step = (y + k * y**n - size) / (1.0 + k * n * y ** (n - 1.0))
        y -= step
        if step.real <= 1e-15 * y.real:
            break
    return math.copysign(1.0, s.real) * y


@part
def relaxed_power(d, change, rate, n):
    """Return D after a step for any n >= 1; ``rate`` is b × step."""
    y = implicit(d + GAMMA * change, GAMMA * rate, n)
    # Two implicit stages with 1 - √½ on the diagonal: order 2, and a stiff dashpot relaxes at once (L-stable). A rate
    # that is explicit would overshoot zero, and the force of the dashpot would alternate.
    slope = (y - d) / GAMMA
    return implicit(d + (1.0 - GAMMA) * slope + GAMMA * change, GAMMA * rate, n)


@part
def relaxed(d, change, b, n, step):
    """Return the force of the dashpot after a step; a step without duration is elastic."""
    if step.real <= 0.0:
        return d + change
    if n.real == 1.0:
        return relaxed_linear(d, change, b * step)
    if n.real == 2.0:
        side = math.copysign(1.0, d.real)
        return side * relaxed_square(magnitude(d), side * change / step, b, step)
    return relaxed_power(d, change, b * step, n)


@part
def zener_force(t, u, constants, memory, internal):
    """Return the force at the elongation u."""
    n = constants[POWER]
    b = constants[YIELDING] / constants[DASHPOT] ** n
    d = relaxed(memory[LAST_D], constants[SHARE] * (u - memory[LAST_U]), b, n, t - memory[LAST_T])
    memory[LAST_T], memory[LAST_U], memory[LAST_D] = t, u, d
    internal[R_DASHPOT] = d
    internal[R_PATH] = (constants[SHARE] * u - d) / constants[YIELDING]
    return (d + constants[STIFFNESS_2] * u) * constants[STIFFNESS_1] / (constants[STIFFNESS_1] + constants[STIFFNESS_2])
