"""Puts this folder on the path: what the stores' tests share (`random_entries`) is imported by its name."""
