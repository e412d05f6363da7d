"""A run: plan, workers, journal, records, documents."""
