"""Limits of proofs that command line and functions share; light, so that the command line reads it at once."""

from __future__ import annotations

SECONDS = 30.0  # for a value, unless more are given: by both routes a default value takes up to half of it
MORE = "--seconds gives it more"  # the remedy where a value does not come in time
