"""What kernels share: how a march ends, the contact memory of a step that is tried again."""

from veridyn.solver.kernels.archive import STOP
from veridyn.solver.kernels.jit import part

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
    return STOPPED if archive.cursor[STOP] != 0 else GOING


@part
def unfinished(t, t_end, steps):
    """Whether more than the rounding of the summed steps remains."""
    return t_end - t > (steps + 1) * 2.220446e-15


@part
def copy(source, target):
    """Copy the contact memory (c, 8)."""
    for c in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[c, k] = source[c, k]
