"""What `decoct audit` reports on folders with pairs of living documents: conflicts found, and look-alikes told as conflicts.

    python benchmarks/audit_pairs.py

A conflict counts as found where one that is reported has a side for each of its marked values; a look-alike is false where any is reported.
"""

from __future__ import annotations

import json
from typing import Any

from everyday_conflicts import holds
from setting import HERE, command_line, setting, write

from decoct.cli.audit import _audit, _reading
from decoct.data import Document

FOLDERS = HERE / "written-conflicts" / "audit-pairs-dev.jsonl"


def is_found(values: list[str], reported: list[list[str]]) -> bool:
    """Whether some reported conflict has a side for each value."""
    return any(all(any(holds(side, value) for side in sides) for value in values) for sides in reported)


def main() -> None:
    chosen = command_line(__doc__, out="audit-pairs.json").parse_args()
    extractor, policy = _reading("casc", None)
    items: list[dict[str, Any]] = []
    for folder in map(json.loads, FOLDERS.read_text("utf-8").splitlines()):
        documents = [Document(one["id"], one["text"], one["title"]) for one in folder["documents"]]
        for asked in folder["questions"]:
            _, _, made = _audit(asked["question"], documents, 12, extractor, policy)
            reported = [[side.value for side in one.sides] for one in made.conflicts]
            told = [[fact.status, fact.value, fact.why] for fact in made.facts if fact.why]
            items.append({"folder": folder["folder"], **asked, "reported": reported, "told beside": told})
    write(chosen.out, {**setting(), "counts": counts(items), "items": items})


def counts(items: list[dict[str, Any]]) -> dict[str, int]:
    """How many conflicts there are and are found, how many look-alikes there are and are told as conflicts."""
    conflicts = [one for one in items if one["conflict"]]
    return {
        "conflicts": len(conflicts),
        "found": sum(is_found(one["values"], one["reported"]) for one in conflicts),
        "look-alikes": len(items) - len(conflicts),
        "false": sum(bool(one["reported"]) for one in items if not one["conflict"]),
    }


if __name__ == "__main__":
    main()
