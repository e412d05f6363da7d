"""Draws the picture of the README: `python docs/caught_error.py` runs the solver of the tutorial, right and faulty."""

import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import veridyn

mpl.use("svg")
HERE = Path(__file__).parent
FAULT = ("-k * x", "-1.0001 * k * x")
CHECK = "2-shocks-convergence:flight_duration"
CODE = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def tutorial(*, faulty: bool) -> Any:
    """Return the solver of the tutorial, with the fault if wanted."""
    code, _ = CODE.findall((HERE / "plugging-in-a-solver.md").read_text(encoding="utf-8"))
    module = ModuleType("tutorial")
    exec(code.replace(*FAULT) if faulty else code, module.__dict__)
    return module.Euler()


def levels(*, faulty: bool) -> tuple[list[float], list[float]]:
    """Return steps (s) and errors (s) of the quantity."""
    records = veridyn.verify(tutorial(faulty=faulty), ["sdnd101"])
    (record,) = (one for one in records if one.id == CHECK)
    assert record.verdict == ("fail" if faulty else "pass")
    return [level.size or math.nan for level in record.levels], [level.error or math.nan for level in record.levels]


def draw(axes: Axes) -> None:
    """Draw the errors over the step."""
    for faulty, style, name in ((False, "o-", "right: pass"), (True, "s-", "spring 0.01 % too stiff: fail")):
        axes.loglog(*levels(faulty=faulty), style, color="#a83600" if faulty else "#00664a", label=name)
    axes.set(xlabel="step (s)", ylabel="error of the flight duration (s)", title="SDND101: error against the reference")
    axes.grid(visible=True, which="major", color="#d9dee3")
    axes.legend(frameon=False)


def main() -> None:
    """Draw and write the picture."""
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "veridyn", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
        draw(axes)
        figure.savefig(HERE / "images" / "caught-error.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
