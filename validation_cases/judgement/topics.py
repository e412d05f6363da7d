"""What cases are about: phenomena, and what makes them hard for a solver."""

from collections.abc import Mapping

TOPICS: Mapping[str, str] = {
    "impact": "bodies that touch and part: elastic, damped or rigid stops",
    "friction": "dry friction: stick and slip",
    "wear": "wear power and energies of rubbing stops",
    "hysteresis": "forces that remember: plastic, viscoelastic or buckling elements",
    "nonlinear spring": "restoring forces that are no line",
    "nonlinear damper": "damping forces that are no line",
    "rotor": "unbalance, gyroscopic and circulatory forces",
    "seismic": "supports that move",
    "modal superposition": "linear systems solved by modes",
    "many modes": "structures of many modes",
    "multibody": "rigid bodies",
    "constraints": "algebraic or nonholonomic constraints",
    "resonance": "driven motions near resonance, and their periodic orbits",
    "parametric resonance": "coefficients that change with time",
    "limit cycle": "motions that return by themselves",
    "chaos": "motions whose errors grow exponentially",
    "waves": "waves in chains",
    "two directions": "friction that turns in a plane",
    "release": "contacts or holds that end without an impact",
    "grazing": "contacts with a velocity near zero",
    "simultaneous events": "several events at one instant",
    "accumulation": "infinitely many events in a finite time",
    "singular law": "laws without derivatives where the motion passes",
    "stiff": "rates that differ by orders of magnitude",
    "close encounter": "short stretches of fast motion",
    "long time": "many periods, in which phases drift",
    "sensitive": "small errors grow large",
    "gradients": "derivatives by start and parameters, in closed form, through events",
}
"""Topics by name, with their meaning in a line."""
