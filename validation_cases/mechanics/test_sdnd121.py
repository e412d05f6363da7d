"""SDND121 (EDF V5.01.121): forced vibration against one stop, every instant of contact over four seconds."""

from functools import partial

from veridyn.validation_cases.judgement.case import Case, Published, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impact_quantities, struck_oscillator, vibro_impact
from veridyn.validation_cases.measures.plotting import convergence

INSTANTS = {"touch_1": 1, "release_1": 2, "touch_10": 19, "touch_35": 69, "touch_70": 139, "release_70": 140}

ASTER_INSTANTS = cited("tolerance of Code_Aster's test sdnd121a for instants", 2e-4)
ASTER_FORCES = cited("1e-3, the precision that Code_Aster's tests ask for where they state none", 1e-3)


MOTION = struck_oscillator.MOTION
QUANTITIES = (
    *(impact_quantities.instant(name, number, ASTER_INSTANTS) for name, number in INSTANTS.items()),
    *(impact_quantities.peak_force(contact, ASTER_FORCES) for contact in (1, 70)),
    impact_quantities.largest_force(ASTER_FORCES),
    *impact_quantities.CONTACTS,
)


CASE = Case(
    name="sdnd121",
    title="Forced vibration against one stop",
    document="V5.01.121",
    topics=("impact",),
    summary="A load drives an oscillator against a stiff stop seventy times in four seconds; all 140 instants of "
    "contact, forces, energy.",
    statement=(
        "A mass m on a spring k, at rest, is driven by F sin(Omega t) against an elastic stop k_c at a gap. Nothing "
        "is damped.",
        "Flights and contacts are free vibrations of w = sqrt(k/m) and w_c = sqrt((k + k_c)/m) about a forced one; "
        "an instant of contact is the next root of displacement = gap. A contact lasts 0.39 ms, a flight up to a "
        "hundred times as long.",
        "The motion does not repeat, but it forgives: a deviation grows by no more than 4.3 over the whole run.",
    ),
    equations=(
        "m x'' + k x = F sin(Omega t) - N, N = k_c max(0, x - gap), x(0) = x'(0) = 0",
        "w = sqrt(k/m), w_c = sqrt((k + k_c)/m), tau = t - t_j",
        "flight: x = P cos(w tau) + Q sin(w tau) + F/(k - m Omega²) sin(Omega t)",
        "contact: x = P cos(w_c tau) + Q sin(w_c tau) + F/(k + k_c - m Omega²) sin(Omega t) + k_c gap/(k + k_c)",
        "x(t_{j+1}) = gap, t_{j+1} > t_j",
    ),
    parameters=struck_oscillator.parameters(
        m="156", k="2e6", kc="1e10", gap="1e-3", F="3000", Omega="10*pi", t_end="4"
    ),
    variants=(Variant("a", {}),),
    quantities=QUANTITIES,
    residuals=impact_quantities.RESIDUALS,
    problem=Watched(partial(struck_oscillator.state, name="sdnd121"), vibro_impact.output_times),
    modelling=(
        "One mode; the stop is the penalty spring itself, so that no modelling error remains.",
        "Output is asked for every 4e-6 s around contacts, a hundred times in each, and every 1e-4 s in between.",
        "Contact instants are roots of the gap between samples, forces come from a spline of the penetration.",
    ),
    no_derivatives="a derivative through 140 contacts takes a minute to judge; `veridyn reference` proves it",
    published=tuple(
        Published("Code_Aster test sdnd121a, reference", "a", name, value, "reproduced")
        for name, value in (("touch_1", "0.024867876"), ("release_1", "0.025260518"))
    ),
    sources=("EDF: Code_Aster, Validation Manual, document V5.01.121; test sdnd121a. https://code-aster.org",),
    remarks=(
        "With steps of 8e-5 s, five in a contact, there are 72 contacts; sixteen of them are where they should be.",
        "A stop that damps 1 % of critical makes 84 contacts of 70; a damping ratio of 1e-3 of the structure moves "
        "instants by 2.6 ms, six times as long as a contact lasts.",
        "The trapezoidal rule with gamma = 0.6 keeps the count, and moves the instants by 2.2 ms.",
        "A stop 2 % too soft moves no instant by more than 1e-4 s, within the 2e-4 of the instant that Code_Aster's "
        "test grants: forces tell, 1.1 % too small.",
        "Where in a step a contact begins is chance: the errors of seventy contacts add up like a root, and an impact "
        "hardly magnifies them.",
    ),
    figures=(
        impact_quantities.gap_history(until=0.5),
        *impact_quantities.close_up(1),
        *impact_quantities.close_up(70),
        impact_quantities.errors_of_instants,
        convergence("release_70", "where in a step a contact begins is chance"),
    ),
)

test_sdnd121 = verifies(CASE)
