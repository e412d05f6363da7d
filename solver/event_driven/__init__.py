"""From event to event: what the exact solver and the adapters of integrators share.

`forcing` reads the drive as waves and polynomials, `mechanics` writes the equations and guards of every discrete mode,
`impacts` lets rigid stops be hit, `driver` carries an integrator of `legs` through the modes, `answer` makes settings,
histories and events of it.
"""
