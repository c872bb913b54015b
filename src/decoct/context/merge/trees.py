"""The merges of a context as trees: who was merged with whom, at what scores, and which sentences were kept and dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


def trees(records: Sequence[Record], shown: Callable[[Record], object], deepest: int = 900) -> list[dict[str, Any]]:
    """One tree for each passage that came out of a merge, or came to nothing, at most `deepest` merges deep.

    `shown` is what a place of a document (`doc_id`, `start`, `end`) is in the tree.
    """
    made = {record["output"]: record for record in records if record["output"] not in (None, record["inputs"][0])}
    used = {name for record in records for name in record["inputs"] if record["output"] != name}

    def node(record: Record, depth: int) -> dict[str, Any]:
        parts = []
        for name, score in zip(record["inputs"], record["scores"], strict=True):
            inner = made.get(name)
            deeper = inner is not None and inner is not record and depth < deepest
            parts.append({"name": name, "score": score, "made": node(inner, depth + 1) if inner and deeper else None})
        return {
            "name": record["output"] or "nothing",
            "layer": record["layer"],
            "before": record["tokens_before"],
            "after": record["tokens_after"],
            "affinity": record["affinity"],
            "how": record["how"],
            "kept": [shown(span) for span in record["kept"]],
            "dropped": [shown(span) for span in record["dropped"]],
            "parts": parts,
        }

    roots = [one for one in records if one["output"] not in used or one["output"] == one["inputs"][0]]
    return [node(record, 0) for record in roots]
