"""Cases of smooth ordinary differential equations, a module each."""
