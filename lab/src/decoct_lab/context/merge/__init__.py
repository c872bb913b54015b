"""Parts of the laboratory; see each module."""
