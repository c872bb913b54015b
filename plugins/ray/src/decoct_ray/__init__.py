"""Work spread over a cluster of machines by Ray: documents read and embedded, structures built, questions asked."""

__all__: list[str] = []  # what it brings is named by recipes, commands and specs
