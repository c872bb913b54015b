"""Entities that an XML file declares for itself: resolved where they are texts of a bounded length, else the file is refused.

Nothing outside the file is read: one that takes in another file and is used is a reason to refuse it, as its words would be missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from decoct.errors import ParseError

_DECLARED = re.compile(
    r"""<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>[\w.:-]+)\s+(?:(?P<outside>SYSTEM|PUBLIC)\b|"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
)
_USED = re.compile(r"&([A-Za-z_][\w.:-]*);")
_LONGEST = 10_000  # characters of one, with those within it
_MOST = 1_000_000  # characters that all uses together may add to a text


@dataclass(slots=True)
class _Entities:
    """What a file declares: texts by name, and the names of those that lie in other files."""

    values: dict[str, str] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    left: int = _MOST
    _known: dict[str, str] = field(default_factory=dict)

    def declare(self, declarations: str) -> None:
        """Take in declarations; the first of a name holds."""
        for found in _DECLARED.finditer(declarations):
            name = found["name"]
            if found["parameter"]:
                if f"%{name};" in declarations:
                    raise ParseError(f"its document type takes in other declarations (%{name};): save it without them")
            elif found["outside"]:
                self.outside.add(name)
            elif name not in self.outside:
                self.values.setdefault(name, found["double"] if found["double"] is not None else found["single"])

    def value(self, name: str, within: tuple[str, ...] = ()) -> str | None:
        """The text of an entity, with those within it; None for one that is not declared here."""
        if name in self.outside and name not in self.values:
            raise ParseError(f"it takes in another file (&{name};), which is not read: save it as one file")
        if name in within:
            raise ParseError(f"its entity {name} is declared by itself: save it without it")
        if name in self.values and name not in self._known:
            parts, length, at = [], 0, 0
            for inner in _USED.finditer(self.values[name]):
                more = self.value(inner[1], (*within, name))
                parts += [self.values[name][at : inner.start()], inner[0] if more is None else more]
                at, length = inner.end(), length + len(parts[-1])
                if length > _LONGEST:
                    raise ParseError("it declares entities that grow, as an entity bomb does: save it without them")
            self._known[name] = "".join([*parts, self.values[name][at:]])
        return self._known.get(name)

    def put(self, found: re.Match[str]) -> str:
        """What stands in the place of a use."""
        value = self.value(found[1])
        self.left -= len(value or "")
        if self.left < 0:
            raise ParseError("it uses entities until it is very large, as an entity bomb does: save it without them")
        return found[0] if value is None else value


def resolved_entities(text: str, declarations: str) -> str:
    """The text with the entities that `declarations` (what stands in its document type) gives; `ParseError` for a bomb."""
    entities = _Entities()
    entities.declare(declarations)
    return _USED.sub(entities.put, text) if entities.values or entities.outside else text
