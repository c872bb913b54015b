"""What the styles of a page hide, strike out, set apart, raise or lower, told by its elements: as inline style, as `sup` and `sub`.

Sheets are parsed by tinycss2. Of their rules those hold that a wide screen follows, for names, classes and ids, their descendants and
children; a rule that shows something holds whatever state of the page it is for. Nothing is fetched, and sheets without such properties
cost nothing. What the sheets of a page with scripts hide stays, since a script may show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import tinycss2
from lxml import etree

_BOXES = frozenset(
    "block flex grid table list-item inline-block inline-flex inline-grid inline-table table-cell".split()
)
_TELLS = {
    "display": {"none", *_BOXES},
    "visibility": {"hidden"},
    "text-decoration": {"line-through"},
    "vertical-align": {"super", "sub"},
    "list-style": {"none"},
    "list-style-type": {"none"},
}
_HEEDED = re.compile(
    r"display\s*:\s*(?:none|inline-|table|block|flex|grid|list)|visibility\s*:\s*hidden|line-through|list-style[^:;}]*:[^;}]*none|vertical-align\s*:\s*su|:\s*relative",
    re.I,
)
UNMARKED = re.compile(r"list-style[^:;]*:[^;]*none", re.I)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_OTHERS = re.compile(
    r"[^{}]*+\{(?:(?!display|list-style|visib|decoration|vertical|position)[^{}])*+\}", re.I
)  # blocks of other properties
_WIDE = re.compile(r"(?:only\s+)?(?:screen|all)?(?:\s*(?:and\s*)?\(min-width:[^()]*\))*", re.I)
_STATE = re.compile(r"::?[\w-]+(?:\([^()]*\))?|\[[^\]]*\]|.*[+~]")
_STEP = re.compile(r"\*?(?:[.#]?(?:\\[^\s0-9a-f]|[\w-])+)*")
_NAME = re.compile(r"[.#]?(?:\\.|[\w-])+")
_SMALL = re.compile(r"smaller|0?\.[1-8]\d*em|[1-8]\d(?:\.\d+)?%")
_LETTERS = frozenset("span font small big b strong i em u a var code".split())
_MOST_SIGNS, _MOST_WORK = 1_000_000, 3_000_000


class _Rule(NamedTuple):
    """A rule for one selector: `steps` are the names of its elements from the innermost on, and whether each is the next one's parent."""

    rank: tuple[int, ...]
    steps: list[tuple[frozenset[str], bool]]
    effects: dict[str, str]


def heed_styles(tree: Any, linked: Callable[[str], str]) -> None:  # noqa: ANN401 - lxml has no types
    """Let the elements of a page tell what its sheets and their own styles do; `linked` gives the text of a sheet by its address."""
    sheets = [
        "".join(one.itertext()) if one.tag == "style" else linked(one.get("href") or "")
        for one in tree.iter("style", "link")
        if (one.tag == "style" or (one.get("rel") or "").lower().split() == ["stylesheet"])
        and _WIDE.fullmatch((one.get("media") or "").strip())
    ]
    text = "\n".join(sheets)
    rules = _rules(text) if len(text) <= _MOST_SIGNS and _HEEDED.search(text) else ()
    if any(any(rule.effects.values()) for rule in rules) or any(map(_HEEDED.search, tree.xpath("//@style"))):
        _tell(tree, rules)


@lru_cache(8)
def _rules(text: str) -> tuple[_Rule, ...]:
    try:
        return tuple(_read(tinycss2.parse_stylesheet(_OTHERS.sub("", _COMMENT.sub("", text)), True, True)))
    except RecursionError:
        return ()


def _read(nodes: Any) -> Iterator[_Rule]:  # noqa: ANN401 - tinycss2 has no types
    for node in nodes:
        said = tinycss2.serialize(node.prelude) if node.type in ("at-rule", "qualified-rule") else ""
        if node.type == "at-rule" and node.content is not None:
            wide = node.lower_at_keyword == "media" and any(_WIDE.fullmatch(one.strip()) for one in said.split(","))
            if wide or node.lower_at_keyword in ("supports", "layer"):
                yield from _read(tinycss2.parse_rule_list(node.content, True, True))
        elif said and (effects := _effects(node.content)):
            important = "!" in tinycss2.serialize(node.content)
            yield from filter(None, (_rule(selector, effects, important) for selector in said.split(",")))


def _rule(selector: str, effects: dict[str, str], important: bool) -> _Rule | None:
    """The rule for a selector; None for one that elements alone do not decide."""
    hides = any(word and word not in _BOXES for word in effects.values())
    if not hides and _STATE.search(selector):
        selector, effects = _STATE.sub("", selector), dict.fromkeys(effects, "")
    parts = re.sub(r"\s*>\s*", " > ", selector).split()
    steps = [
        (frozenset(one.replace("\\", "") for one in _NAME.findall(part)), parts[at : at + 1] == [">"])
        for at, part in enumerate(parts, 1)
        if part != ">"
    ]
    if not (steps and steps[-1][0] and all(part == ">" or _STEP.fullmatch(part) for part in parts)):
        return None
    kinds = "".join(name[0] for one, _ in steps for name in one)
    return _Rule((important, kinds.count("#"), kinds.count("."), len(kinds)), steps[::-1], effects)


def _effects(content: Any) -> dict[str, str]:  # noqa: ANN401
    """What declarations say of the properties that are heeded: the word that tells, or that it is not so."""
    said = {
        one.lower_name.removesuffix("-line"): tinycss2.serialize(one.value).strip().lower()
        for one in tinycss2.parse_blocks_contents(content, True, True)
        if one.type == "declaration"
    }
    small = said.get("position") == "relative" and _SMALL.fullmatch(said.get("font-size", ""))
    moved = said.get("top", "") if small else ""
    if moved.strip("-0.")[:1].isdigit():
        said["vertical-align"] = "super" if moved[0] == "-" else "sub"
    return {
        name: next((word for word in said[name].split() if word in words), "")
        for name, words in _TELLS.items()
        if name in said
    }


def _tell(tree: Any, rules: tuple[_Rule, ...]) -> None:  # noqa: ANN401
    by_name: dict[str, list[_Rule]] = {}
    for rule in rules:
        by_name.setdefault(max(rule.steps[0][0], key=lambda name: name[0] in ".#"), []).append(rule)
    left, names = _MOST_WORK, dict[Any, frozenset[str]]()
    found: dict[Any, dict[str, str]] = {}
    for element in tree.iter(etree.Element):
        names[element] = own = frozenset(
            (element.tag, "#" + element.get("id", ""), *("." + one for one in element.get("class", "").split()))
        )
        candidates = [rule for name in own & by_name.keys() for rule in by_name[name] if rule.steps[0][0] <= own]
        above = [*element.iterancestors()] if candidates else []
        left -= len(candidates) * (1 + len(above))
        if left < 0:  # so many that it would take seconds
            return
        effects: dict[str, str] = {}
        for rule in sorted(candidates, key=lambda one: one.rank):
            if _stands_in(above, rule.steps[1:], names):
                effects |= rule.effects
        if (style := element.get("style")) and (effects or _HEEDED.search(style)):
            effects |= _effects(style)
        if any(effects.values()):
            found[element] = effects
    scripted = next(tree.iter("script"), None) is not None
    for element, effects in found.items():
        raised = effects.pop("vertical-align", "")
        if scripted:
            effects = {name: word for name, word in effects.items() if word not in ("none", "hidden")}  # noqa: PLW2901
        element.set(
            "style", ";".join((element.get("style", ""), *(f"{name}:{word}" for name, word in effects.items() if word)))
        )
        if raised and element.tag in _LETTERS and next(element.iterancestors("sup", "sub"), None) is None:
            _raise(element, "sup" if raised == "super" else "sub")


def _stands_in(above: list[Any], steps: list[tuple[frozenset[str], bool]], names: dict[Any, frozenset[str]]) -> bool:
    """Whether the elements `above` one, from its parent on, are those of a selector."""
    at = 0
    for wanted, parent in steps:
        while at < len(above) and not parent and not wanted <= names[above[at]]:
            at += 1
        if at == len(above) or not wanted <= names[above[at]]:
            return False
        at += 1
    return True


def _raise(element: Any, tag: str) -> None:  # noqa: ANN401
    """Make an element one of raised or lowered letters; a link is put into one."""
    if element.tag != "a":
        element.tag = tag
        return
    around = etree.Element(tag)
    around.tail, element.tail = element.tail, None
    element.getparent().replace(element, around)
    around.append(element)
