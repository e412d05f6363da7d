"""SDLD29: a chain of eight masses whose damping couples the modes."""
