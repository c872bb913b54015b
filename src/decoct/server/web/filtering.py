"""A filter as people write it on the page: `year >= 2020; kind = paper, report`, as the option `--filter` has it."""

from __future__ import annotations

from decoct.index.filters import written_condition
from decoct.server.parameters import Where
from decoct.server.problems import ProblemError


def where_of_text(text: str) -> Where | None:
    """The filter, None for an empty text; 422 names the part that cannot be read.

    Values of one key are alternatives (commas part them), its bounds must all hold; a key has values or bounds, not both,
    and one bound of a kind.
    """
    values: dict[str, list[str]] = {}
    bounds: dict[str, dict[str, str]] = {}
    for part in filter(str.strip, text.split(";")):
        found = written_condition(part)
        if found is None or not found[2]:
            raise _unreadable(part)
        key, operator, value = found
        if operator == "=":
            values.setdefault(key, []).extend(one.strip() for one in value.split(",") if one.strip())
        elif operator not in bounds.setdefault(key, {}):
            bounds[key][operator] = value
        else:  # two bounds of one kind: one of them would be lost
            raise _unreadable(part)
        if (key in values and key in bounds) or values.get(key) == []:
            raise _unreadable(part)
    where: Where = {}
    where.update({key: list(ones) for key, ones in values.items()})
    where.update({key: dict(ones) for key, ones in bounds.items()})
    return where or None


def _unreadable(part: str) -> ProblemError:
    return ProblemError(
        422,
        f"the filter {part.strip()[:100]!r} cannot be read: write it as year >= 2020; kind = paper, report",
        param="only",
    )
