"""An event-driven solver: smooth phases by collocation under error control, events by roots of dense output.

Between two events every stop is open or closed, every friction sticks or slips one way, every device stays on one
branch of its law. In such a mode the motion is smooth. A step puts a polynomial through ``stages`` Chebyshev points and
asks the equation of motion there; the last coefficient of the polynomial is the estimate of its error, which `rtol`
bounds in parts of the largest displacement and velocity so far. The guards of the mode (gaps, pressures, margins of
stick, velocities of slip, ends of branches) are interpolated over each step as well; their first descent through zero
is the event, extrema inside the step included. Steps end where a load has a break.

Nothing of veridyn is imported. Every small method of `EventDriven` may be replaced by a subclass.
"""

from .solver import SOLVER, EventDriven

__all__ = ["SOLVER", "EventDriven"]
