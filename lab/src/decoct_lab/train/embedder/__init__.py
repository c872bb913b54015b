"""Adapting an embedder to a library's own documents (`decoct train embedder`)."""
