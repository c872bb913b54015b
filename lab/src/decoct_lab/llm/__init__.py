"""What only parts of the laboratory ask of language models."""
