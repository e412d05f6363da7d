"""`veridyn doctor`: what is wrong with a solver."""
