"""Mutation analysis: seeded faults, and which of them the suite detects."""
