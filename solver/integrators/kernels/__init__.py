"""Jitted kernels: allocation-free in the loop, nonlinearities as arrays, few compilations for every case."""
