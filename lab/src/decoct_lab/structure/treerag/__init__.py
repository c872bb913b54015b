"""TreeRAG-style trees: a document's chunks under its headings, an outline or its turns of subject (Tao et al., Findings of ACL 2025)."""
