"""SDND104: wear of a rubbing shoe."""
