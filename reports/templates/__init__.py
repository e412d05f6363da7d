"""Templates of the HTML page (a package, so that installations carry them)."""
