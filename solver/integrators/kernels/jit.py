"""How kernels are compiled: cached on disk, IEEE arithmetic, no Python objects."""

import contextlib
import operator
from pathlib import Path
from typing import Any

from numba.core.compiler import Compiler
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from veridyn.problem.compiling import compiler


def drop_old_caches(sources: Path, folder: Path) -> None:
    """Delete compiled kernels that are older than the newest kernel source.

    numba looks only at the file of the function itself; a change in a function that it calls from
    another file would go unnoticed and the old machine code would be judged instead of the new.
    """
    newest = max(source.stat().st_mtime for source in sources.glob("*.py"))
    for file in (*folder.glob("*.nbi"), *folder.glob("*.nbc")):
        with contextlib.suppress(OSError):  # another process drops them too, or the folder is read-only
            if file.stat().st_mtime < newest:
                file.unlink()


def _nothing() -> None:
    """Tell, once compiled, by its cache where those of the kernels are."""


_compiled = compiler()(_nothing)
COMPILES = hasattr(_compiled, "stats")
"""Whether kernels are compiled: they are plain Python if compilation is switched off."""

if COMPILES and (place := _compiled.stats.cache_path):
    drop_old_caches(Path(__file__).parent, Path(str(place)))


class Apart(Compiler):
    """The usual compiler, told that no two arrays among the arguments share memory.

    Then numbers may stay in registers from one part of a step to the next. No option of numba says so (0.61 to
    0.68); a pipeline of one's own, which its documentation describes, may.
    """

    def define_pipelines(self) -> Any:
        """Return the usual passes."""
        self.state.flags.noalias = True
        return super().define_pipelines()


# A function of its own: compiled once, kept on disk.
own: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
kernel = compiler(**own)

# A scheme: a kernel whose arguments are arrays of a `Storage`, a `System` and whatever else, apart in memory.
scheme = compiler(**own, pipeline_class=Apart)


def parts(**options: Any) -> Any:
    """Return a decorator of functions that kernels alone call.

    They have no entry from Python, which would take as long to compile as they do: called from there they end the
    process. They allocate nothing: ``_nrt``, of which numba's documentation of `register_jitable` tells, says so.
    """
    return compiler(**{**own, "_nrt": False, "no_cpython_wrapper": True, **options})


# A part of a scheme: always inlined, and without reference counts, since counting the sixteen arrays of a
# system at every access costs ten times the step itself. The arrays belong to the caller of the scheme. A part
# cannot allocate: it would not compile.
part = parts(forceinline=True)

# A part in which a product and a sum may be one operation of the processor, rounded once: for values of polynomials,
# quicker and more accurate; not for schemes, which give the same bits everywhere.
fused = parts(forceinline=True, fastmath={"contract"})

# A part that is called instead of inlined, outside the loops: quicker to compile.
called = parts()

# A loop over independent problems, on several threads.
threaded = compiler(error_model="numpy", nogil=True, parallel=True)


@part
def magnitude(number):
    """Return the size of a number that may carry a derivative, with its derivative."""
    return -number if number.real < 0.0 else number


@part
def positive(number):
    """Return a number that may carry a derivative, or zero if it is negative."""
    return number if number.real > 0.0 else 0.0


@part
def natural(index):
    """Return an index that the compiler knows not to be negative: it need not look whether to count from the end."""
    return max(index, 0)


def _load(typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - the signature that the compiler expects
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "monotonic", 8)

    return array.dtype(array, index), code


_read: Any = intrinsic(_load) if COMPILES else operator.getitem  # plain Python likewise


@part
def shared(array, index):
    """Return a number that another thread may write meanwhile, read anew each time."""
    return _read(array, index)
