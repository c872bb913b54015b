"""Ways to shorten a context that are compared with."""
