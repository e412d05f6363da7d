"""The sheet of a case: problem, parameters, references, published values, remarks."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.sketch import Sketch
from veridyn.results.system import DrawnBeam, DrawnSystem
from veridyn.results.words import PrintedVerdict

Unit = Annotated[str, Meta(description="SI unit, empty for a pure number.")]
Variant = Annotated[str, Meta(description="Parameter set.")]
QuantityName = Annotated[str, Meta(description="Name of the quantity.")]


class ParameterRow(Struct, frozen=True, kw_only=True):
    """A physical parameter of a case."""

    name: Annotated[str, Meta(description="Name for `--set`.")]
    unit: Unit = ""
    default: Annotated[str, Meta(description="Value unless set, as text, exact.")]
    help: Annotated[str, Meta(description="What it is.")] = ""


class QuantityRow(Struct, frozen=True, kw_only=True):
    """What is computed and compared."""

    name: Annotated[str, Meta(description="Stable name.")]
    unit: Unit = ""
    definition: Annotated[str, Meta(description="Window, mean or peak, sampled or interpolated.")] = ""


class ReferenceRow(Struct, frozen=True, kw_only=True):
    """The true value of a quantity."""

    variant: Variant
    quantity: QuantityName
    unit: Unit = ""
    value: Annotated[str | None, Meta(description="Decimal string, a word (a regime), or null if there is none.")]
    radius: Annotated[
        str | None,
        Meta(
            description="Bound of the distance of the value as written from the truth, a decimal string; null where "
            "there is no number."
        ),
    ] = None
    digits: Annotated[int | None, Meta(description="Certified significant digits; null if exact or unknown.")] = None
    kind: Annotated[str, Meta(description="Closed form, quasi-analytical, high-precision ODE, published only.")] = ""
    routes: Annotated[
        tuple[str, ...], Meta(description="What was proved, then the independent ways that confirm it.")
    ] = ()
    proved: Annotated[str, Meta(description="What the proof took: phases, events, parts, bits.")] = ""


class PublishedValue(Struct, frozen=True, kw_only=True):
    """A value that a document prints, and what it is worth."""

    source: Annotated[str, Meta(description="Document and place in it.")]
    variant: Variant
    quantity: QuantityName
    value: Annotated[str, Meta(description="As printed.")]
    verdict: Annotated[
        PrintedVerdict,
        Meta(
            description="reproduced: right to the printed digits. misprint: not the number that its author had. "
            "inaccurate: the author's number, but wrong."
        ),
    ]
    correct: Annotated[str, Meta(description="What should have been printed; empty if the printed value stands.")] = ""
    truth: Annotated[str, Meta(description="Certified value of the quantity.")] = ""
    explanation: Annotated[str, Meta(description="How the printed value came about.")] = ""


class CaseSheet(Struct, frozen=True, kw_only=True):
    """Everything that a report says of a case beside its results."""

    case: Annotated[str, Meta(min_length=1, description="Name of the case, as in `veridyn run CASE`.")]
    title: Annotated[str, Meta(description="What the case is about, a few words.")]
    document: Annotated[str, Meta(description="Number of the document that the case comes from.")] = ""
    sources: Annotated[
        tuple[str, ...],
        Meta(description="Documents that state the problem: authors, title, where and when; a link at the end."),
    ] = ()
    summary: Annotated[str, Meta(description="One sentence.")] = ""
    statement: Annotated[tuple[str, ...], Meta(description="The problem, paragraph by paragraph.")] = ()
    equations: Annotated[
        tuple[Annotated[str, Meta(max_length=400)], ...],
        Meta(
            description="Equations of the problem and of its reference, in one line each; a report typesets them "
            "(notation: docs/result-schema.md)."
        ),
    ] = ()
    system: Annotated[
        DrawnSystem | None, Meta(description="The mechanical system, for a drawing; null if it is no line of masses.")
    ] = None
    sketch: Annotated[
        Sketch | None, Meta(description="What moves, drawn by the case; null if system or beam say it.")
    ] = None
    beam: Annotated[DrawnBeam | None, Meta(description="The beam, for a drawing; null if it is none.")] = None
    parameters: Annotated[tuple[ParameterRow, ...], Meta(description="Physical parameters that `--set` accepts.")] = ()
    quantities: Annotated[tuple[QuantityRow, ...], Meta(description="What is computed and compared.")] = ()
    references: Annotated[tuple[ReferenceRow, ...], Meta(description="The true values.")] = ()
    modelling: Annotated[
        tuple[str, ...], Meta(description="How the solver's own schemes model the case: step, penalties.")
    ] = ()
    published: Annotated[
        tuple[PublishedValue, ...], Meta(description="Values that documents print, and what they are worth.")
    ] = ()
    remarks: Annotated[tuple[str, ...], Meta(description="Pitfalls, and how to break the case.")] = ()
    errata: Annotated[
        tuple[str, ...],
        Meta(description="What is wrong in the texts of the documents, beside the published values."),
    ] = ()
