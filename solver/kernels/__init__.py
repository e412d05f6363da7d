"""Jitted kernels: allocation-free in the loop, nonlinearities as arrays, one compilation for every case."""
