"""T-RAG's tree of entities: who or what is inside what, as documents state it (Fatehkia et al., 2024)."""
