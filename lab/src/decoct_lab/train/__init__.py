"""Fine-tuning of the small models that Decoct can use in the place of large ones."""
