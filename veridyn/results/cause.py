"""What failures have in common, and where to begin."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.plan import RUN, RunNumber
from veridyn.results.words import CauseKind


class Cause(Struct, frozen=True, kw_only=True):
    """Failures of one solver that one thing explains."""

    kind: Annotated[
        CauseKind,
        Meta(
            description="error: the same error text. factor: answers are the same multiple of the truth. coarse: "
            "criteria fail at default settings and would hold on a refinement level. feature: all variants that need "
            "it fail, and none else. claim: the card contradicts it, or cases do not keep it. invariance: the same "
            "relation. case: what nothing else explains, case by case."
        ),
    ]
    solver: Annotated[str, Meta(description="Solver under test.")]
    scheme: Annotated[str, Meta(description="Time-integration method, empty if the solver has one only.")]
    count: Annotated[int, Meta(ge=1, description="Number of checks that it explains; each check has one cause.")]
    cases: Annotated[tuple[str, ...], Meta(description="Cases of these checks.")]
    text: Annotated[str, Meta(description="What the checks have in common.")]
    remedy: Annotated[str, Meta(description="What to look at, or to change; empty where nothing better is known.")] = ""
    command: Annotated[str, Meta(description="The command that judges one of the checks again: begin there.")]
    run: Annotated[RunNumber, RUN] = None
