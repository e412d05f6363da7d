"""What several cases measure or draw."""
