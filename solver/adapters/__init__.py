"""Solvers that others wrote, put under test: SciPy, SUNDIALS, heyoka.

`mechanics` turns a mechanical problem and its discrete state into smooth equations with guards, `modes` drives any
integrator from event to event, the `*_adapter` modules bring the integrators.
"""
