"""Andrews' squeezing mechanism: closed loops that a crank turns, with equations of index 3, 2 and 1."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sympy

from veridyn.problem.generated import over
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.problems import andrews, hybrid
from veridyn.references.problems.andrews import ANGLES, PARAMETERS
from veridyn.references.problems.andrews_mechanism import Squeezer
from veridyn.results import Figure
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, Published, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures.consistency import residual
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.plotting import figure, panel, series, shown, thinned
from veridyn.validation_cases.measures.trajectories import value_at

N = {p.name: sympy.Symbol(p.name) for p in PARAMETERS}
Q = sympy.symbols(ANGLES)
V = sympy.symbols([f"v_{name}" for name in ANGLES])
A = sympy.symbols([f"a_{name}" for name in ANGLES])
FORCES = sympy.symbols("lambda1:7")
END = 0.03  # s


def mass() -> sympy.Matrix:
    """Return the mass matrix of the angles."""
    m, i = ([N[f"{letter}{k}"] for k in range(1, 8)] for letter in "mI")
    _, theta, _, phi, _, omega, _ = Q
    da, rr, zt, u, e, f = N["da"], N["rr"], N["zt"], N["u"], N["e"] - N["ea"], N["zf"] - N["fa"]
    result = sympy.zeros(7, 7)
    result[0, 0] = m[0] * N["ra"] ** 2 + m[1] * (rr**2 - 2 * da * rr * sympy.cos(theta) + da**2) + i[0] + i[1]
    result[0, 1] = result[1, 0] = m[1] * (da**2 - da * rr * sympy.cos(theta)) + i[1]
    result[1, 1] = m[1] * da**2 + i[1]
    result[2, 2] = m[2] * (N["sa"] ** 2 + N["sb"] ** 2) + i[2]
    result[3, 3] = m[3] * e**2 + i[3]
    result[3, 4] = result[4, 3] = m[3] * (e**2 + zt * e * sympy.sin(phi)) + i[3]
    upper = m[3] * (zt**2 + 2 * zt * e * sympy.sin(phi) + e**2) + m[4] * (N["ta"] ** 2 + N["tb"] ** 2)
    result[4, 4] = upper + i[3] + i[4]
    result[5, 5] = m[5] * f**2 + i[5]
    result[5, 6] = result[6, 5] = m[5] * (f**2 - u * f * sympy.sin(omega)) + i[5]
    lower = m[5] * (f**2 - 2 * u * f * sympy.sin(omega) + u**2) + m[6] * (N["ua"] ** 2 + N["ub"] ** 2)
    result[6, 6] = lower + i[5] + i[6]
    return result


def forces() -> list[Any]:
    """Return the moments on the angles but for those of the loops: torque, spring, centrifugal ones."""
    (_, theta, gamma, phi, _, omega, _), (vb, vt, _, vf, vd, vo, ve) = Q, V
    sine, cosine = sympy.sin(gamma), sympy.cos(gamma)
    x = N["sd"] * cosine + N["sc"] * sine + N["xb"] - N["xc"]
    y = N["sd"] * sine - N["sc"] * cosine + N["yb"] - N["yc"]
    length = sympy.sqrt(x**2 + y**2)
    pull = -N["c0"] * (length - N["l0"]) / length
    two = N["m2"] * N["da"] * N["rr"] * sympy.sin(theta)
    four = N["m4"] * N["zt"] * (N["e"] - N["ea"]) * sympy.cos(phi)
    six = N["m6"] * N["u"] * (N["zf"] - N["fa"]) * sympy.cos(omega)
    return [
        N["mom"] - two * vt * (vt + 2 * vb),
        two * vb**2,
        pull * (x * (N["sc"] * cosine - N["sd"] * sine) + y * (N["sd"] * cosine + N["sc"] * sine)),
        four * vd**2,
        -four * vf * (vf + 2 * vd),
        -six * ve**2,
        six * vo * (vo + 2 * ve),
    ]


def loops() -> list[Any]:
    """Return what vanishes where the loops are closed (m)."""
    b, theta, gamma, phi, delta, omega, epsilon = Q
    sin, cos = sympy.sin, sympy.cos
    x = N["rr"] * cos(b) - N["d"] * cos(b + theta)
    y = N["rr"] * sin(b) - N["d"] * sin(b + theta)
    return [
        x - N["ss"] * sin(gamma) - N["xb"],
        y + N["ss"] * cos(gamma) - N["yb"],
        x - N["e"] * sin(phi + delta) - N["zt"] * cos(delta) - N["xa"],
        y + N["e"] * cos(phi + delta) - N["zt"] * sin(delta) - N["ya"],
        x - N["zf"] * cos(omega + epsilon) - N["u"] * sin(epsilon) - N["xa"],
        y - N["zf"] * sin(omega + epsilon) + N["u"] * cos(epsilon) - N["ya"],
    ]


def rate(expressions: list[Any]) -> list[Any]:
    """Return the rates of expressions in the angles, and in velocities with the accelerations as names."""
    moving = (*zip(Q, V, strict=True), *zip(V, A, strict=True))
    return [sum((sympy.diff(e, x) * v for x, v in moving), start=sympy.Integer(0)) for e in expressions]


def accelerations() -> list[Any]:
    """Return the accelerations of all angles: the mass matrix has blocks of one angle or two."""
    m, pushed = mass(), sympy.Matrix(forces()) - GRADIENT.T * sympy.Matrix(FORCES)
    result: list[Any] = []
    for i, j in ((0, 1), (2, 2), (3, 4), (5, 6)):
        if i == j:
            result.append(pushed[i] / m[i, i])
            continue
        whole = m[i, i] * m[j, j] - m[i, j] ** 2
        result.append((m[j, j] * pushed[i] - m[i, j] * pushed[j]) / whole)
        result.append((m[i, i] * pushed[j] - m[i, j] * pushed[i]) / whole)
    return result


def start() -> list[Any]:
    """Return all unknowns at rest, crank and bar d in line (Theta = 0): angles of triangles, forces of the first loop.

    Only the crank and bar d have accelerations, so that they and the spring load the first loop alone.
    """
    reach, far = N["d"] - N["rr"], sympy.sqrt(N["xb"] ** 2 + N["yb"] ** 2)
    cosine = (N["ss"] ** 2 - reach**2 - far**2) / (2 * reach * far)
    sine = sympy.sqrt(1 - cosine**2)
    beta = 2 * sympy.atan(N["yb"] / (far + N["xb"])) - sympy.acos(cosine)
    cb, sb = (N["xb"] * cosine + N["yb"] * sine) / far, (N["yb"] * cosine - N["xb"] * sine) / far
    x, y = -reach * cb, -reach * sb  # of the common joint
    cg, sg = (N["yb"] - y) / N["ss"], (x - N["xb"]) / N["ss"]
    phi, delta = pair(x - N["xa"], y - N["ya"], N["zt"], N["e"])
    omega, lower = pair(x - N["xa"], y - N["ya"], N["zf"], N["u"])
    angles = [beta, 0, 2 * sympy.atan(sg / (1 + cg)), phi, delta, -omega, omega + lower]
    m, back = mass().subs(Q[1], 0), -reach / N["d"]
    spin = N["mom"] / (m[0, 0] + 2 * m[0, 1] * back + m[1, 1] * back**2)
    bar = -(m[0, 1] + m[1, 1] * back) * spin / N["d"]
    spring = -forces()[2].subs({sympy.cos(Q[2]): cg, sympy.sin(Q[2]): sg}) / N["ss"]
    whole = sb * sg + cb * cg
    return [*angles, *[0] * 7, (bar * sg + cb * spring) / whole, (sb * spring - bar * cg) / whole, *[0] * 4]


def pair(x: Any, y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return q - p and p of bars a (cos p, sin p) + b (sin q, -cos q) that reach from one joint to another."""
    square = x**2 + y**2
    sine = (square - a**2 - b**2) / (2 * a * b)
    along, across = a + b * sine, b * sympy.sqrt(1 - sine**2)
    return sympy.asin(sine), 2 * sympy.atan((y * along + x * across) / (square + x * along - y * across))


LOOPS = loops()
GRADIENT = sympy.Matrix([[sympy.diff(g, q) for q in Q] for g in LOOPS])
SPINS = accelerations()
CONSTRAINTS = {3: LOOPS, 2: rate(LOOPS)}
CONSTRAINTS[1] = [e.xreplace(dict(zip(A, SPINS, strict=True))) for e in rate(CONSTRAINTS[2])]
PROBLEM = InitialValueProblem(
    name="andrews",
    states=tuple(map(str, (*Q, *V))),
    multipliers=tuple(map(str, FORCES)),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="turns", rates=(*V, *(sympy.Matrix(forces()) - GRADIENT.T * sympy.Matrix(FORCES)))),),
    mass=tuple(map(tuple, sympy.diag(sympy.eye(7), mass()).tolist())),
    initial=tuple(start()),
    constraints=tuple(LOOPS),
    index=3,
    end=END,
    output_times=np.linspace(0.0, END, 601),
)


def of_index(index: int, values: Values) -> InitialValueProblem:
    """Return the problem with the closing conditions differentiated to an index."""
    return PROBLEM.with_parameters(values, constraints=tuple(CONSTRAINTS[index]), index=index)


def gap(o: Observation) -> float:
    """Return the largest gap of a loop at any sample, over the crank."""
    r = o.response
    return float(np.abs(over(PROBLEM.with_parameters(o.values), tuple(LOOPS))(r.time, r.states)).max() / o["rr"])


def turning(case: Case, observer: Runner) -> Iterable[Figure]:
    """Yield the figure of all angles over the time."""
    o, label = shown(case, "", observer)
    time, *angles = thinned(o.response.time, *o.response.states.T[:7], start=0.0, end=END)
    known = [float(q.truth(o.values).value) for q in QUANTITIES[:7]]  # type: ignore[arg-type]
    curves = [series(name, "computed", time, angle) for name, angle in zip(ANGLES, angles, strict=True)]
    marks = series("reference", "reference", [END] * 7, known, marker=True)
    swing = panel("t (s)", "angle (rad)", [*curves[2:], series("", "reference", [END] * 5, known[2:], marker=True)])
    caption = f"Above, the crank and the bar on it, which turn; beneath, what swings. Computed by {label}."
    yield figure(
        case.name,
        "angles",
        "Angles over the time",
        caption,
        [panel("t (s)", "angle (rad)", [*curves[:2], marks]), swing],
    )


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), 1e-4, "a ten-thousandth, since no document asks for less")


def at_end(expression: Any, name: str, unit: str, kind: str, place: int, **stated: Any) -> Quantity:
    """Return a quantity at 0.03 s."""

    def read(s: Squeezer) -> Any:
        return getattr(s, kind)[place]

    measure = partial(value_at, expression=expression, at=str(END))
    return of.quantity(f"{name}@{END}", unit, f"{name} at {END} s", andrews.at_end(read), measure, **stated)


def at_start(place: int) -> Quantity:
    """Return an acceleration at the start, as the forces of the loops give it."""

    def read(s: Squeezer) -> Any:
        return s.accelerations[place]

    truth = andrews.at_start(read, kind="closed form", proof="crank and bar d in line, closed form in ball arithmetic")
    measure, name = partial(value_at, expression=SPINS[place], at="0"), f"a_{ANGLES[place]}"
    return of.quantity(f"{name}@0", "rad/s^2", f"{ANGLES[place]}'' at 0", truth, measure)


QUANTITIES = (
    *(at_end(q, q.name, "rad", "angles", i, scale="1") for i, q in enumerate(Q)),
    at_end(V[0], "v_beta", "rad/s", "velocities", 0),
    at_end(SPINS[0], "a_beta", "rad/s^2", "accelerations", 0),
    *(at_end(FORCES[i], f"lambda{i + 1}", "N", "multipliers", i) for i in (0, 1)),
    *(at_start(i) for i in (0, 1)),
)

TEST_SET = "Test Set for IVP Solvers, release 2.4"
PRINTED = {
    "beta": ("0.1581077119629904e2", "10"),
    "Theta": ("-0.1575637105984298e2", "10"),
    "gamma": ("0.4082224013073101e-1", "9"),
    "Phi": ("-0.5347301163226948", "10"),
    "delta": ("0.5244099658805304", "11"),
    "Omega": ("0.5347301163226948", "10"),
    "epsilon": ("0.1048080741042263e1", "12"),
    "v_beta": ("0.1139920302151208e4", "9"),
    "a_beta": ("-0.2463176316945196e5", "8"),
    "lambda1": ("0.1991753333731910e3", "7"),
    "lambda2": ("-0.2975531228015052e2", "6"),
}
FIRST = {"a_beta@0": "14222.4439199541138705911625887", "a_Theta@0": "-10666.8329399655854029433719415"}


def published() -> Iterator[Published]:
    """Yield what the test set prints: the start has all its digits, the end about ten of sixteen."""
    for name, value in FIRST.items():
        yield Published(TEST_SET, "index-3", name, value, "reproduced")
    for name, (value, right) in PRINTED.items():
        why = f"{right} of 16 digits are right; it was integrated in doubles with tolerances of 1e-14"
        yield Published(TEST_SET, "index-3", f"{name}@{END}", value, "inaccurate", why)


LENGTHS = [p.name for p in PARAMETERS if p.unit == "m" and p.name not in ("xc", "yc", "sc", "sd", "l0")]

CASE = Case(
    name="andrews",
    title="Andrews' squeezing mechanism",
    document="IVP test set",
    topics=("multibody", "constraints"),
    summary="Seven bodies in closed loops, driven from rest by a torque: equations of index 3, 2 and 1.",
    statement=(
        "A crank of length rr is turned by a constant torque mom. A bar d leads from its end to a joint that three "
        "other chains hold: body 3 about B, with a spring to C, and two pairs of bars about A.",
        "The angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon) are counted each from the body before. "
        "M(q) q'' = f(q, q') - G(q)^T lambda with the closing conditions g(q) = 0, of positions (index 3), "
        "velocities (2) or accelerations (1).",
        "At the start all is at rest, crank and bar d in line (Theta = 0). The test set prints these angles with "
        "thirty digits; here they are the closed forms that round to them.",
    ),
    sketch=draw.sketch(
        draw.bar((-1.47, 0.09), (0.49, -0.03)),
        draw.bar((0, 0), (0.49, -0.03)),
        draw.outline((-2.5, 2.3), (-1.47, 0.09), (-0.73, 1.78)),
        draw.spring((-0.73, 1.78), (0.98, 5.04), "spring"),
        draw.bar((-4.85, -0.16), (-2.38, 1.15), "5"),
        draw.bar((-2.38, 1.15), (-1.47, 0.09)),
        draw.bar((-4.85, -0.16), (-2.21, -1.1)),
        draw.bar((-2.21, -1.1), (-1.47, 0.09)),
        *(draw.pivot(place) for place in ((0, 0), (-4.85, -0.16))),
        *(draw.pivot(place, 180.0) for place in ((-2.5, 2.3), (0.98, 5.04))),
        *(draw.dot(place) for place in ((0.49, -0.03), (-1.47, 0.09), (-2.38, 1.15), (-2.21, -1.1), (-0.73, 1.78))),
        draw.arc((0, 0), 0.9, 20, 110, "mom", turns=True),
        draw.words((0.75, -0.4), "crank"),
        draw.words((-0.7, -0.3), "2"),
        draw.words((-1.65, 1.5), "3"),
        draw.words((-1.6, 0.85), "4"),
        draw.words((-1.55, -0.65), "6"),
        draw.words((-3.6, -1.0), "7"),
        draw.words((-5.2, 0.2), "A"),
        draw.words((-2.9, 2.2), "B"),
        draw.words((1.4, 4.9), "C"),
    ),
    shown=ShownMotion(curves=("beta", "gamma", "delta"), motion=andrews.motion),
    equations=(
        "M q'' = f(q, q') - G^T λ",
        "0 = g(q)",
        "rr cos(β) - d cos(β + Θ) - ss sin(γ) = xb",
        "rr sin(β) - d sin(β + Θ) + ss cos(γ) = yb",
        "rr cos(β) - d cos(β + Θ) - e sin(Φ + δ) - zt cos(δ) = xa",
        "rr sin(β) - d sin(β + Θ) + e cos(Φ + δ) - zt sin(δ) = ya",
        "rr cos(β) - d cos(β + Θ) - zf cos(Ω + ε) - u sin(ε) = xa",
        "rr sin(β) - d sin(β + Θ) - zf sin(Ω + ε) + u cos(ε) = ya",
        "J(β) β'^2 = 2 mom (β - β_0) + 2 U(β_0) - 2 U(β)",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("index-3", {}, problem=partial(of_index, 3)),
        Variant("index-2", {}, problem=partial(of_index, 2)),
        Variant("index-1", {}, problem=partial(of_index, 1)),
    ),
    quantities=QUANTITIES,
    residuals=(
        residual(
            "gap",
            "of the crank",
            "largest gap of a loop at any sample, in lengths of the crank",
            gap,
            cited("a thousandth, since no document asks for less", 1e-3, kind="absolute"),
            converges=True,
        ),
    ),
    published=tuple(published()),
    modelling=(
        "One degree of freedom: all angles are closed forms in that of the crank, and energy gives its velocity.",
        "Angles are counted on over the turns of the crank: it turns two and a half times in 0.03 s.",
    ),
    sources=(
        "W. Schiehlen (ed.): Multibody Systems Handbook, Andrews' squeezer mechanism. Springer (1990).",
        "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd edition, section VII.7. Springer "
        "(1996). https://doi.org/10.1007/978-3-642-05221-7",
        "F. Mazzia, C. Magherini: Test Set for Initial Value Problem Solvers, release 2.4. Universities of Bari and "
        "Padova (2008). https://archimede.uniba.it/~testset",
    ),
    remarks=(
        "A tolerance of 1e-6 on positions alone (index 3) may leave the crank 0.14 rad off after two and a half turns, "
        "with gaps of the loops below a millionth of the crank: nothing in the answer looks wrong.",
        "IDA, with the multipliers outside its error control, leaves beta(0.03) 1.6e-3 off at rtol 1e-8 and 1.5e-4 at "
        "1e-10 on index 3, 1.0e-6 and less than 1e-8 on index 1; it says nothing.",
    ),
    figures=(turning,),
    held=dict.fromkeys(LENGTHS, "the loops must close over the whole turn"),
    benchmark_variant="index-2",
)

test_andrews = verifies(CASE)
