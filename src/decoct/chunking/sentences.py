"""Sentence boundaries, where they were before they moved to `decoct.text.sentences`."""

from decoct.text.sentences import sentences

__all__ = ["sentences"]
