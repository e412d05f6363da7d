"""Known time integrators: tableaux, exact solutions of linear problems, fingerprints."""
