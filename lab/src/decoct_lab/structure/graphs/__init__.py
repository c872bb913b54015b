"""Graphs of names, statements and passages: what the graph systems build beforehand."""
