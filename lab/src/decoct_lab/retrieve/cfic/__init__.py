"""CFIC: evidence without chunks, read out of the document in the model's context (Qian et al., ACL 2024)."""
