"""One judged check, with all that its verdict follows from; one point of a work-precision diagram."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.words import ErrorKind, Layer, Verdict

Number = int | float  # as it was written: an integer stays one
Value = Number | str | None  # a number, a word such as a regime, a decimal string, nothing
Setting = Number | str | bool | None

Terms = dict[str, Number]
Counters = dict[str, Number]
Settings = dict[str, Setting]


class LevelRow(Struct, frozen=True, kw_only=True):
    """A row of a level table: one refinement level, or one answer before and after a change of the problem.

    What a kind of table does not have is None in all its rows, and is not written.
    """

    setting: Annotated[str | None, Meta(description="Of a refinement level: the setting that is refined.")] = None
    size: Annotated[Number | None, Meta(description="Its value.")] = None
    quantity: Annotated[str | None, Meta(description="Of an answer before and after: the quantity.")] = None
    value: Annotated[Value, Meta(description="The answer on this level.")] = None
    difference: Annotated[
        Number | None, Meta(description="Distance from the answer on the level before; null on the first.")
    ] = None
    before: Annotated[Value, Meta(description="Answer to the problem as stated.")] = None
    after: Annotated[Value, Meta(description="Answer to the same problem put otherwise.")] = None
    change: Annotated[Number | None, Meta(description="Distance of the two.")] = None
    admissible: Annotated[
        Number | None, Meta(description="Largest change that passes; of a slope, the error that keeps the tolerance.")
    ] = None
    error: Annotated[
        Number | None, Meta(description="Distance from the truth; pooled errors are over their scale.")
    ] = None


class Record(Struct, frozen=True, kw_only=True):
    """One judged check."""

    case: Annotated[
        str,
        Meta(
            min_length=1,
            description="Name of the case; `identification` of a claim that the card of the solver contradicts.",
        ),
    ]
    variant: Annotated[str, Meta(description="Parameter set.")]
    solver: Annotated[str, Meta(description="Solver under test.")]
    scheme: Annotated[str, Meta(description="Time-integration method, empty if the solver has one only.")]
    layer: Annotated[
        Layer,
        Meta(
            description="What the check compares with. criterion: default settings against the truth, by what a "
            "document or the user asks. convergence: the finest refinement level against the truth, within numerical "
            "uncertainty. claim: what the solver claims of itself. invariance: the same problem put otherwise. "
            "baseline: an earlier run of the same solver."
        ),
    ]
    quantity: Annotated[str, Meta(description="Name of the quantity.")]
    unit: Annotated[str, Meta(description="SI unit, empty for a pure number.")] = ""
    value: Annotated[Value, Meta(description="What the solver got; null if nothing finite.")] = None
    reference: Annotated[Value, Meta(description="What it is compared with.")] = None
    reference_digits: Annotated[int | None, Meta(description="Certified digits of the reference.")] = None
    error: Annotated[
        Number | None, Meta(description="Distance of value and reference, in the measure `error_kind`.")
    ] = None
    error_kind: Annotated[
        ErrorKind,
        Meta(
            description="relative: to the reference. absolute: in `unit`; of invariance, the change over the "
            "admissible one. exact: equal or not."
        ),
    ] = ErrorKind.NONE
    tolerance: Annotated[Number | None, Meta(description="Largest error that passes, in the same measure.")] = None
    reason: Annotated[str, Meta(description="Why this tolerance.")] = ""
    margin: Annotated[
        Number | None, Meta(description="tolerance/error; null if the error is zero or there is none.")
    ] = None
    digits: Annotated[Number | None, Meta(description="Correct digits of the value: LRE = -log10(relative error).")] = (
        None
    )
    verdict: Annotated[
        Verdict,
        Meta(
            description="error: the solver crashed or returned nothing usable. harness error: a measure of the suite "
            "failed, no verdict about the solver. not applicable: the solver lacks a capability, or there is nothing "
            "to judge; `detail` says which."
        ),
    ]
    detail: Annotated[
        str, Meta(description="Explanation of the verdict: missing capability, message of the crash.")
    ] = ""
    settings: Annotated[Settings, Meta(description="Step, tolerances, penalties of this run.")] = {}
    levels: Annotated[
        tuple[LevelRow, ...],
        Meta(
            description="Table from which the verdict can be recomputed, from coarse to fine: setting, size, value, "
            "difference from the level before, error. Of the layer invariance: quantity, before, after, change, "
            "admissible."
        ),
    ] = ()
    terms: Annotated[
        Terms,
        Meta(description="Parts of the tolerance by name, in the measure `error_kind`; their sum is the tolerance."),
    ] = {}
    wall_time: Annotated[
        Number | None, Meta(description="Seconds of the run that this value comes from, without compilation.")
    ] = None
    counters: Annotated[
        Counters, Meta(description="Steps, evaluations, and what else the solver counts in the run.")
    ] = {}
    id: Annotated[str, Meta(description="Stable name of the check within its case.")] = ""
    run: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Only in merged files: number of the environment, from 1."),
    ] = None

    @property
    def run_number(self) -> int:
        """Number of the environment, from 1."""
        return self.run or 1


class WorkPrecisionPoint(Struct, frozen=True, kw_only=True):
    """One refinement level of a solver: how long it takes, how wrong it is."""

    case: Annotated[str, Meta(min_length=1, description="Name of the case.")]
    variant: Annotated[str, Meta(description="Parameter set.")]
    solver: Annotated[str, Meta(description="Solver under test.")]
    version: Annotated[str, Meta(description="Its version.")] = ""
    scheme: Annotated[str, Meta(description="Time-integration method, empty if the solver has one only.")]
    settings: Annotated[Settings, Meta(description="Step, tolerances, penalties of this level.")] = {}
    first_call: Annotated[
        Number | None,
        Meta(
            description="Seconds to the first answer with these settings: what had still to be compiled or loaded, "
            "the solve, the check of the response."
        ),
    ] = None
    wall_time: Annotated[
        Number | None,
        Meta(
            description="Seconds of one solve: the shortest of `repeats` further ones; the first one if there is none."
        ),
    ] = None
    repeats: Annotated[int, Meta(ge=0, description="Number of solves after the first call.")] = 0
    error: Annotated[
        Number | None, Meta(description="Worst error of a number over its scale; null if there is none.")
    ] = None
    quantity: Annotated[str, Meta(description="The quantity that has it.")] = ""
    digits: Annotated[Number | None, Meta(description="Fewest correct digits of these quantities.")] = None
    scd: Annotated[
        Number | None,
        Meta(description="Of an initial value problem: -log10 of the largest error over the truth."),
    ] = None
    mescd: Annotated[
        Number | None,
        Meta(description="Of an initial value problem: -log10 of the largest error over atol/rtol + |truth|."),
    ] = None
    uncertainty: Annotated[
        Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)],
        Meta(description="Largest radius of a reference over the scale of its quantity."),
    ] = 0
    passed: Annotated[int, Meta(ge=0, description="Criteria that are kept with these settings.")] = 0
    checks: Annotated[int, Meta(ge=0, description="Criteria, all of them.")] = 0
    counters: Annotated[Counters, Meta(description="Steps, evaluations, and what else the solver counts.")] = {}
    detail: Annotated[
        str, Meta(description="Why a number is missing, or why the solver was not taken to finer settings.")
    ] = ""
    run: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Only in merged files: number of the environment, from 1."),
    ] = None

    @property
    def run_number(self) -> int:
        """Number of the environment, from 1."""
        return self.run or 1
