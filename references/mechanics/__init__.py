"""The laws of mechanical elements as modes with their inequalities, in exact numbers: what the engine proves."""
