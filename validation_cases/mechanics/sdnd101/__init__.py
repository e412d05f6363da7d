"""SDND101: release against an elastic stop."""
