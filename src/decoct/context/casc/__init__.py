"""CASC: extract what the documents say, check it against one another, and write a structured context (Zhou et al.; lab/docs/methods.md)."""
