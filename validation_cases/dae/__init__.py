"""Cases of differential-algebraic equations, a module each."""
