"""The laboratory beside Decoct: systems of papers to compare with, reproductions of their tables, data sets, training."""
