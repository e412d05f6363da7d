"""The way into the command line: Ctrl-C, at any instant, is one line and the status 130.

It imports nothing that takes long, so that this holds from the first milliseconds on.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
AGAIN = 0.05  # s, until an interrupt that was lost is raised again


def start() -> int:
    """Run the command of this process; return its exit status."""
    signal.signal(signal.SIGINT, _end)  # while modules are loaded, there is nothing to be tidied up
    sys.unraisablehook = _raise_again
    if "MPLBACKEND" in os.environ:  # figures go to files; a backend that does not exist would end their import
        os.environ["MPLBACKEND"] = "agg"
    from veridyn.cli.main import main

    interrupt = _Interrupt()
    try:
        signal.signal(signal.SIGINT, interrupt)
        return main()
    except KeyboardInterrupt:
        return _say()
    except Exception:
        if interrupt.came:
            return _say()
        raise
    finally:
        signal.signal(signal.SIGINT, _end)  # the interpreter ends, and all that was started has ended


class _Interrupt:
    """Raise KeyboardInterrupt, and remember it.

    A library in C++ may raise something else in its place: matplotlib converts an argument, Python code of the argument
    is interrupted, and the caller is told that the argument cannot be converted.
    """

    came = False

    def __call__(self, _number: int, _frame: FrameType | None) -> NoReturn:
        self.came = True
        raise KeyboardInterrupt


def _end(*_: object) -> NoReturn:
    """End at once: neither half-loaded modules nor an interpreter that ends can take an exception."""
    os._exit(_say())


def _say() -> int:
    os.write(2, b"veridyn: interrupted\n")
    return INTERRUPTED


def _interrupt() -> None:
    """Interrupt the main thread, also one that waits: a signal that this thread got would not wake it."""
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(main, signal.SIGINT)


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again that came where exceptions are lost, in a destructor; report what else is lost there."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(AGAIN, _interrupt).start()
    else:
        sys.__unraisablehook__(lost)
