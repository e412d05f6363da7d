"""SDLD31: an oscillator under a sine force, beside resonance and at it."""
