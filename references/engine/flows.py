"""Flows of a phase as pieces: polynomials of the time whose last coefficient is a ball that holds the remainder.

On a piece every state is ``Σ c_k s^k`` for s from 0 to `WIDTH`, s being the time over the length of the piece; c_N
encloses the N-th Taylor coefficient at every instant of the piece (Lagrange's remainder). Derivatives of such
polynomials, and quotients by powers of s where the first coefficients vanish, have the same property, so that values
and slopes over any part of a piece are enclosed by ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from flint import arb, arb_mat, arb_poly, ctx

from veridyn.references.deadline import Depth, check_time
from veridyn.references.engine.enclosure import Absent, Undecided
from veridyn.references.engine.jets import Ball, Jet, curve, drift, find_order, share, slope, stack, unstack, value
from veridyn.references.engine.shares import Edge, Share, Weights, is_zero, share_of_root, weigh

State = tuple[Ball, ...]
Row = Mapping[int, Ball]  # a linear function of the state: factors by place

WIDTH = arb(9) / 8  # of a piece: a little longer than the way to the next, so that no root hides at the seam
REACH = 2  # radians of the fastest motion in a piece
MOST_PIECES = 200_000
PACE, STEADY = 100, 2  # pieces that tell how many will follow, if none is longer than some times the shortest
MOST_TERMS = 400  # of a series, at the lengths that pieces have
CYCLE = 6  # terms after which the zeros of powers of a matrix lie where they lay: states in turn, two or three


class Piece(Protocol):
    """The motion over a part of a phase."""

    @property
    def length(self) -> arb:
        """Return its length (s)."""

    def polynomial(self, row: Row) -> arb_poly:
        """Return a linear function of the state over this piece, in s."""


class Flow(Protocol):
    """What moves the state during a phase."""

    def pieces(self, state: State) -> Iterator[Piece]:
        """Yield pieces one after the other, each beginning where s = 1 in the last."""

    def at(self, course: Course, lapse: Ball) -> State:
        """Return the state a while after the start of a course."""

    def speed(self, course: Course, lapse: Ball) -> State:
        """Return the rates of the state a while after the start of a course."""

    def find_order(self, state: State) -> int:
        """Return the order, 0 to 2, of the derivatives that the motion from a state on has to a parameter."""


def apply(row: Row, state: State) -> Ball:
    """Return a linear function of a state."""
    return sum((factor * state[i] for i, factor in row.items()), arb(0))


def _column(state: Sequence[arb]) -> arb_mat:
    return arb_mat(len(state), 1, list(state))


def _identity(n: int) -> arb_mat:
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def _size(matrix: arb_mat) -> arb_mat:
    return arb_mat(matrix.nrows(), matrix.ncols(), [x.abs_upper() for x in matrix.entries()])


def bound_of_exponential(scaled: arb_mat) -> arb_mat:
    """Return a bound of exp(A), entry by entry, of a matrix without negative entries; `Undecided` if it has none."""
    result = [_identity(scaled.nrows())]
    for k in range(1, MOST_TERMS):
        result.append(_size(result[-1] * scaled / k))
        # Let T_k = A^k/k!; no entry is negative. If 2 T_k <= T_(k-6) in every entry, then T_(k+1) = T_k A/(k + 1) is
        # at most T_(k-6) A/(2 (k + 1)), which is T_(k-5) (k - 5)/(2 (k + 1)) and so at most half of T_(k-5). By
        # induction six terms are at most half of the six before them. All terms from T_(k-5) on are then at most
        # twice the six that are there. Terms six apart are compared because entries of A^k may vanish in turn, with
        # a period of two or three.
        if k > CYCLE and all(
            2 * x <= y for x, y in zip(result[-1].entries(), result[-1 - CYCLE].entries(), strict=True)
        ):
            break  # and so it goes on: what follows halves from cycle to cycle, for the factors fall with k
    else:
        raise Undecided("the coefficients of the motion differ too much")
    return _size(sum(result[1:-CYCLE], result[0]) + 2 * sum(result[1 - CYCLE :], result[-CYCLE]))


@dataclass(frozen=True, eq=False)
class LinearFlow:
    """``y' = A y``: loads are states too. Rows are sparse: factors by place.

    `longest` limits the length of a piece (s); it is needed where nothing oscillates or decays.
    """

    rows: Sequence[Row]
    longest: arb | None = None
    _weighed: list[tuple[State, Weights]] = field(default_factory=list, repr=False)
    _systems: dict[int, _System] = field(default_factory=dict, repr=False)

    @cached_property
    def system(self) -> _System:
        """Return the matrix, with what is made of it."""
        n = len(self.rows)
        matrix = arb_mat(n, n)
        for i, row in enumerate(self.rows):
            for j, factor in row.items():
                matrix[i, j] = value(factor)
        return _System(matrix, self.longest)

    def _stacked(self, order: int) -> _System:
        """Return the system of the state and of its derivatives, up to an order, with respect to a parameter."""
        # With s = ∂y/∂p: s' = A s + (∂A/∂p) y. The exponential of [[A, 0], [∂A/∂p, A]] t has exp(A t) on its diagonal
        # and below it Duhamel's integral of exp(A (t - u)) (∂A/∂p) exp(A u) over u (C. Van Loan, IEEE TAC 23, 1978). So
        # one exponential of twice the size encloses value and derivative with the same bounds. The second derivative
        # has the rate A ∂s/∂p + 2 (∂A/∂p) s + (∂²A/∂p²) y, by Leibniz' rule.
        if order not in self._systems:
            n = len(self.rows)
            size = n * (order + 1)
            matrix = arb_mat(size, size)
            for i, row in enumerate(self.rows):
                for j, factor in row.items():
                    for k, part in enumerate((value, slope, curve)[: order + 1]):
                        for begin in range(0, size - k * n, n):
                            times = 1 if k != 1 else begin // n + 1
                            matrix[begin + k * n + i, begin + j] = times * part(factor)
            self._systems[order] = _System(matrix, self.longest)
        return self._systems[order]

    def after(self, state: State, lapse: Ball) -> State:
        """Return the state after a while, however long; with its derivatives where anything has them."""
        if is_zero(lapse):
            return tuple(state)
        order = find_order(*self._varied, *state, lapse)
        if not order:
            return tuple(self.system.after(_column(state), lapse).entries())
        result = unstack(self._stacked(order).after(_column(stack(state, order)), value(lapse)).entries(), order)
        known = self._weigh(state).at(share(lapse), len(result))
        return tuple(
            Jet(x.value, x.slope, own, x.curve) for x, own in zip(self._moved(result, lapse), known, strict=True)
        )

    def _moved(self, state: tuple[Jet, ...], lapse: Ball) -> tuple[Ball, ...]:
        """Return a state at an instant, which may depend on the parameter, with the derivatives there."""
        if not isinstance(lapse, Jet):
            return state
        rates = [apply(row, state) for row in self.rows]
        accelerations = (self.system.matrix * _column([value(rate) for rate in rates])).entries()
        return tuple(x + drift(r, a, lapse) for x, r, a in zip(state, rates, accelerations, strict=True))

    @cached_property
    def _edges(self) -> list[Edge]:
        return [(i, j, share(f)) for i, row in enumerate(self.rows) for j, f in row.items() if not is_zero(f)]

    def _weigh(self, state: State) -> Weights:
        """Return the shares of the states; once for a start, of which many instants are looked at."""
        if not self._weighed or self._weighed[0][0] is not state:
            self._weighed[:] = [(state, weigh(self._edges, state, share))]
        return self._weighed[0][1]

    def share_of_root(self, state: State, row: Row) -> Share | None:
        """Return how an instant at which a row is zero depends on the parameter, where that is known exactly."""
        return share_of_root(self._weigh(state), row, share)

    def rate_of(self, row: Row) -> Row:
        """Return the rate of a row as a row."""
        result: dict[int, Ball] = {}
        for i, factor in row.items():
            for j, rate in self.rows[i].items():
                result[j] = factor * rate + result[j] if j in result else factor * rate
        return result

    def at(self, course: Course, lapse: Ball) -> State:
        """Return the state a while after the start of a course."""
        return self.after(course.state, lapse)

    @cached_property
    def _varied(self) -> list[Jet]:
        """Return the factors that have derivatives."""
        return [factor for row in self.rows for factor in row.values() if isinstance(factor, Jet)]

    def find_order(self, state: State) -> int:
        """Return the order, 0 to 2, of the derivatives that the motion from a state on has to a parameter."""
        return find_order(*self._varied, *state)

    def speed(self, course: Course, lapse: Ball) -> State:
        """Return the rates of the state a while after the start of a course."""
        state = self.at(course, lapse)
        return tuple(apply(row, state) for row in self.rows)

    def pieces(self, state: State) -> Iterator[Piece]:
        """Yield pieces of equal length, of the values alone; raises `Undecided` after too many."""
        start = _column(tuple(map(value, state)))
        for number in range(MOST_PIECES):
            yield _LinearPiece(self.system, self.system.jump(start, number))
        raise Undecided(f"nothing happens in {MOST_PIECES} pieces of the motion")


@dataclass(frozen=True, eq=False)
class _System:
    """``y' = A y`` with a column y: A, and what is made of it at the precision of its making."""

    matrix: arb_mat
    longest: arb | None
    _compiled: dict[int, tuple[Row, arb_mat, arb_mat]] = field(default_factory=dict)

    @cached_property
    def length(self) -> arb:
        """Return the length of a piece: `REACH` over the largest rate, estimated by a power of A; a power of two."""
        # The largest entry of A^64, to the power 1/64, is near the largest modulus of an eigenvalue, the
        # fastest rate. A norm of A itself depends on units: with displacements in metres and velocities in m/s
        # it is the square of a frequency, and pieces would be far too short. Only the length of a piece depends
        # on this number; no proof does.
        power = self.matrix
        for _ in range(6):
            power = power * power
        size = max(x.abs_upper() for x in power.entries())  # far beyond the range of a float
        lengths = [] if self.longest is None else [value(self.longest).mid()]
        if size > 0:
            lengths.append((REACH / (size.log() / 64).exp()).mid())
        return binary(min(lengths))

    @cached_property
    def _bound(self) -> arb_mat:
        """Return a bound of |exp(A t)| up to the end of a piece, on both sides of its start, entry by entry."""
        return bound_of_exponential(_size(self.matrix) * (self.length * WIDTH))

    @cached_property
    def terms(self) -> list[arb_mat]:
        """Return (A h)^k/k! until they vanish at the present precision beside the bound; the last is for the rest."""
        n = self.matrix.nrows()
        # With T_k = (A h)^k/k! Lagrange's remainder is y(s) = Σ_(k<N) T_k s^k y_0 + T_N s^N exp(A ξ) y_0, ξ
        # between 0 and s h, in every component another one. Entry by entry |exp(A ξ)| is at most the bound. So
        # T_N times the bound encloses the rest on the whole piece; terms are added until T_N is beside the bound
        # what rounding is beside 1.
        scaled, tiny = self.matrix * self.length, arb(2) ** (-ctx.prec - 8)
        result = [_identity(n)]
        while True:
            result.append(result[-1] * scaled / len(result))
            pairs = zip(result[-1].entries(), self._bound.entries(), strict=True)
            if all(x.abs_upper() <= tiny * bound for x, bound in pairs):
                return result

    @cached_property
    def _powers(self) -> list[arb_mat]:
        """Return exp(A h), exp(2 A h), exp(4 A h) … as far as they were asked for.

        The first is the series: it keeps small entries beside large ones, as the library's function does not.
        """
        rest = _size(self.terms[-1]) * self._bound
        n = self.matrix.nrows()
        return [sum(self.terms[:-1], arb_mat(n, n, [arb(0, x) for x in rest.entries()]))]

    def jump(self, state: arb_mat, count: int) -> arb_mat:
        """Return the state after a number of whole pieces."""
        # Step by step, the uncertainty of the state would be enclosed in a box again at every piece: Moore's
        # wrapping effect, which grows exponentially even where the motion only turns. Powers of exp(A h) are
        # matrices sharp up to rounding. So the state is wrapped once for each binary digit of the count, and a
        # million pieces cost twenty products.
        place = 0
        while count:
            if place == len(self._powers):
                self._powers.append(self._powers[-1] * self._powers[-1])
            if count & 1:
                state = self._powers[place] * state
            count, place = count >> 1, place + 1
        return state

    def after(self, state: arb_mat, lapse: arb) -> arb_mat:
        """Return the state after a while; after one that is a ball, by the mean value theorem."""
        # Mean value theorem: y(s) lies in y(m) + A y(S) h (s - m), m being the middle of the ball S of instants.
        # Put into the series directly, S would be raised to each power by itself; terms that cancel for one
        # instant would not cancel then.
        whole = (lapse / self.length).mid().floor().unique_fmpz()
        count = max(0, int(whole or 0))
        start, s = self.jump(state, count), lapse / self.length - count
        if not abs(s) <= WIDTH:
            raise Undecided("an instant is too uncertain")
        states = self._polynomials(start)
        rates = self.matrix * _column([state(s) for state in states])
        return _column([state(s.mid()) for state in states]) + rates * (self.length * (s - s.mid()))

    @cached_property
    def _stacked_terms(self) -> arb_mat:
        """Return the terms one below the other, without that of the rest: one product gives all coefficients."""
        n = self.matrix.nrows()
        return arb_mat(n * (len(self.terms) - 1), n, [x for term in self.terms[:-1] for x in term.entries()])

    def _polynomials(self, start: arb_mat) -> list[arb_poly]:
        """Return the states over a piece, in s."""
        n = self.matrix.nrows()
        rest = _size(self.terms[-1]) * (self._bound * _size(start))
        coefficients = (self._stacked_terms * start).entries()
        return [arb_poly([*coefficients[i::n], arb(0, rest[i, 0])]) for i in range(n)]

    def compiled(self, row: Row) -> tuple[Row, arb_mat, arb_mat]:
        """Return what turns a state into the coefficients of a row: the factors, and those of the remainder's bound."""
        known = self._compiled.get(id(row))
        if known is None:
            n = self.matrix.nrows()
            line = arb_mat(1, n, [value(row.get(i, arb(0))) for i in range(n)])
            products = [line * term for term in self.terms]
            stacked = arb_mat(len(products) - 1, n, [x for p in products[:-1] for x in p.entries()])
            known = self._compiled[id(row)] = (row, stacked, _size(products[-1]) * self._bound)
        return known


@dataclass(frozen=True, eq=False)
class _LinearPiece:
    system: _System
    state: arb_mat

    @property
    def length(self) -> arb:
        return self.system.length

    def polynomial(self, row: Row) -> arb_poly:
        _, factors, rest = self.system.compiled(row)
        return arb_poly([*(factors * self.state).entries(), arb(0, (rest * _size(self.state))[0, 0])])


def binary(length: float | arb) -> arb:
    """Round a length down to six bits, so that multiples are exact."""
    # Starts of pieces are sums of lengths. Numbers of six bits add up without rounding. With full mantissas each start
    # would be a ball, and its radius would enter every instant of an event after it.
    mantissa, exponent = arb(length).mid().man_exp()
    bits = int(abs(mantissa)).bit_length()
    return arb(int(mantissa) >> max(0, bits - 6)) * arb(2) ** (int(exponent) + max(0, bits - 6))


@dataclass(eq=False)
class Course:
    """The motion of a phase from a state on; pieces are kept as far as they were looked at.

    `parts` counts the parts of pieces on which a proof was tried.
    """

    flow: Flow
    state: State
    parts: int = 0
    _kept: list[tuple[arb, Piece]] = field(default_factory=list)
    _source: Iterator[Piece] | None = None
    _doubt: Exception | None = None

    @cached_property
    def varies(self) -> bool:
        """Tell whether the motion has a derivative with respect to a parameter."""
        return self.flow.find_order(self.state) > 0

    def pieces(self, until: Ball | None = None) -> Iterator[tuple[arb, Piece]]:
        """Yield pieces with the time (s) from the start of the phase to theirs.

        It raises `Absent` where too many would follow up to an instant; pieces of a linear flow cost little.
        """
        number = 0
        while True:
            if number == len(self._kept):
                self._source = self._source or self.flow.pieces(self.state)
                if until is not None and number and number % PACE == 0 and not isinstance(self.flow, LinearFlow):
                    self._check_pace(value(until))
                before = self._kept[-1] if self._kept else None
                begins = before[0] + before[1].length if before else arb(0)
                self._kept.append((begins, self._take(self._source)))
            yield self._kept[number]
            number += 1

    def _take(self, source: Iterator[Piece]) -> Piece:
        """Return the next piece; what stopped the flow is raised again, however often it is asked."""
        self._check_time()
        if self._doubt is not None:
            raise self._doubt
        try:
            return next(source)
        except Exception as doubt:
            self._doubt = doubt.with_traceback(None)
            raise

    def _check_time(self) -> None:
        at = float(self._kept[-1][0]) if self._kept else 0.0
        check_time(len(self._kept), f"steps, to {at:.6g} s after its start", depth=Depth.PART)

    def _check_pace(self, until: arb) -> None:
        # Only pieces of about one length tell how many will follow: where they shrink, the motion may pass close by a
        # pole, and they grow again behind it.
        (begins, _), lengths = self._kept[-1], [piece.length for _, piece in self._kept[-PACE:]]
        if max(lengths) <= STEADY * min(lengths) and until - begins > MOST_PIECES * max(lengths):
            raise Absent("a phase takes too many steps: its equations are stiff, or it lasts too long")

    def at(self, lapse: Ball) -> State:
        """Return the state after a while."""
        return self.flow.at(self, lapse)
