"""veridyn: verification of solvers of nonlinear dynamics."""
