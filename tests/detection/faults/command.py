"""Faults of programs in C: a text of the source is replaced by a wrong one before it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..fault import Fault, Host, always
from ..hosts.compiled import SOURCES, Compiled, compiler, edited
from .field import has_changes, has_loads, has_time

Edit = tuple[str, str]
Edits = Callable[[float], tuple[Edit, ...]]

# ---- Newmark's average acceleration for one mass

NEWMARK = edited(
    (SOURCES / "newmark.c").read_text(encoding="utf-8"),
    ("/* ---- mechanics ---- */\n", (Path(__file__).parents[1] / "hosts" / "loads.c").read_text(encoding="utf-8")),
    ("double f = -s->k * x - s->c * v;", "double f = pull - s->k * x - s->c * v;"),
    ("q = step(&s, q, (t[i] - now) / parts)", "pull = LOAD_NOW, q = step(&s, q, (t[i] - now) / parts)"),
    ("    q.a = force(", '    const char *loads = get(problem, "loads");\n    pull = load(loads, now);\n    q.a = force('),
    ('if (count(get(problem, "loads")) || count(get(problem, "supports"))) return "loads and moving supports";',
     'if (count(get(problem, "supports"))) return "moving supports";'),
    ('\\"mechanical\\", \\"contact\\"', '\\"mechanical\\", \\"contact\\", \\"damping\\", \\"loads\\"'),
    ("LOAD_NOW", "load(loads, now + (j + 1) * (t[i] - now) / parts)"),
)  # fmt: skip
HYBRID = (SOURCES / "hybrid.c").read_text(encoding="utf-8")
SIZE = "SIZE"
"""Stands in a replacement for the size of the fault."""


def seeded(source: str, name: str, part: str, what: str, *edits: Edit, touches: Any = always, **why: str) -> Fault:
    """Return a fault that is there or not, and why it may not be seen."""
    return Fault(name, part, what, lambda _: Compiled(edited(source, *edits)), touches, **why)


def sized(
    name: str, part: str, what: str, old: str, new: str, size: float, meaning: str, touches: Any = always
) -> Fault:
    """Return a fault of Newmark's method with a size, down to a millionth of it."""

    def make(size: float) -> Compiled:
        return Compiled(edited(NEWMARK, (old, new.replace(SIZE, repr(size)))))

    return Fault(name, part, what, make, touches, size, meaning, size * 1e-6)


def has_stops(problem: Any) -> bool:
    """Return whether there is a stop."""
    return bool(problem.stops)


def has_gaps(problem: Any) -> bool:
    """Return whether a stop has a gap."""
    return any(stop.gap for stop in problem.stops)


def has_offsets(problem: Any) -> bool:
    """Return whether a stop has an offset."""
    return any(stop.offset for stop in problem.stops)


def has_lower_stops(problem: Any) -> bool:
    """Return whether a stop is met by a negative displacement."""
    return any(stop.normal[0] < 0 for stop in problem.stops)


def has_several_stops(problem: Any) -> bool:
    """Return whether there are two stops or more."""
    return len(problem.stops) > 1


def is_damped(problem: Any) -> bool:
    """Return whether the structure is damped."""
    return bool(problem.damping.any())


def has_fractions(problem: Any) -> bool:
    """Return whether mass, damping or stiffness is no whole number."""
    return any(float(matrix[0, 0]) % 1 for matrix in (problem.mass, problem.damping, problem.stiffness))


RELATIVE = "relative change"
NO_CASE = "No case of one mass has {}."
ROW = "now = t[i], x[i] = q.x, v[i] = q.v;"
PUSH = "fmax(0.0, -s->stiffness * gap(s, x))"


def newmark(name: str, part: str, what: str, *edits: Edit, touches: Any = always, **why: str) -> Fault:
    """Return a fault of Newmark's method that is there or not, and why it may not be seen."""
    return seeded(NEWMARK, name, part, what, *edits, touches=touches, **why)


NEWMARK_FAULTS = (
    newmark("push_sign", "contact", "A stop pulls the mass in.", ("f -= stop->normal * push", "f += stop->normal * push"), touches=has_stops),
    newmark("pull", "contact", "A stop pulls where it is open.", (PUSH, "-s->stiffness * gap(s, x)"), touches=has_stops),
    newmark("offset_missed", "contact", "The offset of a stop is not read.", (" + s->offset)", ")"), touches=has_offsets, unseen=NO_CASE.format("a stop with an offset")),
    newmark("normal_missed", "contact", "Every stop is taken for an upper one.", ('first(get(p, "normal"))', 'fabs(first(get(p, "normal")))'), touches=has_lower_stops, unseen=NO_CASE.format("a stop on the lower side")),
    newmark("first_stop", "contact", "The first stop alone pushes.", ("stop < s->stop + s->stops; ++stop", "stop < s->stop + (s->stops > 0); ++stop"), touches=has_several_stops, unseen=NO_CASE.format("two stops")),
    newmark("gap_missed", "contact", "The gap of a stop is taken for zero.", ("return s->gap - (", "return -("), touches=has_gaps, unseen=NO_CASE.format("a stop with a gap")),
    sized("gap_wide", "contact", "A stop stands too far away.", "return s->gap - (", "return s->gap + SIZE - (", 1e-4, "m", has_stops),
    sized("stop_stiff", "contact", "A stop is too stiff.", 'number(get(p, "stiffness"), 0)', 'number(get(p, "stiffness"), 0) * (1 + SIZE)', 1e-2, RELATIVE, has_stops),
    newmark("damping_missed", "method", "The damping matrix is left out.", ("pull - s->k * x - s->c * v", "pull - s->k * x"), touches=is_damped),
    newmark("load_late", "load", "The load of a step is that of its start.", ("now + (j + 1) *", "now + j *"), touches=has_loads),
    newmark("load_at_output", "load", "The load stands still between two outputs.", ("now + (j + 1) * (t[i] - now) / parts", "t[i]"), touches=has_loads),
    sized("load_large", "load", "The load is too large.", "f += first(", "f += (1 + SIZE) * first(", 1e-2, RELATIVE, has_loads),
    newmark("acceleration_zero", "method", "The first step begins with acceleration 0.", ("q.a = force(&s, q.x, q.v, &slope) / s.m;", "q.a = 0;")),
    newmark("one_iteration", "method", "Newton's method stops after one iteration.", ("i < 20", "i < 1"), touches=has_stops, unseen="Between two contacts the equations are linear: one iteration is exact but in the few steps in which a stop opens or closes, and the order stays."),
    sized("beta_large", "method", "Beta is not 1/4.", "h * h / 4", "h * h * (0.25 + SIZE)", 1e-2, "added to beta"),
    newmark("step_fixed", "method", "The step that is set does not arrive.", ('get(get(question, "settings"), "step")', "NULL"), unclaimed="Answers at the default step are right, and a step that changes no linear motion is no fault of methods that are exact there."),
    newmark("start_zero", "method", "The time begins at zero.", ('number(get(problem, "start"), 0)', "0")),
    newmark("whole_numbers", "precision", "Mass, damping and stiffness are whole numbers.", ("typedef struct { double m, c, k;", "typedef struct { int m, c, k;"), touches=has_fractions),
    newmark("single", "precision", "The state is of single precision.", ("typedef struct { double x, v, a; } State;", "typedef struct { float x, v, a; } State;"), unseen="Who claims neither digits nor a tolerance may compute in single precision: the card says so, and checks ask for no more than its seven digits."),
    newmark("seven_digits", "output", "Seven digits are written.", ('i ? ",%.17g" : "%.17g"', 'i ? ",%.7g" : "%.7g"')),
    newmark("row_late", "output", "A row is that of the output before.", ("long parts =", "x[i] = q.x, v[i] = q.v; long parts ="), (ROW, "now = t[i];")),
    newmark("velocity_sign", "output", "The velocity has the other sign.", (ROW, ROW.replace("= q.v", "= -q.v"))),
    newmark("gap_velocity_sign", "output", "The rate of a gap has the other sign.", ("= -s->normal * v[i]", "= s->normal * v[i]"), touches=has_stops),
    newmark("force_of_the_open_stop", "output", "The force of a stop is written without its limit at zero.", ("scratch[i] = push(s, x[i])", "scratch[i] = -s->stiffness * gap(s, x[i])"), touches=has_stops),
    newmark("state_left", "state", "A part of the last velocity of an earlier solve is left.", ("    long steps = 0;", "    static double left = 0;\n    q.v += 1e-6 * left;\n    long steps = 0;"), ("    if (!isfinite(q.x))", "    left = q.v;\n    if (!isfinite(q.x))")),
    newmark("nan", "protocol", "A row is NaN.", ('    print_array("time"', '    x[n / 2] = 0 / (n - n + 0.0);\n    print_array("time"')),
    newmark("cut_off", "protocol", "The answer ends in the middle of a line.", ('    print_array("displacement"', '    fflush(stdout), exit(0);\n    print_array("displacement"')),
    newmark("row_missing", "protocol", "The last velocity is missing.", ('print_array("velocity", v, n,', 'print_array("velocity", v, n - 1,')),
    newmark("wrong_id", "protocol", "The answer is that to another question.", ('"{\\"id\\": %d, \\"response\\": {", id)', '"{\\"id\\": %d, \\"response\\": {", id + 1)')),
    newmark("exit_status", "protocol", "The program ends with status 3 in place of an answer.", ("    long steps = 0;", "    exit(3);\n    long steps = 0;")),
    newmark("log_on_output", "protocol", "A log is written to standard output.", ("    long steps = 0;", '    puts("integrating ...");\n    long steps = 0;')),
)  # fmt: skip

# ---- Runge-Kutta from event to event


def has_resets(problem: Any) -> bool:
    """Return whether an event sets states anew."""
    return any(change.reset for mode in problem.modes for change in mode.events)


def has_linked_resets(problem: Any) -> bool:
    """Return whether a state is set to what holds another state that is set as well."""
    resets = [change.reset for mode in problem.modes for change in mode.events]
    return any(
        {str(s) for s in value.free_symbols} & (set(reset) - {name})
        for reset in resets
        for name, value in reset.items()
    )


def hybrid(name: str, part: str, what: str, *edits: Edit, touches: Any = always, **why: str) -> Fault:
    """Return a fault of Runge-Kutta from event to event that is there or not."""
    return seeded(HYBRID, name, part, what, *edits, touches=touches, **why)


HYBRID_FAULTS = (
    hybrid("clock_of_the_step", "load", "Stages take the time of the start of the step.", ("t + part[stage] * h, z, k", "t, z, k"), touches=has_time),
    hybrid("weights_swapped", "method", "Two weights are swapped.", ("{1, 2, 2, 1}", "{1, 2, 1, 2}")),
    hybrid("few_bisections", "event", "An event is bisected four times.", ("i < 60", "i < 4"), touches=has_changes),
    hybrid("reset_missed", "event", "States are not set anew.", ("text ? evaluate(q, text, t, y) : y[i]", "text ? y[i] : y[i]"), touches=has_resets),
    hybrid("reset_in_turn", "event", "A reset sees what the one before it has set.", ("        z[i] = text ?", "        y[i] = z[i] = text ?"), touches=has_linked_resets),
    hybrid("single_quotients", "precision", "Quotients are of single precision.", (": x / raised(r)", ": (float)(x / raised(r))")),
    hybrid("sign_binds_first", "method", "In -x**2 the sign binds before the power.", ("return ++r->p, -raised(r);", "return ++r->p, r->p = blank(r->p), signed_power(r);"), ("static double raised(Reader *r) {", "static double raised(Reader *r);\nstatic double signed_power(Reader *r) {\n    double x = -atom(r);\n    r->p = blank(r->p);\n    return strncmp(r->p, \"**\", 2) ? x : (r->p += 2, pow(x, raised(r)));\n}\n\nstatic double raised(Reader *r) {")),
    hybrid("nine_digits", "output", "Nine digits are written.", ("%.17g", "%.9g"), unclaimed="The card says that numbers have nine digits; who claims no digits may write so many, and checks ask no more of them."),
    hybrid("before_as_after", "output", "States just before an event are those after it.", ("    jump(q, get(over ? limit : e, \"reset\"), t, y);", "    jump(q, get(over ? limit : e, \"reset\"), t, y);\n    memcpy(happened[n].y, y, sizeof happened[n].y);"), touches=has_resets),
)  # fmt: skip

HOSTS = (
    (Host("newmark-c", Compiled(NEWMARK), NEWMARK_FAULTS), Host("hybrid-c", Compiled(HYBRID), HYBRID_FAULTS))
    if compiler()
    else ()
)
"""Empty where there is no C compiler."""
