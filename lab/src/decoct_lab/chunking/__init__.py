"""Chunkers by the losses of a language model."""
