"""SDND107: a mass on a Zener device."""
