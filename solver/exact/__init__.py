"""The exact event-driven solver."""
