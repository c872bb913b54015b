"""The laboratory beside Decoct: systems of papers to compare with, reproductions of their tables, data sets, training."""

__all__: list[str] = []  # parts by their names in recipes, commands and data sets: nothing is imported from here
