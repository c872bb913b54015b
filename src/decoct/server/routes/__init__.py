"""The routes, one file a concern."""
