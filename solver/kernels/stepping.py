"""What adaptive kernels share: how a march ends, the contact memory of a step that is tried again."""

from veridyn.solver.kernels.jit import part

DONE, FULL, DIVERGED, STUCK = 0, 1, 2, 3


@part
def unfinished(t, t_end, steps):
    """Whether more than the rounding of the summed steps remains."""
    return t_end - t > (steps + 1) * 2.220446e-15


@part
def copy(source, target):
    """Copy the contact memory (c, 7)."""
    for c in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[c, k] = source[c, k]
