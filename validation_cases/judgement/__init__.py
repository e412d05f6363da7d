"""What a case is, how a solver is run on it and judged."""
