"""A mass that rubs on a shaken plane, in closed form: from event to event without integration.

In the time τ = ωt and the velocity unit a0/ω everything depends on η = μ g/a0 = cos α. Instants are counted from the
peaks of the acceleration at (k + 1/2)π: slip k begins at −β, |β| <= α, and a time s later the relative velocity is
(all signs changed for odd k)

    w(s) = (η − cos β) s + cos β (s − sin s) − sin β (1 − cos s),

first negative. In stick-slip all slips begin at β = α and end where w returns to zero; in slip-slip they end where
the next one begins, s = π + β − β', so that η (π + β − β') = sin β + sin β'. Either equation has one root in its
bracket, and no slip ends elsewhere; break-away is the arcsine of η itself. Differences are formed so that digits do
not cancel: near η = 1 a slip is short, s = 3 tan α, and its path is of the order of α⁴.

Source of the equations: EDF validation manual V5.01.104; B. Westermo and F. Udwadia, Earthquake Engineering and
Structural Dynamics 11 (1983) 135-146.
"""

import math

import numba

from veridyn.solver.integrators.kernels.jit import called, kernel, part, threaded

# regimes
STICK, STICK_SLIP, SLIP_SLIP = 0, 1, 2
# rows of the parameters
A0, MU, G, M, OMEGA, T_START, T_END = range(7)

PI_REST = 1.2246467991473532e-16  # π less its double
CRITICAL = 0.5370292721463151  # η* = 2/√(π² + 4), where stick-slip passes into slip-slip
CRITICAL_REST = -5.1791661021451597e-17  # η* less its double
SPLIT = 134217729.0  # 2²⁷ + 1
MOST_STEPS = 60  # of Newton's method; about four are needed
QUADRATIC = 3e-9  # relative; the error after a step is its square
LEFT_OUT = 1e-17  # absolute, of a phase
REPEATS = 1e-15  # two slips whose phases are this near are the same


@part
def two_product(a, b):
    """Return a b as the sum of two doubles, exactly (Dekker)."""
    product = a * b
    # Halves of 26 bits: their products are exact in a double. It holds only if no product and sum are fused into one
    # operation, so that the kernel must not be compiled with contraction.
    big, other = SPLIT * a, SPLIT * b
    a_high, b_high = big - (big - a), other - (other - b)
    a_low, b_low = a - a_high, b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


@part
def sine_rest(s):
    """Return s − sin s without cancellation."""
    if abs(s) > 1.0:
        return s - math.sin(s)
    q = s * s
    tail = 1.0 - q / 156.0 * (1.0 - q / 210.0 * (1.0 - q / 272.0 * (1.0 - q / 342.0)))
    return s * q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * tail))))


@part
def cosine_rest(s):
    """Return s²/2 − 1 + cos s without cancellation."""
    q = s * s
    if q > 1.0:
        return 0.5 * q - 1.0 + math.cos(s)
    tail = 1.0 - q / 182.0 * (1.0 - q / 240.0 * (1.0 - q / 306.0 * (1.0 - q / 380.0)))
    return q * q / 24.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0 * (1.0 - q / 90.0 * (1.0 - q / 132.0 * tail))))


@part
def slid(s, eta, sin_beta, cos_beta):
    """Return the path of a slip after a time s in a0/ω²: the integral of |w|."""
    return 0.5 * (cos_beta - eta) * s * s - cos_beta * cosine_rest(s) + sin_beta * sine_rest(s)


@part
def place(omega, t):
    """Return the half period k of an instant and its distance from the peak, ωt − (k + 1/2)π."""
    product, rest = two_product(omega, t)
    k = math.floor(product / math.pi)
    peak, peak_rest = two_product(k + 0.5, math.pi)
    return int(k), (product - peak) + ((rest - peak_rest) - (k + 0.5) * PI_REST)


@part
def length_of_slip(eta, alpha, sin_alpha):
    """Return the duration of a slip that ends in stick.

    w is convex from α to π + α, and there is no root before 2α. Newton's method starts at the right end, where w
    is not negative, and so comes down to the root; the bracket is for rounding only.
    """
    low, high = 2.0 * alpha, min(3.0 * sin_alpha / eta, math.pi)
    s = high
    for _ in range(MOST_STEPS):
        half = math.sin(0.5 * s)
        versine = 2.0 * half * half
        w = eta * sine_rest(s) - sin_alpha * versine
        if w > 0.0:
            high = s
        else:
            low = s
        new = s - w / (eta * versine - sin_alpha * math.sin(s))
        if not low <= new <= high:
            new = 0.5 * (low + high)
        moved, s = abs(new - s), new
        if moved <= QUADRATIC * s:
            break
    return s


@part
def next_slip(eta, alpha, beta, sin_beta, cos_beta, limit, contraction):
    """Return the phase β' at which the slip after one that began at β begins, where w is zero again.

    The unknown is u = β + β', small where η is. ``limit`` and ``contraction`` belong to the periodic motion and
    give the first guess. The function falls all over the bracket |β'| <= α.
    """
    low, high = beta - alpha, beta + alpha
    u = min(max(beta + limit + contraction * (beta - limit), low), high)
    for _ in range(MOST_STEPS):
        s, c = math.sin(0.5 * u), math.cos(0.5 * u)
        f = eta * (math.pi + 2.0 * beta - u) - 2.0 * s * (cos_beta * c + sin_beta * s)
        if f > 0.0:
            low = u
        else:
            high = u
        slope = eta + cos_beta * (1.0 - 2.0 * s * s) + 2.0 * sin_beta * s * c
        new = u + f / slope
        if not low <= new <= high:
            new = 0.5 * (low + high)
        moved, u = new - u, new
        if moved * moved <= LEFT_OUT * slope:
            break
    return min(max(u - beta, -alpha), alpha)


@part
def classify(a0, mu, g):
    """Return the regime, decided on exact products, η, and δ = 1 − η with all its digits."""
    # mu g is exact as product + rest. Where the border is near, a0 - product is exact too (Sterbenz: doubles within a
    # factor of 2). So δ = 1 - η has all its digits, and the sign at the border is right, where η alone has lost them.
    product, rest = two_product(mu, g)
    excess = (a0 - product) - rest
    if excess <= 0.0:
        return STICK, product / a0, 0.0
    border, border_rest = two_product(a0, CRITICAL)
    above = (product - border) + ((rest - border_rest) - a0 * CRITICAL_REST)
    return (STICK_SLIP if above > 0.0 else SLIP_SLIP), product / a0, excess / a0


@part
def within(half_periods, offset, beta, length):
    """Return how long a slip has lasted at an instant so many half periods after its own, and so far from the peak."""
    return min(max(half_periods * math.pi + offset + beta, 0.0), length)


@called
def follow(regime, eta, alpha, sin_alpha, kb, rb, ke, re):
    """Go from slip to slip: (path between the instants b and e in a0/ω², slips begun by e, duration of the first).

    A slip lasts into the half period after its own at most, so that all between those of b and e lie inside.
    """
    beta, sin_beta, cos_beta = alpha, sin_alpha, eta
    limit = math.asin(min(0.5 * math.pi * eta, 1.0))
    # From η (π + β - β') = sin β + sin β' follows dβ'/dβ = (η - cos β)/(η + cos β') at the periodic motion β = β' =
    # limit, whose size is below 1: phases approach it geometrically, and this predicts the next one.
    contraction = (eta - math.cos(limit)) / (eta + math.cos(limit))
    repeats = regime == STICK_SLIP
    length = length_of_slip(eta, alpha, sin_alpha) if repeats else 0.0
    following, total, first, k = beta, 0.0, length, 0
    while True:
        if not repeats:
            following = next_slip(eta, alpha, beta, sin_beta, cos_beta, limit, contraction)
            length = math.pi + beta - following
            repeats = abs(following - beta) <= REPEATS
        if k == 0:
            first = length
        if kb < k < ke - 1:
            count = ke - 1 - k if repeats else 1
            total += count * slid(length, eta, sin_beta, cos_beta)
            k += count
        else:
            if k >= kb - 1:
                end = slid(within(ke - k, re, beta, length), eta, sin_beta, cos_beta)
                total += end - slid(within(kb - k, rb, beta, length), eta, sin_beta, cos_beta)
            if k == ke:
                return total, ke + (1 if re + beta >= 0.0 else 0), first
            k = max(k + 1, kb - 1) if repeats else k + 1
        if not repeats:
            beta, sin_beta, cos_beta = following, math.sin(following), math.cos(following)


@called
def solve_one(i, parameters, power, regimes, slips, starts, ends):
    """Write the solution for column i of the parameters."""
    a0, g, m, omega = parameters[A0, i], parameters[G, i], parameters[M, i], parameters[OMEGA, i]
    regime, eta, below = classify(a0, parameters[MU, i], g)
    regimes[i] = regime
    if regime == STICK:
        power[i], slips[i], starts[i], ends[i] = 0.0, 0, math.nan, math.nan
        return
    # sin² α = 1 - η² = δ (2 - δ): from η itself the digits of a short slip would cancel.
    sin_alpha = math.sqrt(below * (2.0 - below))
    kb, rb = place(omega, parameters[T_START, i])
    ke, re = place(omega, parameters[T_END, i])
    path, slips[i], first = follow(regime, eta, math.atan2(sin_alpha, eta), sin_alpha, kb, rb, ke, re)
    window = parameters[T_END, i] - parameters[T_START, i]
    power[i] = m * g * (a0 / (omega * omega)) * (path / window)
    tau = math.atan2(eta, sin_alpha)
    starts[i] = tau / omega
    ends[i] = (tau + first) / omega


@kernel
def solve(parameters, power, regimes, slips, starts, ends):
    """Solve for every column of the parameters (7, n): a0, mu, g, m, omega, t_start, t_end.

    Written are the mean of m g |v| over the window (W), the regime, the number of slips begun by t_end, and
    beginning and end of the first slip (s; NaN in stick).
    """
    for i in range(power.size):
        solve_one(i, parameters, power, regimes, slips, starts, ends)


@threaded
def solve_on_threads(parameters, power, regimes, slips, starts, ends):
    """Do the same on as many threads as numba is set to; not to be called from several threads at once."""
    for i in numba.prange(power.size):
        solve_one(i, parameters, power, regimes, slips, starts, ends)
