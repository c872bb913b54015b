"""Readers to compare with."""
