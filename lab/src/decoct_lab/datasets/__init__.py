"""Named data sets: rows of `catalogue.toml`, and the modules that read their releases."""
