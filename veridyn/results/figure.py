"""Curves recorded during a run, as data; a report draws them."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.record import Number
from veridyn.results.words import Role, Scale

Height = Annotated[int, Meta(gt=0, le=10)] | Annotated[float, Meta(gt=0, le=10)]


class Series(Struct, frozen=True, kw_only=True):
    """A curve or points."""

    label: Annotated[str, Meta(description="Entry of the legend, empty for none.")] = ""
    role: Annotated[
        Role,
        Meta(
            description="Fixes the look: the dark dashed truth, a computed curve in colour, an error about its zero "
            "line, a dotted limit, a thin grey guide."
        ),
    ] = Role.COMPUTED
    marker: Annotated[bool, Meta(description="Points instead of a line.")] = False
    x: Annotated[tuple[Number | None, ...], Meta(description="Abscissae; null leaves a gap.")]
    y: Annotated[tuple[Number | None, ...], Meta(description="Ordinates, as many as x; null leaves a gap.")]


class Instant(Struct, frozen=True, kw_only=True):
    """An instant that is drawn as a thin vertical line."""

    x: Annotated[Number, Meta(description="Abscissa.")]
    label: Annotated[str, Meta(description="Short text at the top.")] = ""


class Panel(Struct, frozen=True, kw_only=True):
    """Curves over common axes."""

    xlabel: Annotated[str, Meta(description="Name and unit of x.")] = ""
    ylabel: Annotated[str, Meta(description="Name and unit of y.")] = ""
    xscale: Annotated[Scale, Meta(description="Axis scale.")] = Scale.LINEAR
    yscale: Annotated[Scale, Meta(description="Axis scale.")] = Scale.LINEAR
    series: Annotated[tuple[Series, ...], Meta(description="Curves or points.")]
    events: Annotated[tuple[Instant, ...], Meta(description="Instants drawn as thin vertical lines.")] = ()
    height: Annotated[Height, Meta(description="Height relative to the usual one.")] = 1


class Figure(Struct, frozen=True, kw_only=True):
    """Panels of a case below each other."""

    case: Annotated[str, Meta(description="Name of the case.")]
    id: Annotated[str, Meta(description="Name of the figure within its case.")]
    title: Annotated[str, Meta(description="A few words.")] = ""
    caption: Annotated[str, Meta(description="What one sees.")] = ""
    panels: Annotated[
        tuple[Panel, ...],
        Meta(
            min_length=1,
            description="Stacked from top to bottom, with one common x axis if all xlabels are equal.",
        ),
    ]
