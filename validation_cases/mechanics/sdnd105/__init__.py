"""SDND105: a mass against a stop that buckles."""
