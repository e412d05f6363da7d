"""Our jitted modal integrator: schemes and kernels."""
