"""What is read off a response: interpolation, impacts, wear, energy, agreement of its parts."""
