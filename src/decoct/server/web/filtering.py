"""A filter as people write it on the page: `year >= 2020; kind = paper, report`, as the option `--filter` has it."""

from __future__ import annotations

from decoct.index.base import Where
from decoct.index.filters import where_of_written, written_condition
from decoct.server.problems import ProblemError


def where_of_text(text: str) -> Where | None:
    """The filter, None for an empty text; 422 names the part that cannot be read. Commas part the values of a key."""
    found = []
    for part in filter(str.strip, text.split(";")):
        key, operator, value = written_condition(part) or ("", "", "")
        several = [one.strip() for one in value.split(",") if one.strip()]
        if not several:
            told = f"the filter {part.strip()[:100]!r} cannot be read: write it as year >= 2020; kind = paper, report"
            raise ProblemError(422, told, param="only")
        found.append((key, operator, several if operator == "=" else value))
    return where_of_written(found) or None
