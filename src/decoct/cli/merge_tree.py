"""The merges of a context as a tree in lines (`decoct context --explain`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from decoct.context.merge.trees import Record, trees


def lines(records: Sequence[Record], text: Callable[[str, int, int], str]) -> list[str]:
    """One tree for each passage that came out (or came to nothing), its parts below it; `text` reads characters of a document.

    `+` are the texts that a merge kept, `-` the sentences that it dropped.
    """

    def shown(span: Record) -> str:
        doc_id, start, end = span["doc_id"], span["start"], span["end"]
        return f"{' '.join(text(doc_id, start, end).split())}  ({doc_id} {start}-{end})"

    return [line for tree in trees(records, shown) for line in _branch(tree, "")]


def _branch(node: Mapping[str, Any], indent: str) -> Iterator[str]:
    affinity = "" if node["affinity"] is None else f"  affinity {node['affinity']:.3f}"
    how = "" if node["how"] == "fused" else f"  ({node['how']})"
    yield f"{indent}{node['name']}  layer {node['layer']}  {node['before']} -> {node['after']} tokens{affinity}{how}"
    for mark, places in (("+", node["kept"]), ("-", node["dropped"])):
        yield from (f"{indent}  {mark} {place}" for place in places)
    for part in node["parts"]:
        yield f"{indent}  of {part['name']}  score {part['score']:.3f}"
        if part["made"]:
            yield from _branch(part["made"], indent + "    ")
