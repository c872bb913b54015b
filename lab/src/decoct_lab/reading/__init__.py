"""Readers of passages to compare with."""
