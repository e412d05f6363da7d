"""A simply supported beam that falls on an elastic stop at mid-span."""
