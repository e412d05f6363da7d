"""Initial value problems as functional mock-up units (FMI)."""
