"""Solvers that others wrote, put under test.

Integrators of smooth equations (SciPy, SUNDIALS, heyoka, Drake) are carried by `veridyn.solver.event_driven`; libraries
that step through contact and friction by their own means (Exudyn, OpenSees, MuJoCo, Drake, Siconos, PyBullet, Newton)
share `stepping`.
"""
