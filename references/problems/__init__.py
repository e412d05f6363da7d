"""Motions of single problems: one module a problem whose routes are more than a few lines."""
