"""Solvers to begin with, one a language, as `veridyn new-solver` writes them."""
