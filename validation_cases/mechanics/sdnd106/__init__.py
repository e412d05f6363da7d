"""SDND106: two masses on a spring, one of which sticks, slips and sticks."""
