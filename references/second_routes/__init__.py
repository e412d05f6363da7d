"""Other mathematics for the same numbers: waves, quadratures, closed forms, extrapolation."""
