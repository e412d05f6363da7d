"""What is mutated, with how many mutants, and which quick tests must notice."""

from __future__ import annotations

from dataclasses import dataclass

OF_A_REFERENCE, OF_THE_JUDGEMENT = 4, 12  # mutants of one module


@dataclass(frozen=True)
class Subject:
    """A module by its path in the checkout, the tests that guard it, those left out, and the size of the sample."""

    path: str
    tests: tuple[str, ...]
    sample: int
    without: str = ""


# the test module of every reference module; helpers are guarded by the tests of the references that use them
REFERENCES = {
    "andrews": ("andrews", "andrews_series"),
    "bar_impact": ("bar_impact",),
    "discrete": ("discrete", "integrators", "recurrences", "tableaux"),
    "beam_on_stop": ("beam_on_stop",),
    "waves": ("waves",),
    "between_walls": ("between_walls",),
    "buckling_stop": ("buckling_stop", "buckling_quadrature"),
    "certified": ("certified",),
    "engine": ("coarse", "enclosure", "events", "flows", "jets", "motion", "series", "smooth"),
    "fingerprints": ("fingerprints",),
    "damped_chain": ("damped_chain",),
    "damped_stop": ("damped_stop",),
    "driven_chain": ("driven_chain",),
    "elliptic": ("elliptic",),
    "forced_oscillator": ("forced_oscillator",),
    "friction_decay": ("friction_decay",),
    "hybrid": ("hybrid", "hybrid_steps", "expressions", "series_steps"),
    "impact_oscillator": ("impact_oscillator", "impact_phases", "roots"),
    "parameters": ("parameters",),
    "quantities": ("quantities",),
    "pulled_pair": ("pulled_pair", "pulled_closed"),
    "rubbing_block": ("rubbing_block",),
    "sliding_bodies": ("hodograph", "inclined_block", "stacked_blocks"),
    "sliding_block": ("sliding_block", "sliding_closed", "sliding_phases"),
    "softening_spring": ("softening_spring",),
    "zener": ("zener",),
}

# tests that take seconds, in the words of pytest -k
SLOW = {
    "impact_oscillator": "long_run or energy_is",
    "sliding_block": "scaling_laws or 15-300 or 1e-120 or settle or late_windows",
}

JUDGEMENT = {
    "judge": ("test_verdict", "test_tolerance"),
    "tolerances": ("test_tolerance",),
    "uncertainty": ("test_uncertainty", "test_levels"),
    "levels": ("test_levels", "test_convergence"),
    "methods": ("test_methods",),
    "invariance": ("test_invariance",),
    "subject": ("test_claims",),
    "checks": ("test_levels", "test_convergence", "test_verdict"),
    "consistency": ("test_agreeing_parts",),
    "impact_conditioning": ("test_impact_conditioning",),
    "impact_quantities": ("test_impact_quantities",),
}

MEASURES = ("consistency", "impact_conditioning", "impact_quantities")
POST_PROCESSING = ("impacts", "wear", "balance", "interpolation")


def _tests(reference: str) -> tuple[str, ...]:
    used_by = ("damped_stop",) if reference == "parameters" else ()
    return tuple(f"tests/references/test_{name}.py" for name in (reference, *used_by))


def _place(name: str) -> str:
    return f"validation_cases/{'measures' if name in MEASURES else 'core'}/{name}.py"


def subjects() -> tuple[Subject, ...]:
    """Return all modules under mutation."""
    references = tuple(
        Subject(f"references/{module}.py", _tests(test), OF_A_REFERENCE, SLOW.get(test, ""))
        for test, modules in REFERENCES.items()
        for module in modules
    )
    judgement = tuple(
        Subject(_place(name), tuple(f"tests/judgement/{t}.py" for t in tests), OF_THE_JUDGEMENT)
        for name, tests in JUDGEMENT.items()
    )
    expected = Subject(
        "validation_cases/core/expected.py", ("tests/exchange/test_expectations_of_records.py",), OF_THE_JUDGEMENT
    )
    post = tuple(
        Subject(
            f"solver/postprocessing/{name}.py",
            (f"tests/solver/test_{name}.py", "tests/properties/test_signals.py"),
            OF_THE_JUDGEMENT,
        )
        for name in POST_PROCESSING
    )
    return (*references, *judgement, expected, *post)
