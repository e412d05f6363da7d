"""SDND102: resonant earthquake with impacts."""
