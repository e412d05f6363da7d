"""What a solver states and answers, how it is loaded, and how a program is spoken to."""
