"""Recipes of the systems to compare with."""
