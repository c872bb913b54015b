"""Structures that those retrievers read, built of a library."""
