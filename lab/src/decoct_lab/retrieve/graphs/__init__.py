"""Retrieval by graphs of names, statements and passages; what they are built of is in `decoct_lab.structure.graphs`."""
