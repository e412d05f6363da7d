"""Problems written so that any solver takes them, with the way back for responses."""
