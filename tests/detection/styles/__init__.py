"""Sound solvers of odd styles, drawn at random: nothing that they do is wrong, so that what fails is a false alarm."""
