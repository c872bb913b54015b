"""RAPTOR: summaries of clusters, and of clusters of clusters, above a library's leaves (Sarthi et al., ICLR 2024)."""
