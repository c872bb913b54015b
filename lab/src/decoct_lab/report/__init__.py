"""A run as one self-contained page: figures, tables, and the questions on which systems differ most."""
