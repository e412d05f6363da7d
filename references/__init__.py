"""Truth: quasi-analytical solutions to any number of digits, for any parameters.

Every module states one piece of physics as pure, keyword-only functions that return a `Certified` value: a number that
knows how many of its digits are right and by which independent routes it was obtained. Nothing here knows a solver;
python-flint, mpmath, SymPy and NumPy are the only dependencies.
"""

from veridyn.references.certified import CertificationError, Certified
from veridyn.references.parameters import Parameter, ParameterError

__all__ = ["CertificationError", "Certified", "Parameter", "ParameterError"]
