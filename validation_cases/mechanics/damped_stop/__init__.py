"""A mass that bounces off a damped stop."""
