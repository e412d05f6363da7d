"""Jitted kernels."""
