"""What a solver is, read from its answers: the map of one step and the elementary weights."""
