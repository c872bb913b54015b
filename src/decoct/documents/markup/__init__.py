"""Markup: pages, books, Markdown, LaTeX, reStructuredText, man pages, XML and notebooks."""
