"""What is to be solved, as data."""
