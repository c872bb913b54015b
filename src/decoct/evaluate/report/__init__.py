"""A report: the same tables as Markdown, JSON and one self-contained page."""
