"""CASC's extraction by a language model that was trained for it."""
