"""What quantities of a motion share: their terms, where they come from, systems, instants and expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from flint import ctx
from sympy import Expr

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import precision
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import proved
from veridyn.references.engine.quantities import References, Terms
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet, exact, unknown
from veridyn.references.problems import hybrid_readings as reading
from veridyn.references.problems.hybrid_conditions import check_last, check_order
from veridyn.references.problems.hybrid_modes import to_sympy
from veridyn.references.problems.hybrid_run import follow_motion
from veridyn.references.problems.hybrid_system import HybridSystem, ParameterSource, ParameterView
from veridyn.references.problems.sought_parameters import EventParameter
from veridyn.references.reference import Reference
from veridyn.references.second_routes import hybrid_steps

PROOF = "proved bounds of the motion between events, every event proved to be the next one"

T = TypeVar("T")
At = Any  # an instant: a number, an expression in the parameters, or an event: its name and number
Second = Callable[[Any], Any]


class MotionTerms(Terms, total=False):
    """The terms of a quantity of a motion: those of `References`, and its second route.

    That is a function of the parameters, attributes in mpmath; ``how`` says how it goes. Without one, steps of the
    motion in mpmath find the same.
    """

    second: Second


class SteppedRoute(NamedTuple):
    """A second route by steps: a function of the parameters, and how it goes, which may depend on them.

    ``size`` gives the largest absolute value of what is read on the way; None where instants are.
    """

    read: Callable[[ParameterSet], Any]
    describe: Callable[[ParameterSet], str]
    size: Callable[[ParameterSet], Any] | None = None


class Source(NamedTuple):
    """Where a quantity comes from: a ball of the proved motion, and the second route by steps."""

    enclose: Callable[[ParameterSet], Ball]
    stepped: SteppedRoute


@dataclass(frozen=True, eq=False)
class ReadMotion:
    """A motion that is read: each quantity is a `Reference` with the ball of the proved motion and a second route.

    ``order``, ``close`` and ``settles`` say what its quantities presume: the events of an orbit, the instant of the
    last of them; a last phase that lasts for ever.
    `spare` are bits beyond those asked for: what neighbouring motions cost that part, so that the first precision does.
    """

    problem: Any
    parameters: tuple[Parameter, ...]
    sought: ParameterSource | None = None
    record: Callable[..., Any] = ParameterSet
    spare: int = 0
    order: tuple[str, ...] = ()
    close: Expr | None = None
    settles: bool = False
    _systems: dict[Any, HybridSystem] = field(default_factory=dict)
    _sources: dict[Reference[Certified], Source] = field(default_factory=dict)

    @cached_property
    def reference(self) -> References:
        """The terms that its quantities share."""
        return References(self.parameters, self.record, proof=PROOF)

    def _steps(self, o: ParameterSet) -> hybrid_steps.Steps:
        if self.sought is None:
            return hybrid_steps.steps(self.problem, o)
        assert isinstance(self.sought, EventParameter), (
            "a motion with known parameters has no steps: state a second route"
        )
        return hybrid_steps.solved(self.problem, o, self.sought.name, self.sought.zero, self.sought.event)

    def _stretch(self, of: str | Expr, after: At, until: At) -> tuple[Expr, Any, Any]:
        """Return an expression and the instants between which it is read: start and end if none are named."""
        begin = self._instant(self.problem.start if after is None else after)
        return self._expression(of), begin, self._instant(until)

    def _step(self, read: Callable[[Any], Any], expression: Expr | None = None, *, sized: bool = True) -> SteppedRoute:
        """Return a second route: a reading, of an expression or of instants, of steps in mpmath.

        ``sized``: the reading is as large as the expression; an instant at which that is read is not.
        """
        size = None if expression is None or not sized else lambda o: self._steps(o).size(expression)
        return SteppedRoute(lambda o: read(self._steps(o)), lambda _: hybrid_steps.HOW, size)

    def _quantity(
        self,
        name: str,
        read: Callable[[Any], Ball],
        stepped: SteppedRoute | None,
        terms: MotionTerms,
    ) -> Reference[Certified]:
        enclosed = self._spared(reading.with_slope(self._on_orbit(read) if stepped else read))
        enclosed.__name__ = name
        route, stated = self._split(stepped, terms)
        result = replace(self.reference(route, **stated)(enclosed), premises=self._premises)
        if stepped is not None:
            self._sources[result] = Source(enclosed, stepped)
        return result

    def _split(self, stepped: SteppedRoute | None, terms: MotionTerms) -> tuple[Second | None, Terms]:
        """Return the second route, which takes a record of parameters, and the other terms."""
        second, how = terms.get("second"), terms.get("how")
        rest = {name: term for name, term in terms.items() if name not in ("second", "how")}
        stated = cast(Terms, {"effort": self._effort(), **rest})
        if second is not None:
            return lambda o: second(ParameterView(o, Exact.mpf)), {**stated, "how": how or "closed form"}
        if stepped is None:
            return None, stated
        promised: Terms = {"how": stepped.describe, "promised": hybrid_steps.PROMISED}
        if stepped.size is not None:
            promised["size"] = stepped.size
        return stepped.read, {**promised, **stated}

    def _on_orbit(self, read: Callable[[Any], T]) -> Callable[[Any], T]:
        """Return a reading that refuses a motion which is not what its quantities presume."""

        def read_there(o: Any) -> T:
            if self.order:
                close = None if self.close is None else self._system(o).instant(self.close, o)
                check_order(follow_motion(self._system(o), o), self.order, self._markers, close)
            if self.settles:
                check_last(follow_motion(self._system(o), o))
            return read(o)

        return read_there if self.order or self.settles else read

    @cached_property
    def _premises(self) -> tuple[str, ...]:
        order = [f"the events are {', '.join(self.order)}, in this order"] if self.order else []
        close = [f"the last of them is at {self.close}"] if self.close is not None else []
        last = ["its last phase lasts for ever"] if self.settles else []
        sought = [self.sought.describe()] if isinstance(self.sought, EventParameter) else []
        return (*order, *close, *last, *sought)

    @cached_property
    def _markers(self) -> frozenset[str]:
        return frozenset(event.name for mode in self.problem.modes for event in mode.events if event.is_marker)

    def _spared(self, read: Callable[[Any], T]) -> Callable[[Any], T]:
        def spared(o: Any) -> T:
            with precision(ctx.prec + self.spare):
                return read(o)

        return spared

    def _effort(self, *watched: Expr) -> Callable[[ParameterSet], str]:
        return self._spared(lambda o: proved(follow_motion(self._system(o, *watched), o).kept))

    def _system(self, o: Any, *watched: Expr) -> HybridSystem:  # noqa: ARG002 - other motions depend on the parameters
        return self._systems.setdefault(watched, HybridSystem(self.problem, watched, self.sought))

    def _time(self, o: ParameterSet, when: Any, *watched: Expr) -> Ball:
        """Return an instant (s), that of an event as the motion has it in which something is watched."""
        system = self._system(o, *watched)
        return system.instant(when, o) if isinstance(when, Expr) else reading.find_event(system, o, *when).end

    def _span(self, o: ParameterSet, begin: Any, end: Any, watched: Expr) -> tuple[Ball, Ball]:
        """Return the instants (s) between which an expression is watched."""
        return self._time(o, begin, watched), self._time(o, end, watched)

    def _instant(self, at: At) -> Any:
        """Return an expression, or name and number of an event."""
        if isinstance(at, tuple):
            self._check_event(at[0])
            return at
        return self._expression(self.problem.end if at is None else at)

    def _expression(self, given: Any) -> Expr:
        if isinstance(given, Expr):
            return given
        try:
            return to_sympy(exact(given))
        except ParameterError:
            return self.problem.expression(given)

    def _check_event(self, name: str) -> None:
        for each in name.split(" or "):
            if each not in self.problem.event_names:
                raise ParameterError(unknown(each, self.problem.event_names, "event"))
