"""All checks, error against tolerance, as SVG: a dot has a name that the pointer or the keyboard shows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veridyn.reports import numbers, style, svg
from veridyn.reports.tally import FRAGILE, LAYERS, LOOSE, TROUBLE, Record, by_layer, subject

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 92.0, 92.0, 46.0, 54.0
STRIP = 46.0  # room for zeros, which a logarithmic axis does not have
MOST = 4000  # dots; beyond, neighbours share one
GRIDS = (50, 25, 12, 6, 3)  # per decade, how finely dots are told apart
NAMED = 3  # checks that a shared dot names
LOWEST = 1e-300

Cell = tuple[str, bool, int, int]
"""Layer, whether it fails, place on the grid."""

SHAPES = (
    "m-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0z",
    "m-2.7,-2.7h5.4v5.4h-5.4z",
    "m0,-3.5l3.4,6h-6.8z",
    "m0,-3.9l3.3,3.9l-3.3,3.9l-3.3,-3.9z",
    "m-1.2,-3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
)
SMALL = 'font-size="12" fill="#52606d"'


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high` (powers of ten) at `start` to `end`; zeros lie at `zero`."""

    low: int
    high: int
    start: float
    end: float
    zero: float

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        if value <= LOWEST:
            return self.zero
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def powers(self) -> range:
        """Powers of ten that get a line."""
        return range(self.low, self.high + 1, max(1, math.ceil((self.high - self.low) / 10)))


def measured(records: Sequence[Record]) -> list[Record]:
    """Return the checks that have a place in the drawing."""
    return [record for record in records if record["error"] is not None and record["tolerance"] is not None]


def draw(records: Sequence[Record], runs: int) -> str:
    """Draw checks with an error and a tolerance, at least one; what lies above the line "error = tolerance" fails.

    If the document has several runs, names tell them.
    """
    across, up = _axes(records)
    parts = [*_frame(across, up), *_lines(across, up), *_legend(records), *_dots(records, across, up, runs)]
    name = f"Error against tolerance of {numbers.plural(len(records), 'check')}"
    return svg.drawing(WIDTH, HEIGHT, name, parts, "scatter")


def _axes(records: Sequence[Record]) -> tuple[Axis, Axis]:
    low, high = _range([record["tolerance"] for record in records])
    errors = _range([record["error"] for record in records])
    bottom = HEIGHT - BOTTOM
    return (
        Axis(low, high, LEFT + STRIP, WIDTH - RIGHT, LEFT + STRIP / 2),
        Axis(min(errors[0], low), max(errors[1], high), bottom - STRIP, TOP, bottom - STRIP / 2),
    )


def _range(values: Sequence[float]) -> tuple[int, int]:
    powers = [math.log10(value) for value in values if value > LOWEST] or [-1.0]
    return math.floor(min(powers)), max(math.ceil(max(powers)), math.floor(min(powers)) + 1)


def _frame(across: Axis, up: Axis) -> Iterator[str]:
    line, bottom = 'stroke="#e4e7eb" fill="none"', HEIGHT - BOTTOM
    for power in across.powers:
        x = across.place(10.0**power)
        yield svg.path([(x, TOP), (x, bottom)], line)
        yield from _power(x, bottom + 17, power, "middle")
    for power in up.powers:
        y = up.place(10.0**power)
        yield svg.path([(LEFT, y), (WIDTH - RIGHT, y)], line)
        yield from _power(LEFT - 8, y + 4, power, "end")
    yield svg.path([(LEFT, TOP), (LEFT, bottom), (WIDTH - RIGHT, bottom)], 'stroke="#9aa5b1" fill="none"')
    yield svg.text(LEFT - 8, up.zero + 4, "0", f'text-anchor="end" {SMALL}')
    yield svg.text(across.zero, bottom + 17, "0", f'text-anchor="middle" {SMALL}')
    yield svg.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "tolerance", 'text-anchor="middle" font-size="13"')
    turn = f'text-anchor="middle" font-size="13" transform="rotate(-90 20 {svg.number((TOP + bottom) / 2)})"'
    yield svg.text(20, (TOP + bottom) / 2, "error, in the measure of the tolerance", turn)


def _power(x: float, y: float, power: int, anchor: str) -> Iterator[str]:
    place = f'x="{svg.number(x)}" y="{svg.number(y)}" text-anchor="{anchor}" {SMALL}'
    yield f'<text {place}>10<tspan dy="-4.5" font-size="9">{str(power).replace("-", "−")}</tspan></text>'


def _lines(across: Axis, up: Axis) -> Iterator[str]:
    """Draw the limit and the margins that make a check fragile or loose, named at their right ends."""
    left, right = 10.0**across.low, 10.0**across.high
    corners = [(across.place(x), up.place(x)) for x in (left, right)]
    above = [corners[0], (corners[0][0], TOP), (corners[1][0], TOP), corners[1]]
    yield svg.path(above, 'fill="#D55E00" fill-opacity="0.06" stroke="none"')
    for name, margin, dash in (
        ("fails above", 1.0, "1 3"),
        (f"margin {FRAGILE:g}", FRAGILE, ""),
        (f"margin {LOOSE:g}", LOOSE, ""),
    ):
        start = max(left, margin * 10.0**up.low)
        if start < right:
            ends = [(across.place(x), up.place(x / margin)) for x in (start, right)]
            colour = 'stroke="#1f2933" stroke-width="1.4"' if dash else 'stroke="#9aa5b1"'
            yield svg.path(ends, f'{colour} stroke-dasharray="{dash}" fill="none"')
            lift = -3 if margin == 1.0 else 10 if margin == FRAGILE else 4
            yield svg.text(ends[1][0] + 5, ends[1][1] + lift, name, SMALL)


def _legend(records: Sequence[Record]) -> Iterator[str]:
    x = LEFT
    for layer in by_layer(records):
        yield f'<path d="M{svg.number(x)},20{_shape(layer)}" fill="{_colour(layer)}"/>'
        yield svg.text(x + 9, 24, layer, 'font-size="12.5"')
        x += 30 + 7.5 * len(layer)


def _shape(layer: str) -> str:
    return SHAPES[list(LAYERS).index(layer)]


def _colour(layer: str) -> str:
    return style.CYCLE[list(LAYERS).index(layer)]


def _dots(records: Sequence[Record], across: Axis, up: Axis, runs: int) -> Iterator[str]:
    """Draw dots, those that fail last and ringed, so that nothing hides them."""
    shared = _shared(records)
    for failed in (False, True):
        ring = ' stroke="#1f2933" stroke-width="1.2"' if failed else ""
        for (layer, is_trouble, _, _), members in shared.items():
            if is_trouble is failed:
                first = members[0]
                place = f"{svg.number(across.place(first['tolerance']))},{svg.number(up.place(first['error']))}"
                name = svg.escape(_name(members, runs))
                look = f'fill="{_colour(layer)}" fill-opacity="0.85"{ring}'
                yield f'<path class="dot" d="M{place}{_shape(layer)}" {look}><title>{name}</title></path>'


def _shared(records: Sequence[Record]) -> dict[Cell, list[Record]]:
    """Put checks of a layer that the eye cannot tell apart into one dot, on the finest grid that is not too many."""
    places = [(_exponent(record["tolerance"]), _exponent(record["error"])) for record in records]
    for grid in GRIDS:
        shared: dict[Cell, list[Record]] = {}
        for record, (x, y) in zip(records, places, strict=True):
            cell = (record["layer"], record["verdict"] in TROUBLE, round(grid * x), round(grid * y))
            shared.setdefault(cell, []).append(record)
        if len(shared) <= MOST:
            break
    return shared


def _exponent(value: float) -> float:
    """Return the decimal logarithm; zeros lie far below anything else."""
    return math.log10(value) if value > LOWEST else 2 * math.log10(LOWEST)


def _name(members: Sequence[Record], runs: int) -> str:
    said = [_named(record, runs) for record in members[:NAMED]]
    more = len(members) - NAMED
    return "\n".join([*said, f"and {numbers.plural(more, 'check')} more here"] if more > 0 else said)


def _named(record: Record, runs: int) -> str:
    variant = f"[{record['variant']}]" if record["variant"] else ""
    found = f"error {numbers.error(record['error'])}, tolerance {numbers.tolerance(record['tolerance'])}"
    return f"{record['case']}{variant} {subject(record, runs)}: {record['quantity']} ({record['layer']}), {found}"
