"""What kernels share: how a march ends, the memory of contacts and devices in a step that is tried again."""

from veridyn.solver.integrators.kernels.archive import INSTANT, STOP
from veridyn.solver.integrators.kernels.jit import part, shared

# why a march ends: it is not over, it is, the archive is full, a coordinate left the range of finite numbers, the step
# control gave up, another thread asked for it
GOING, DONE, FULL, DIVERGED, STUCK, STOPPED = range(6)


@part
def ending(archive, bad, done):
    """Tell why a march ends here, GOING if it does not."""
    if bad >= 0:
        return DIVERGED
    if done:
        return DONE
    return STOPPED if shared(archive.cursor, STOP) != 0 else GOING


@part
def unfinished(t, t_end, steps):
    """Tell whether more than the rounding of the summed steps remains."""
    return t_end - t > slack(steps)


@part
def slack(steps):
    """Return the rounding (s) of the sum of so many steps."""
    return (steps + 1) * 2.220446e-15


@part
def horizon(archive, t_end):
    """Return the instant (s) that no step may pass: the end, or the next instant that steps are to end on."""
    return min(t_end, archive.instants[archive.cursor[INSTANT]]) if archive.land else t_end


@part
def resumed(archive, t, target, left, dt, steps):
    """Return the next step: what was left of a step that was cut to end on an instant, or what the control says."""
    # A step that was cut to end on an instant says nothing of the step that the error allows. Without the rest of it
    # the march would go on with short steps after each output.
    return left if archive.land and left > slack(steps) and abs(target - t) <= slack(steps) else dt


@part
def outlook(archive, dt, steps):
    """Return the step (s) half of which a state must reach to be kept for an instant."""
    return 2.0 * slack(steps) if archive.land else dt


@part
def copy(source, target):
    """Copy the memory of contacts and devices (c + d, 8)."""
    for c in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[c, k] = source[c, k]
