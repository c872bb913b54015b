"""CASC: extract what the documents say, check it against one another, and write the structured context (Zhou et al.; lab/docs/methods.md)."""
