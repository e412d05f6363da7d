"""The quantities of the motion of a mechanical problem, each a reference: what solvers get is what is proved.

A statement is a function of the parameters that returns the problem. With exact numbers it makes the problem that the
engine follows; a parameter to which derivatives are taken stays a symbol in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Self, Unpack, cast

from flint import arb
from sympy import Expr, Symbol

from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.errors import ProblemError
from veridyn.problem.formulas import ReadNumber, VariedNumber
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import CertificationError, Certified, PhaseChange, classification, undefined
from veridyn.references.engine.enclosure import Absent, Exactly, Undecided, decided, enclose_all, less, per_bits
from veridyn.references.engine.jets import Ball, slope
from veridyn.references.mechanics.assembly import MechanicalMode, MechanicalMotion, make_motion
from veridyn.references.mechanics.frequencies import Root, find_roots
from veridyn.references.mechanics.numbers import read_decimal
from veridyn.references.mechanics.steps import THROUGH, ProvedModes, write_modes
from veridyn.references.mechanics.system import MechanicalSystem
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet, exact, resolve
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.references.problems.hybrid_modes import TIME, to_sympy
from veridyn.references.problems.hybrid_quantities import PROOF, At, MotionTerms, SteppedRoute
from veridyn.references.problems.hybrid_run import follow_until
from veridyn.references.problems.hybrid_system import HybridPhase, make_balls
from veridyn.references.problems.sought_parameters import EventParameter
from veridyn.references.reference import Reference
from veridyn.references.second_routes import hybrid_steps
from veridyn.references.second_routes.hybrid_steps import END

Statement = Callable[[Mapping[str, Any]], MechanicalProblem]
EIGENVALUES = "eigenvalues of the matrices, enclosed one by one"
MOST_SETS = 32  # of parameters whose modes are remembered


@dataclass(frozen=True, eq=False)
class MechanicalQuantities(MotionQuantities):
    """The quantities of a mechanical problem: of its coordinates, their velocities, and readings of its elements."""

    statement: Statement = None  # type: ignore[assignment]
    read_number: ReadNumber = read_decimal
    integrands: tuple[tuple[Symbol, Expr], ...] = ()
    # made once for each set of parameters
    _made: Callable[[ParameterSet], MechanicalMotion] = None  # type: ignore[assignment]
    _restated: Callable[[ParameterSet], InitialValueProblem | None] = None  # type: ignore[assignment]
    _proved: Callable[[ParameterSet], ProvedModes] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_made", lru_cache(maxsize=MOST_SETS)(self._state))
        object.__setattr__(self, "_restated", lru_cache(maxsize=MOST_SETS)(self._restate))
        object.__setattr__(self, "_proved", lru_cache(maxsize=MOST_SETS)(self._write_modes))

    def _state(self, o: ParameterSet) -> MechanicalMotion:
        """Return the motion for parameters."""
        values = {name: _write(name, number) for name, number in vars(o).items()}
        if isinstance(self.sought, EventParameter):
            values[self.sought.name] = VariedNumber(self.sought.name, to_sympy(exact(self.sought.near)))
        problem = self.statement(values)
        return make_motion(problem, self.read_number, dict(self.integrands))

    def _restate(self, o: ParameterSet) -> InitialValueProblem | None:
        """Return the problem as it is written for solvers of differential equations; None where its laws refuse."""
        if self.integrands or self.sought:
            return None
        try:
            return as_initial_value(self.statement(vars(o)))
        except ProblemError:
            return None

    def _write_modes(self, o: ParameterSet) -> ProvedModes:
        """Return the modes of the proved motion."""
        return write_modes(self._system(o), o)

    def find_fault(self) -> str:
        """Return why the motion cannot start as stated; empty if it can, or if that is not decided."""
        o = self.record(**resolve(self.parameters, {}))
        try:
            return decided(lambda: self._system(o).find_fault(o))
        except Undecided:
            return ""

    def _system(self, o: ParameterSet, *watched: Expr) -> MechanicalSystem:
        motion = self._made(o)
        key = (motion, watched)
        return self._systems.setdefault(key, MechanicalSystem(motion, watched, self.sought))  # type: ignore[return-value]

    def where(self, name: str, zero: str | Expr, at: tuple[str, int]) -> MechanicalQuantities:
        """Return the motion with that value of a parameter for which an expression is zero at an event.

        It is sought near its default; the expression is one in states and parameters. Quantities need a second route.
        """
        self._check_event(at[0])
        (near,) = (parameter.default for parameter in self.parameters if parameter.name == name)
        parameters = tuple(parameter for parameter in self.parameters if parameter.name != name)
        sought = EventParameter(name, self._expression(zero), at, near, MechanicalSystem)
        return replace(self, parameters=parameters, sought=sought, _systems={})

    def _instant(self, at: Any) -> Any:
        """Return an expression, which may be the name of a parameter, or name and number of an event."""
        if at is None:
            return END
        return Symbol(at) if at in {parameter.name for parameter in self.parameters} else super()._instant(at)

    def _summed(self, name: str, integrand: Expr) -> Self:
        integrands = (*self.integrands, (Symbol(name), integrand))
        problem = self.problem.with_integral(name, integrand)
        return replace(self, problem=problem, integrands=integrands, _systems={})

    # ---- modes of the matrices

    def frequency(self, number: int, **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return a frequency (Hz) of the matrices of the problem, damped, counted from 1, ascending.

        It is undefined unless all modes oscillate. Raises `ParameterError` for a number that no mode has.
        """
        return self._of_root(f"frequency {number}", number, lambda root: root.imaginary / (2 * arb.pi()), terms)

    def damping_ratio(self, number: int, **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return the ratio -Re λ/|λ| of a mode of the matrices; as `frequency`."""
        return self._of_root(f"damping ratio {number}", number, _read_ratio, terms)

    def _of_root(
        self, name: str, number: int, read: Callable[[Root], Ball], terms: MotionTerms
    ) -> Reference[Certified]:
        if not 1 <= number <= self.problem.frame.size:
            raise ParameterError(f"{name}: there are {self.problem.frame.size} modes")

        def read_root(o: ParameterSet) -> Ball:
            return read(_find_roots(self._system(o), o)[number - 1])

        return self._quantity(name, read_root, None, {"proof": EIGENVALUES, "effort": "", **terms})

    def phase_order(
        self, element: str, words: Mapping[str, str], until: At = None, *, from_start: bool = True
    ) -> Reference[Certified]:
        """Return the places of an element in order of time up to an instant, each in a word, as a classification.

        The first one is left out unless it is told ``from_start``.
        """
        list_places = self._list_places(element, words, until)

        def order(o: ParameterSet, digits: int) -> Certified:
            def join() -> str:
                return " ".join(word for _, word in islice(list_places(o), not from_start, None))

            try:
                return classification(decided(join, digits), PROOF)
            except (Absent, Undecided) as doubt:
                return undefined(str(doubt))

        return self.reference.function()(order)

    def phase_changes(
        self, element: str, words: Mapping[str, str], until: At = None
    ) -> Reference[tuple[PhaseChange, ...]]:
        """Return the changes of place of an element up to an instant: when (s), and the place that begins, in a word.

        Where the motion is not proved up to there, `CertificationError` is raised.
        """
        list_places = self._list_places(element, words, until)

        def changes(o: ParameterSet, digits: int) -> tuple[PhaseChange, ...]:
            try:
                times = enclose_all(
                    lambda: [time for time, _ in islice(list_places(o), 1, None)],
                    digits=digits,
                    kind="quasi-analytical",
                    name=f"changes of {element}",
                    proof=PROOF,
                )
            except Absent as reason:
                raise CertificationError(str(reason)) from None
            kinds = decided(lambda: [word for _, word in islice(list_places(o), 1, None)], digits)
            return tuple(map(PhaseChange, times, kinds))

        return self.reference.function()(changes)

    def change(
        self, element: str, words: Mapping[str, str], number: int, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) of a change of place of an element, counted from 1, told by the words of its places.

        It needs a second route. What comes later need not be proved.
        """
        list_places = self._list_places(element, words, None)

        def read(o: ParameterSet) -> Ball:
            place = next(islice(list_places(o), number, None), None)
            if place is None:
                raise Absent(f"{element} does not change its place {number} times up to the end of the motion")
            return place[0]

        return self._quantity(f"change {number} of {element}", read, None, terms)

    def _list_places(
        self, element: str, words: Mapping[str, str], until: At
    ) -> Callable[[ParameterSet], Iterator[tuple[Ball, str]]]:
        """Return what lists the places of an element, the first at the start: when it begins (s), and a word for it."""
        end = self._instant(until)

        def list_places(o: ParameterSet) -> Iterator[tuple[Ball, str]]:
            elements = self._made(o).elements  # which there are may depend on the parameters
            number = [each.name for each in elements].index(element)
            limit, last = self._time(o, end), ""
            for ended in follow_until(self._system(o), o, limit):
                if not less(ended.start, limit, "a change of phase and the end of the order agree"):
                    return
                mode = cast(MechanicalMode, cast(HybridPhase, ended.phase).mode)
                word = words[elements[number].places[mode.key.places[number]].name]
                if word != last:
                    yield ended.start, word
                last = word

        return self._on_orbit(list_places)

    # ---- the second route

    def _step(self, read: Callable[[Any], Any], expression: Expr | None = None, *, sized: bool = True) -> SteppedRoute:
        names = {symbol.name for symbol in expression.free_symbols} if expression is not None else set()
        in_states = names <= {TIME.name, *self.problem.states}

        def restate(o: ParameterSet) -> InitialValueProblem | None:
            return self._restated(o.plain) if in_states else None  # readings belong to the modes that were proved

        def follow(o: ParameterSet) -> hybrid_steps.Steps:
            return hybrid_steps.steps(restate(o) or self._proved(o.plain), ParameterSet())

        size = None if expression is None or not sized else lambda o: follow(o).size(expression)
        return SteppedRoute(
            lambda o: read(follow(o)), lambda o: THROUGH if restate(o) is None else hybrid_steps.HOW, size
        )


def make_quantities(
    statement: Statement,
    parameters: tuple[Parameter, ...] = (),
    *,
    read_number: ReadNumber = read_decimal,
    record: Callable[..., Any] = ParameterSet,
    spare: int = 0,
) -> MechanicalQuantities:
    """Return the quantities of what a statement poses.

    Names in quantities are those of the problem at the defaults of its parameters; its numbers that are no formulas are
    read by a rule, doubles as their shortest decimals. ``spare`` are bits beyond those asked for.

    Raises
    ------
    ProblemError
        For a law that has no exact form.
    """
    values = {name: to_sympy(number) for name, number in resolve(parameters, {}).items()}
    motion = make_motion(statement(values), read_number)
    return MechanicalQuantities(
        problem=motion, parameters=parameters, record=record, spare=spare, statement=statement, read_number=read_number
    )


@per_bits
def _find_roots(system: MechanicalSystem, o: ParameterSet) -> list[Root]:
    frame = system.problem.frame
    _, damping, stiffness = frame.matrices
    over_mass = (frame.inverse * matrix for matrix in (stiffness, damping))
    return find_roots(*([system.values(tuple(m.row(i)), make_balls(o)) for i in range(frame.size)] for m in over_mass))


def _read_ratio(root: Root) -> Ball:
    if root.real == 0 and not slope(root.real):
        raise Exactly(0, "nothing damps")
    return -root.real / (root.real**2 + root.imaginary**2).sqrt()


def _write(name: str, number: Any) -> Expr:
    """Return a parameter as a number, or as a symbol if derivatives are taken to it."""
    plain = to_sympy(number.plain)
    return plain if number.slope is None else VariedNumber(name, plain)
