"""SDND100: free decay of a slider under dry friction, until it stops for good."""
