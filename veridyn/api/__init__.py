"""The library as users call it: verify, solve, compare, reference."""
