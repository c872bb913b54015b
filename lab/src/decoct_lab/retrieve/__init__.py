"""Retrievers of the systems to compare with."""
