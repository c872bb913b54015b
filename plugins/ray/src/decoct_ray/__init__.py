"""Work spread over a cluster of machines by Ray: documents read and embedded, structures built, questions asked."""
