"""Work spread over a cluster of machines by Ray: ingest, read and embedded wherever there are processors."""
