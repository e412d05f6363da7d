"""What a solver is, read from its answers: so far the elementary weights of a single step."""
