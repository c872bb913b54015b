"""A report: the same tables as JSON and as Markdown."""
