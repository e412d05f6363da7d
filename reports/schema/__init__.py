"""JSON schemas of the files that this room reads (a package, so that installations carry them)."""
