"""Judges of what reproductions measure."""
